import { Module } from '@nestjs/common';
import { deletionOf } from '../core/database/base.entity.js';
import { EventBus } from '../core/events/event-bus.js';
import { EnvironmentDeleted, EnvironmentRestored } from '../environments/environment.events.js';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { OrganizationMemberRemoved } from '../organizations/members/member.events.js';
import { OrganizationCreated } from '../organizations/organization.events.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { WorkspaceEnvironmentsController } from './environments/workspace-environments.controller.js';
import { WorkspaceEnvironmentsService } from './environments/workspace-environments.service.js';
import { WorkspaceEnvironmentsStore } from './environments/workspace-environments.store.js';
import { WorkspaceMembersController } from './members/workspace-members.controller.js';
import { WorkspaceMembersService } from './members/workspace-members.service.js';
import { WorkspaceMembersStore } from './members/workspace-members.store.js';
import { WorkspaceDeleted, WorkspaceRestored } from './workspace.events.js';
import { WorkspacesController } from './workspaces.controller.js';
import { WorkspacesResolver } from './workspaces.resolver.js';
import { WorkspacesService } from './workspaces.service.js';
import { WorkspacesStore } from './workspaces.store.js';

@Module({
  imports: [OrganizationsModule, EnvironmentsModule],
  controllers: [WorkspacesController, WorkspaceMembersController, WorkspaceEnvironmentsController],
  providers: [
    WorkspacesService,
    WorkspacesStore,
    WorkspacesResolver,
    WorkspaceMembersService,
    WorkspaceMembersStore,
    WorkspaceEnvironmentsService,
    WorkspaceEnvironmentsStore,
  ],
  exports: [WorkspacesService, WorkspacesStore, WorkspaceEnvironmentsStore],
})
export class WorkspacesModule {
  constructor(
    workspaces: WorkspacesService,
    members: WorkspaceMembersStore,
    mappings: WorkspaceEnvironmentsStore,
    events: EventBus,
  ) {
    events.within(EnvironmentDeleted, ({ environment }) =>
      mappings.removeAll('right', environment.id, deletionOf(environment)),
    );
    events.within(EnvironmentRestored, async ({ environment, deletedAt }) => {
      if (deletedAt) await mappings.restoreOfEnvironment(environment.id, deletedAt);
    });
    events.within(WorkspaceDeleted, ({ workspace }) => mappings.removeAll('left', workspace.id, deletionOf(workspace)));
    events.within(WorkspaceRestored, async ({ workspace, deletedAt }) => {
      if (deletedAt) await mappings.restoreOfWorkspace(workspace.id, deletedAt);
    });
    events.within(OrganizationMemberRemoved, ({ organizationId, member }) =>
      members.removeFromOrganization(organizationId, member.id),
    );
    // The first start makes the organization in the name of the system; its administrator's default workspace is called Default.
    events.within(OrganizationCreated, async ({ actor, organization }) => {
      if (actor.isSystem) await workspaces.makePersonal(actor, organization.id, organization.owner, 'Default');
    });
  }
}
