import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getDeletionTime } from '../../core/database/base.entity.js';
import { EventBus } from '../../core/events/event-bus.js';
import { EnvironmentDeleted, EnvironmentRestored } from '../../environments/environment.events.js';
import { WorkspaceQuotasService } from '../quotas/workspace-quotas.service.js';
import { WorkspaceDeleted, WorkspaceRestored } from '../workspace.events.js';
import { WorkspacesStore } from '../workspaces.store.js';
import { WorkspaceEnvironmentsStore } from './workspace-environments.store.js';

/** Assignments are deleted and restored with the workspace and the environment that they join. */
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
    this.events.within(EnvironmentDeleted, ({ environment }) =>
      this.mappings.removeAll('right', environment.id, getDeletionTime(environment)),
    );
    this.events.within(EnvironmentRestored, async ({ environment, deletedAt }) => {
      if (!deletedAt) return;
      await this.mappings.restoreAll('right', environment.id, deletedAt);
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
