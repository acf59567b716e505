import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventBus } from '../../core/events/event-bus.js';
import { OrganizationDeleted } from '../organization.events.js';
import { ServiceAccountsService } from './service-accounts.service.js';

/** Deactivates the service accounts of an organization that is deleted. */
@Injectable()
export class ServiceAccountsListeners implements OnModuleInit {
  constructor(
    private readonly services: ServiceAccountsService,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.events.within(OrganizationDeleted, ({ actor, organization }) =>
      this.services.deactivateAll(actor, organization.id),
    );
  }
}
