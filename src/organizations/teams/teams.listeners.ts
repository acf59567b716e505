import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventBus } from '../../core/events/event-bus.js';
import { OrganizationMemberRemoved } from '../memberships/member.events.js';
import { TeamsStore } from './teams.store.js';

/** Removes users who leave an organization from its teams. */
@Injectable()
export class TeamsListeners implements OnModuleInit {
  constructor(
    private readonly teams: TeamsStore,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.events.within(OrganizationMemberRemoved, ({ organizationId, member }) =>
      this.teams.removeMemberFromOrganization(organizationId, member.id),
    );
  }
}
