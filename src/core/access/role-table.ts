import type { Operation } from './policy.js';
import { isRoleAtLeast, type Role } from './roles.js';

const COLUMNS: Partial<Record<Role, string>> = {
  none: 'anyone signed in',
  member: 'member',
  viewer: 'viewer',
  editor: 'editor',
  admin: 'admin',
  organization_admin: 'organization admin',
  owner: 'owner',
};

/** Renders the table of permissions in the documentation: one row per operation, one column per role. */
export function renderRoleTable(operations: readonly Operation[]): string {
  const roles = Object.keys(COLUMNS) as Role[];
  const mark = (holds: boolean): string => (holds ? '✓' : '');
  const rows = [...operations]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, needs, scope, installation }) => [
      `\`${name}\``,
      scope,
      ...roles.map((role) => mark(!installation && isRoleAtLeast(role, needs))),
      mark(installation),
    ]);
  const header = ['operation', 'scope', ...Object.values(COLUMNS), 'installation admin'];
  const widths = header.map((_, column) =>
    Math.max(3, ...[header, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  return [header, widths.map((width) => '-'.repeat(width)), ...rows]
    .map((cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
    .join('\n');
}
