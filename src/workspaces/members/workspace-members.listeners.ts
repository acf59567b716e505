import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EventBus } from '../../core/events/event-bus.js';
import { OrganizationMemberAdded, OrganizationMemberRemoved } from '../../organizations/memberships/member.events.js';
import { OrganizationCreated } from '../../organizations/organization.events.js';
import { WorkspaceMembersStore } from '../grants/workspace-members.store.js';
import { WorkspaceQuotasService } from '../quotas/workspace-quotas.service.js';
import { PersonalWorkspacesService } from '../personal/personal-workspaces.service.js';

/** Restores the default workspaces of new members of an organization, and removes the roles of former ones. */
@Injectable()
export class WorkspaceMembersListeners implements OnModuleInit {
  constructor(
    private readonly personal: PersonalWorkspacesService,
    private readonly members: WorkspaceMembersStore,
    private readonly quotas: WorkspaceQuotasService,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.quotas.registerCounter('max_members', (id) => this.members.count(id));
    this.events.within(OrganizationMemberAdded, ({ actor, organizationId, member }) =>
      this.personal.restore(actor, organizationId, member.id),
    );
    this.events.within(OrganizationMemberRemoved, ({ organizationId, member }) =>
      this.members.removeFromOrganization(organizationId, member.id),
    );
    // At the first start, the system creates the organization; the default workspace of its administrator is called Default.
    this.events.within(OrganizationCreated, async ({ actor, organization }) => {
      if (actor.isSystem) await this.personal.create(actor, organization.id, organization.owner, 'Default');
    });
  }
}
