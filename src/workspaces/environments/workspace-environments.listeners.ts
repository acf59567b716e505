import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getDeletionTime } from '../../core/database/base.entity.js';
import { EventBus } from '../../core/events/event-bus.js';
import { EnvironmentDeleted, EnvironmentRestored } from '../../environments/environment.events.js';
import { WorkspaceQuotasService } from '../quotas/workspace-quotas.service.js';
import {
  DeletedEnvironmentUnassigned,
  EnvironmentAssigned,
  WorkspaceDeleted,
  WorkspaceRestored,
} from '../workspace.events.js';
import { WorkspacesStore } from '../workspaces.store.js';
import { WorkspaceEnvironmentsStore } from './workspace-environments.store.js';

/** Deletes and restores assignments with their workspace and their environment, and publishes an event of the workspace. */
@Injectable()
export class WorkspaceEnvironmentsListeners implements OnModuleInit {
  constructor(
    private readonly mappings: WorkspaceEnvironmentsStore,
    private readonly workspaces: WorkspacesStore,
    private readonly quotas: WorkspaceQuotasService,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.quotas.registerCounter('max_environments', (id) => this.mappings.count(id));
    this.events.within(EnvironmentDeleted, async ({ actor, environment }) => {
      const assigned = await this.workspaces.listByEnvironment(environment.id);
      await this.mappings.removeAll('right', environment.id, getDeletionTime(environment));
      for (const workspace of assigned)
        await this.events.publish(new DeletedEnvironmentUnassigned(actor, workspace, environment.id));
    });
    this.events.within(EnvironmentRestored, async ({ actor, environment, deletedAt }) => {
      if (!deletedAt) return;
      await this.mappings.restoreAll('right', environment.id, deletedAt);
      for (const workspace of await this.workspaces.listByEnvironment(environment.id))
        await this.events.publish(new EnvironmentAssigned(actor, workspace, environment));
      await this.quotas.assertAllWithinLimit(
        await this.workspaces.lockLimitedByEnvironment(environment.id),
        'max_environments',
      );
    });
    this.events.within(WorkspaceDeleted, ({ workspace }) =>
      this.mappings.removeAll('left', workspace.id, getDeletionTime(workspace)),
    );
    this.events.within(WorkspaceRestored, async ({ workspace, deletedAt }) => {
      if (deletedAt) await this.mappings.restoreByWorkspace(workspace.id, deletedAt);
    });
  }
}
