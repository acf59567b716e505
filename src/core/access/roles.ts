/**
 * Roles on a record, from weakest to strongest. The last two are roles in the organization that owns the record and
 * apply to everything in it. The indexes equal the column `role` of the view `access_role`.
 */
export const ROLES = ['none', 'member', 'viewer', 'editor', 'admin', 'organization_admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

export const roleRank = (role: Role): number => ROLES.indexOf(role);

export const roleFromRank = (value: number | null | undefined): Role => ROLES[value ?? 0] ?? 'none';

export const isRoleAtLeast = (role: Role, needed: Role): boolean => roleRank(role) >= roleRank(needed);
