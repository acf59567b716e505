import { IdField } from '../../core/schema/view-fields.js';
import { RecordView } from '../../core/schema/record.view.js';
import type { Design } from '../design.entity.js';

/** That a design is in a workspace. A design is in one only, so the mapping bears the design's own id and times. */
export class WorkspaceDesignView extends RecordView {
  @IdField({ rest: true })
  workspace_id!: string;

  @IdField({ rest: true })
  design_id!: string;

  static fromEntity(this: void, design: Design): WorkspaceDesignView {
    return RecordView.assignRecord(new WorkspaceDesignView(), design, {
      workspace_id: design.workspaceId,
      design_id: design.id,
    });
  }
}
