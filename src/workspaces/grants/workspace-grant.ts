import { roleRank } from '../../core/access/roles.js';

export const WORKSPACE_ROLES = ['admin', 'editor', 'viewer'] as const;
export type WorkspaceRole = (typeof WORKSPACE_ROLES)[number];

/** The role of a rank; admins of the organization are admins in its workspaces. */
export const toWorkspaceRole = (value: number): WorkspaceRole =>
  WORKSPACE_ROLES.find((role) => roleRank(role) <= value) ?? 'viewer';
