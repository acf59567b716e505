import { Conflict } from '../../core/errors/app-error.js';
import type { Workspace } from '../workspace.entity.js';

/** The limits on the contents of a workspace, or on actions per day, and the columns that store them. */
export const QUOTAS = {
  max_designs: 'maxDesigns',
  max_environments: 'maxEnvironments',
  max_members: 'maxMembers',
  max_deployments_per_day: 'maxDeploymentsPerDay',
} as const satisfies Record<string, keyof Workspace>;

export type QuotaKey = keyof typeof QUOTAS;
export const QUOTA_KEYS = Object.keys(QUOTAS) as QuotaKey[];

/** The use and the limit of one quota; null is unlimited. */
export interface QuotaStatus {
  key: QuotaKey;
  limit: number | null;
  use: number;
  /** Whether one more is allowed. */
  allowed: boolean;
}

/** The limit of a workspace; null is unlimited. */
export const limitOf = (workspace: Workspace, key: QuotaKey): number | null => workspace[QUOTAS[key]];

export function quotaExceeded(workspace: Workspace, key: QuotaKey, limit: number, use: number): Conflict {
  return new Conflict('QUOTA_EXCEEDED', `${key} of workspace ${workspace.name} is ${limit}, and ${use} are used`, {
    extensions: { key, limit, use, workspace_id: workspace.id },
    remedy: 'Delete what is no longer used, or ask an admin of the organization for a higher quota.',
  });
}
