import { FlagField, IntField, RecordField, WordField } from '../../core/schema/view-fields.js';
import { withRevision } from '../../core/schema/record.view.js';
import type { Workspace } from '../workspace.entity.js';
import { limitOf, QUOTA_KEYS, type QuotaKey, type QuotaStatus } from './quota.js';

/** The use and the limit of one quota. */
export class QuotaStatusView implements QuotaStatus {
  @WordField(QUOTA_KEYS, { rest: true, description: 'The quota.' })
  key!: QuotaKey;

  @IntField({ rest: true, nullable: true, description: 'The limit; null is unlimited.' })
  limit!: number | null;

  @IntField({ rest: true, description: 'How much is used.' })
  use!: number;

  @FlagField({ rest: true, description: 'Whether one more is allowed.' })
  allowed!: boolean;
}

export class QuotaUseView {
  @IntField({ rest: true })
  designs!: number;

  @IntField({ rest: true })
  environments!: number;

  @IntField({ rest: true, description: 'Users who have a role, granted to them or to one of their teams.' })
  members!: number;

  @IntField({ rest: true, description: 'Accepted since midnight UTC.' })
  deployments_per_day!: number;
}

/** The limits of a workspace (null is unlimited), and their current use. */
export class WorkspaceQuotasView {
  @IntField({ rest: true, nullable: true })
  max_designs!: number | null;

  @IntField({ rest: true, nullable: true })
  max_environments!: number | null;

  @IntField({ rest: true, nullable: true })
  max_members!: number | null;

  @IntField({ rest: true, nullable: true })
  max_deployments_per_day!: number | null;

  @RecordField(() => QuotaUseView, { rest: true })
  use!: QuotaUseView;

  static fromEntity(this: void, workspace: Workspace, use: Record<QuotaKey, number>): WorkspaceQuotasView {
    return Object.assign(withRevision(new WorkspaceQuotasView(), workspace), {
      max_designs: limitOf(workspace, 'max_designs'),
      max_environments: limitOf(workspace, 'max_environments'),
      max_members: limitOf(workspace, 'max_members'),
      max_deployments_per_day: limitOf(workspace, 'max_deployments_per_day'),
      use: {
        designs: use.max_designs,
        environments: use.max_environments,
        members: use.max_members,
        deployments_per_day: use.max_deployments_per_day,
      },
    });
  }
}
