import { v5 } from 'uuid';
import { IdField } from '../../core/schema/view-fields.js';
import { RecordView, withRevision } from '../../core/schema/record.view.js';
import type { Design } from '../design.entity.js';

/** A mapping of a design to a workspace: its id is derived from both, because the design itself stores its workspace. */
export class WorkspaceDesignView extends RecordView {
  @IdField({ rest: true })
  workspace_id!: string;

  @IdField({ rest: true })
  design_id!: string;

  static fromEntity(this: void, design: Design): WorkspaceDesignView {
    return toMapping(design, design.workspaceId, null);
  }

  /** The mapping of a design to a workspace that it has left. */
  static fromRemoved(this: void, design: Design, workspaceId: string): WorkspaceDesignView {
    return toMapping(design, workspaceId, design.workspaceId === workspaceId ? null : design.updatedAt);
  }
}

const toMapping = (design: Design, workspaceId: string, deletedAt: Date | null): WorkspaceDesignView =>
  Object.assign(withRevision(new WorkspaceDesignView(), design), {
    id: v5(design.id, workspaceId),
    workspace_id: workspaceId,
    design_id: design.id,
    created_at: design.createdAt,
    updated_at: design.updatedAt,
    deleted_at: deletedAt,
  });
