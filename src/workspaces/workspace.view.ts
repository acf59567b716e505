import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../core/listing/page.js';
import { IdField, MapField, TextField, EnumField, graphqlEnum } from '../core/schema/view-fields.js';
import { RecordView } from '../core/schema/record.view.js';
import { type Workspace, WORKSPACE_STATUSES, type WorkspaceStatus } from './workspace.entity.js';

const WorkspaceStatusEnum = graphqlEnum('WorkspaceStatus', WORKSPACE_STATUSES, 'Whether a workspace is in use.');

@ObjectType('Workspace', { description: 'Groups designs and deployments with members and environments.' })
export class WorkspaceView extends RecordView {
  @TextField()
  name!: string;

  @TextField({ nullable: true })
  description!: string;

  @IdField()
  organization_id!: string;

  @IdField({ description: 'The user who created it.' })
  owner!: string;

  @EnumField(WorkspaceStatusEnum)
  status!: WorkspaceStatus;

  @MapField({ nullable: true })
  metadata!: Record<string, unknown>;

  static fromEntity(this: void, workspace: Workspace): WorkspaceView {
    return RecordView.assignRecord(new WorkspaceView(), workspace, {
      name: workspace.name,
      description: workspace.description,
      organization_id: workspace.organizationId,
      owner: workspace.owner,
      status: workspace.status,
      metadata: workspace.metadata,
    });
  }
}

export const WorkspacePage = PaginatedView(WorkspaceView, 'workspaces', 'WorkspacePage');
