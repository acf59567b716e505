import { Conflict } from '../../core/errors/app-error.js';
import type { Workspace } from '../workspace.entity.js';

/** What a workspace may have, or do in a day, and where its limit is kept. */
export const QUOTAS = {
  max_designs: 'maxDesigns',
  max_environments: 'maxEnvironments',
  max_members: 'maxMembers',
  max_deployments_per_day: 'maxDeploymentsPerDay',
} as const satisfies Record<string, keyof Workspace>;

export type QuotaKey = keyof typeof QUOTAS;
export const QUOTA_KEYS = Object.keys(QUOTAS) as QuotaKey[];

/** How far one quota is used; a limit of null is none. */
export interface QuotaStatus {
  key: QuotaKey;
  limit: number | null;
  use: number;
  /** Whether there is room for one more. */
  allowed: boolean;
}

/** The limit of a workspace; null is unlimited. */
export const limitOf = (workspace: Workspace, key: QuotaKey): number | null => workspace[QUOTAS[key]];

export function quotaExceeded(workspace: Workspace, key: QuotaKey, limit: number, use: number): Conflict {
  return new Conflict('QUOTA_EXCEEDED', `${key} of workspace ${workspace.name} is ${limit}, and ${use} are used`, {
    extensions: { key, limit, use, workspace_id: workspace.id },
    remedy: 'Make room, or ask an admin of the organization for a higher quota.',
  });
}
