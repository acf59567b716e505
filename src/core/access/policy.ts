import type { Scope } from './actor.js';
import { roleRank, type Role } from './roles.js';

/** An operation with the minimum role and the token scope that it requires. */
export interface Operation {
  name: string;
  needs: Role;
  scope: Scope;
  /** The operation is on a record of a workspace; the role in that workspace is checked. */
  inWorkspace: boolean;
  /** Only installation administrators may perform it, whatever their role. */
  installation: boolean;
  /** Service accounts may not perform it, whatever their role. */
  peopleOnly: boolean;
}

type Rule = Role | { needs: Role; scope: Scope; installation?: boolean; peopleOnly?: boolean };

const declared: Operation[] = [];

/**
 * Declares the permissions for one kind of record. The scope defaults by role: `read` for what viewers may do,
 * `admin` for what requires an admin, otherwise `write`. `level: 'workspace'` is for records that belong to a
 * workspace, whose permission settings then decide what its members may do.
 */
export function definePolicy<const R extends Record<string, Rule>>(
  record: string,
  rules: R,
  level?: 'workspace',
): { [K in keyof R]: Operation } {
  const operations = Object.entries(rules).map(([verb, rule]) => {
    const {
      needs,
      scope,
      installation = false,
      peopleOnly = false,
    }: Exclude<Rule, Role> = typeof rule === 'string' ? { needs: rule, scope: scopeFor(rule) } : rule;
    const inWorkspace = level === 'workspace' && roleRank(needs) >= roleRank('viewer');
    const operation = { name: `${record}.${verb}`, needs, scope, inWorkspace, installation, peopleOnly };
    declared.push(operation);
    return [verb, operation] as const;
  });
  return Object.fromEntries(operations) as { [K in keyof R]: Operation };
}

/** Every operation of every declared policy. */
export const declaredOperations = (): readonly Operation[] => declared;

function scopeFor(role: Role): Scope {
  if (roleRank(role) >= roleRank('admin')) return 'admin';
  return role === 'editor' ? 'write' : 'read';
}
