import { Injectable } from '@nestjs/common';
import { MappingStore } from '../../core/database/mapping.store.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { WorkspaceEnvironment } from './workspace-environment.entity.js';

@Injectable()
export class WorkspaceEnvironmentsStore extends MappingStore<WorkspaceEnvironment> {
  constructor(unit: UnitOfWork) {
    super(unit, WorkspaceEnvironment, 'workspace_environment', { left: 'workspace', right: 'environment' });
  }

  count(workspaceId: string): Promise<number> {
    return this.repository.countBy({ workspaceId });
  }

  /** Of all workspaces, also those that the user who asks does not see. */
  countOfEnvironment(environmentId: string): Promise<number> {
    return this.unit.runAsSystem('counting assignments', () => this.repository.countBy({ environmentId }));
  }

  has(workspaceId: string, environmentId: string): Promise<boolean> {
    return this.repository.existsBy({ workspaceId, environmentId });
  }

  /** A user who restores a workspace sees its environments only once they are assigned again. */
  restoreByWorkspace(workspaceId: string, deletedAt: Date): Promise<void> {
    return this.unit.runAsSystem('bringing back assignments', () => this.restoreAll('left', workspaceId, deletedAt));
  }
}
