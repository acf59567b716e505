import type { Scope } from './actor.js';
import { roleRank, type Role } from './roles.js';

/** One thing that can be done, the least role that may do it, and the scope that a token needs for it. */
export interface Operation {
  name: string;
  needs: Role;
  scope: Scope;
  /** The operation belongs to a workspace; the role in that workspace is checked. */
  inWorkspace: boolean;
  /** Only administrators of the installation may do it, whatever their role. */
  installation: boolean;
  /** Service accounts may not do it, whatever their role. */
  peopleOnly: boolean;
}

type Rule = Role | { needs: Role; scope: Scope; installation?: boolean; peopleOnly?: boolean };

const declared: Operation[] = [];

/**
 * Declares who may do what with one kind of record. The scope follows from the role unless it is given: what only
 * viewers need is `read`, what an admin may is `admin`, all else is `write`. Of records that live in a workspace `level`
 * is `workspace`: the workspace's permissions then determine what its members may do with them.
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

/** Every operation of every policy that has been declared. */
export const declaredOperations = (): readonly Operation[] => declared;

function scopeFor(role: Role): Scope {
  if (roleRank(role) >= roleRank('admin')) return 'admin';
  return role === 'editor' ? 'write' : 'read';
}
