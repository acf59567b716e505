import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getDeletionTime } from '../core/database/base.entity.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { EventBus } from '../core/events/event-bus.js';
import { WorkspaceDeleted, WorkspaceRestored } from '../workspaces/workspace.events.js';
import { FilterCloned } from './filter.events.js';
import { FiltersStore } from './filters.store.js';

/** Deletes and restores filters with their workspace, and counts clones. */
@Injectable()
export class FiltersListeners implements OnModuleInit {
  constructor(
    private readonly filters: FiltersStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.events.within(WorkspaceDeleted, ({ workspace }) =>
      this.filters.softDeleteByWorkspace(workspace.id, getDeletionTime(workspace)),
    );
    this.events.within(WorkspaceRestored, async ({ workspace, deletedAt }) => {
      if (deletedAt) await this.filters.restoreByWorkspace(workspace.id, deletedAt);
    });
    this.events.within(FilterCloned, async ({ filter: { clonedFrom } }) => {
      // A caller who clones a published filter may have no right to change it.
      if (clonedFrom)
        await this.unit.runAsSystem('counting a copy', () => this.filters.increment(clonedFrom.id, 'clone_count'));
    });
  }
}
