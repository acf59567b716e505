import { IdField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import type { WorkspaceEnvironment } from './workspace-environment.entity.js';

export class WorkspaceEnvironmentView extends RecordView {
  @IdField({ rest: true })
  workspace_id!: string;

  @IdField({ rest: true })
  environment_id!: string;

  static fromEntity(this: void, mapping: WorkspaceEnvironment): WorkspaceEnvironmentView {
    return RecordView.assignRecord(new WorkspaceEnvironmentView(), mapping, {
      workspace_id: mapping.workspaceId,
      environment_id: mapping.environmentId,
    });
  }
}
