import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getDeletionTime } from '../../core/database/base.entity.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { WorkspaceArchived, WorkspaceDeleted, WorkspaceRestored } from '../../workspaces/workspace.events.js';
import { PerformanceProfileDeleted } from '../profiles/profile.events.js';
import { ProfilesStore } from '../profiles/profiles.store.js';
import { RunsStore } from './runs.store.js';

/** Profiles and runs go, and come back, with their workspace; runs end with what they are made for. */
@Injectable()
export class RunsListeners implements OnModuleInit {
  constructor(
    private readonly profiles: ProfilesStore,
    private readonly runs: RunsStore,
    private readonly jobs: JobsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.events.within(PerformanceProfileDeleted, async ({ profile }) => {
      await this.cancel('profile_id', profile.id);
      await this.runs.softDeleteBy('profile_id', profile.id, getDeletionTime(profile));
    });
    this.events.within(WorkspaceArchived, ({ workspace }) => this.cancel('workspace_id', workspace.id));
    this.events.within(WorkspaceDeleted, async ({ workspace }) => {
      await this.cancel('workspace_id', workspace.id);
      await this.profiles.softDeleteByWorkspace(workspace.id, getDeletionTime(workspace));
      await this.runs.softDeleteBy('workspace_id', workspace.id, getDeletionTime(workspace));
    });
    this.events.within(WorkspaceRestored, async ({ workspace, deletedAt }) => {
      if (!deletedAt) return;
      await this.profiles.restoreByWorkspace(workspace.id, deletedAt);
      await this.runs.restoreByWorkspace(workspace.id, deletedAt);
    });
  }

  private cancel(column: 'profile_id' | 'workspace_id', id: string): Promise<void> {
    return this.unit.runAsSystem('ending performance runs', async () => {
      for (const run of await this.runs.findUnfinished(column, id)) await this.jobs.cancel(run);
    });
  }
}
