import { roleRank } from '../../core/access/roles.js';
import { WordInput } from '../../core/schema/input-fields.js';

export const WORKSPACE_ROLES = ['admin', 'editor', 'viewer'] as const;
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

/** The role that a rank stands for; whoever rules the organization is an admin in its workspaces. */
export const toWorkspaceRole = (value: number): WorkspaceRole =>
  WORKSPACE_ROLES.find((role) => roleRank(role) <= value) ?? 'viewer';

/** A role, as it is granted to a user or to a team. */
export class WorkspaceGrant {
  @WordInput(WORKSPACE_ROLES)
  role!: WorkspaceRole;
}
