import type { Operation } from './policy.js';
import { atLeast, type Role } from './roles.js';

const COLUMNS: Partial<Record<Role, string>> = {
  none: 'anyone signed in',
  member: 'member',
  viewer: 'viewer',
  editor: 'editor',
  admin: 'admin',
  organization_admin: 'organization admin',
  owner: 'owner',
};

/** Who may do what, as the documentation shows it: one row for each operation, one column for each role. */
export function roleTable(operations: readonly Operation[]): string {
  const roles = Object.keys(COLUMNS) as Role[];
  const rows = [...operations]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, needs, scope }) => [`\`${name}\``, scope, ...roles.map((role) => (atLeast(role, needs) ? '✓' : ''))]);
  const header = ['operation', 'scope', ...Object.values(COLUMNS)];
  return [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
