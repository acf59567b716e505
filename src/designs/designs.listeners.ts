import { Injectable, type OnModuleInit } from '@nestjs/common';
import { getDeletionTime } from '../core/database/base.entity.js';
import { EventBus } from '../core/events/event-bus.js';
import { WorkspaceDeleted, WorkspaceRestored } from '../workspaces/workspace.events.js';
import { DesignsStore } from './designs.store.js';

/** Deletes and restores designs with their workspace. */
@Injectable()
export class DesignsListeners implements OnModuleInit {
  constructor(
    private readonly designs: DesignsStore,
    private readonly events: EventBus,
  ) {}

  onModuleInit(): void {
    this.events.within(WorkspaceDeleted, ({ workspace }) =>
      this.designs.softDeleteByWorkspace(workspace.id, getDeletionTime(workspace)),
    );
    this.events.within(WorkspaceRestored, async ({ workspace, deletedAt }) => {
      if (deletedAt) await this.designs.restoreByWorkspace(workspace.id, deletedAt);
    });
  }
}
