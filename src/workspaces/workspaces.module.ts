import { Module } from '@nestjs/common';
import { EnvironmentsModule } from '../environments/environments.module.js';
import { OrganizationsModule } from '../organizations/organizations.module.js';
import { AssignedEnvironmentsService } from './environments/assigned-environments.service.js';
import { EnvironmentsInWorkspaceStore } from './environments/environments-in-workspace.store.js';
import { WorkspaceEnvironmentsController } from './environments/workspace-environments.controller.js';
import { WorkspaceEnvironmentsListeners } from './environments/workspace-environments.listeners.js';
import { WorkspaceEnvironmentsResolver } from './environments/workspace-environments.resolver.js';
import { WorkspaceEnvironmentsService } from './environments/workspace-environments.service.js';
import { ReachableConnectionsStore } from './environments/reachable-connections.store.js';
import { WorkspaceEnvironmentsStore } from './environments/workspace-environments.store.js';
import { WorkspaceMembersController } from './members/workspace-members.controller.js';
import { WorkspaceMembersListeners } from './members/workspace-members.listeners.js';
import { WorkspaceMembersService } from './members/workspace-members.service.js';
import { WorkspaceMembersStore } from './grants/workspace-members.store.js';
import { PermissionsController } from './permissions/permissions.controller.js';
import { PersonalWorkspacesService } from './personal/personal-workspaces.service.js';
import { PermissionsService } from './permissions/permissions.service.js';
import { WorkspaceQuotasController } from './quotas/workspace-quotas.controller.js';
import { WorkspaceQuotasService } from './quotas/workspace-quotas.service.js';
import { WorkspaceTeamsController } from './teams/workspace-teams.controller.js';
import { WorkspaceTeamsListeners } from './teams/workspace-teams.listeners.js';
import { WorkspaceTeamsService } from './teams/workspace-teams.service.js';
import { WorkspaceTeamsStore } from './grants/workspace-teams.store.js';
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
    PersonalWorkspacesService,
    WorkspaceMembersService,
    WorkspaceMembersListeners,
    WorkspaceMembersStore,
    WorkspaceTeamsService,
    WorkspaceTeamsStore,
    WorkspaceTeamsListeners,
    WorkspaceQuotasService,
    WorkspacePlacementService,
    PermissionsService,
    WorkspaceEnvironmentsService,
    WorkspaceEnvironmentsListeners,
    AssignedEnvironmentsService,
    EnvironmentsInWorkspaceStore,
    ReachableConnectionsStore,
    WorkspaceEnvironmentsResolver,
    WorkspaceEnvironmentsStore,
  ],
  exports: [
    WorkspacesService,
    WorkspacesStore,
    PersonalWorkspacesService,
    WorkspacePlacementService,
    WorkspaceQuotasService,
    WorkspaceEnvironmentsStore,
    ReachableConnectionsStore,
  ],
})
export class WorkspacesModule {}
