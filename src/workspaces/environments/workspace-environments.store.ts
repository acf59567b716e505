import { Injectable } from '@nestjs/common';
import { MappingStore } from '../../core/database/mapping.store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { WorkspaceEnvironment } from './workspace-environment.entity.js';

const OTHER_SIDE_EXISTS = {
  left: 'EXISTS (SELECT FROM environment e WHERE e.id = t.environment_id AND e.deleted_at IS NULL)',
  right: 'EXISTS (SELECT FROM workspace w WHERE w.id = t.workspace_id AND w.deleted_at IS NULL)',
};

@Injectable()
export class WorkspaceEnvironmentsStore extends MappingStore<WorkspaceEnvironment> {
  constructor(unit: UnitOfWork) {
    super(unit, WorkspaceEnvironment, 'workspace_environment', { left: 'workspace_id', right: 'environment_id' });
  }

  count(workspaceId: string): Promise<number> {
    return this.repository.countBy({ workspaceId });
  }

  has(workspaceId: string, environmentId: string): Promise<boolean> {
    return this.repository.existsBy({ workspaceId, environmentId });
  }

  /** A user who restores a workspace sees its environments only once they are assigned again. */
  restoreByWorkspace(workspaceId: string, deletedAt: Date): Promise<void> {
    return this.unit.runAsSystem('bringing back assignments', () =>
      this.restoreAll('left', workspaceId, deletedAt, OTHER_SIDE_EXISTS.left),
    );
  }

  restoreByEnvironment(environmentId: string, deletedAt: Date): Promise<void> {
    return this.restoreAll('right', environmentId, deletedAt, OTHER_SIDE_EXISTS.right);
  }
}
