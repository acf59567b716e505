import { Module } from '@nestjs/common';
import { getDeletionTime } from '../core/database/base.entity.js';
import { EventBus } from '../core/events/event-bus.js';
import { EnvironmentDeleted, EnvironmentRestored } from '../environments/environment.events.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { OrganizationMemberAdded, OrganizationMemberRemoved } from '../organizations/members/member.events.js';
import { OrganizationCreated } from '../organizations/organization.events.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { TeamMemberAdded } from '../organizations/teams/team.events.js';
import { WorkspaceEnvironmentsController } from './environments/workspace-environments.controller.js';
import { WorkspaceEnvironmentsResolver } from './environments/workspace-environments.resolver.js';
import { WorkspaceEnvironmentsService } from './environments/workspace-environments.service.js';
import { WorkspaceEnvironmentsStore } from './environments/workspace-environments.store.js';
import { WorkspaceMembersController } from './members/workspace-members.controller.js';
import { WorkspaceMembersService } from './members/workspace-members.service.js';
import { WorkspaceMembersStore } from './members/workspace-members.store.js';
import { PermissionsController } from './permissions/permissions.controller.js';
import { PermissionsService } from './permissions/permissions.service.js';
import { WorkspaceQuotasController } from './quotas/workspace-quotas.controller.js';
import { WorkspaceQuotasService } from './quotas/workspace-quotas.service.js';
import { WorkspaceTeamsController } from './teams/workspace-teams.controller.js';
import { WorkspaceTeamsService } from './teams/workspace-teams.service.js';
import { WorkspaceTeamsStore } from './teams/workspace-teams.store.js';
import { WorkspaceDeleted, WorkspaceRestored } from './workspace.events.js';
import { WorkspacesController } from './workspaces.controller.js';
import { WorkspacesResolver } from './workspaces.resolver.js';
import { WorkspacePlacementService } from './workspace-owned/workspace-placement.service.js';
import { WorkspacesService } from './workspaces.service.js';
import { WorkspacesStore } from './workspaces.store.js';

@Module({
  imports: [OrganizationsModule, EnvironmentsModule],
  controllers: [
    WorkspacesController,
    WorkspaceMembersController,
    WorkspaceTeamsController,
    WorkspaceEnvironmentsController,
    WorkspaceQuotasController,
    PermissionsController,
  ],
  providers: [
    WorkspacesService,
    WorkspacesStore,
    WorkspacesResolver,
    WorkspaceMembersService,
    WorkspaceMembersStore,
    WorkspaceTeamsService,
    WorkspaceTeamsStore,
    WorkspaceQuotasService,
    WorkspacePlacementService,
    PermissionsService,
    WorkspaceEnvironmentsService,
    WorkspaceEnvironmentsResolver,
    WorkspaceEnvironmentsStore,
  ],
  exports: [
    WorkspacesService,
    WorkspacesStore,
    WorkspacePlacementService,
    WorkspaceQuotasService,
    WorkspaceEnvironmentsStore,
  ],
})
export class WorkspacesModule {
  constructor(
    workspaces: WorkspacesService,
    store: WorkspacesStore,
    members: WorkspaceMembersStore,
    quotas: WorkspaceQuotasService,
    mappings: WorkspaceEnvironmentsStore,
    events: EventBus,
  ) {
    quotas.registerCounter('max_members', (id) => members.count(id));
    quotas.registerCounter('max_environments', (id) => mappings.count(id));
    events.within(EnvironmentDeleted, ({ environment }) =>
      mappings.removeAll('right', environment.id, getDeletionTime(environment)),
    );
    events.within(EnvironmentRestored, async ({ environment, deletedAt }) => {
      if (!deletedAt) return;
      await mappings.restoreByEnvironment(environment.id, deletedAt);
      await quotas.assertAllWithinLimit(await store.lockLimitedByEnvironment(environment.id), 'max_environments');
    });
    // Whoever signs in is let into the teams of their groups, whatever a quota says; the next grant then counts them.
    events.within(TeamMemberAdded, async ({ actor, team }) => {
      if (!actor.isSystem) await quotas.assertAllWithinLimit(await store.lockLimitedByTeam(team.id), 'max_members');
    });
    events.within(OrganizationMemberAdded, ({ actor, organizationId, member }) =>
      workspaces.restorePersonalWorkspace(actor, organizationId, member.id),
    );
    events.within(WorkspaceDeleted, ({ workspace }) =>
      mappings.removeAll('left', workspace.id, getDeletionTime(workspace)),
    );
    events.within(WorkspaceRestored, async ({ workspace, deletedAt }) => {
      if (deletedAt) await mappings.restoreByWorkspace(workspace.id, deletedAt);
    });
    events.within(OrganizationMemberRemoved, ({ organizationId, member }) =>
      members.removeFromOrganization(organizationId, member.id),
    );
    // The first start makes the organization in the name of the system; its administrator's default workspace is called Default.
    events.within(OrganizationCreated, async ({ actor, organization }) => {
      if (actor.isSystem) await workspaces.createPersonal(actor, organization.id, organization.owner, 'Default');
    });
  }
}
