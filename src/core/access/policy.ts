import type { Scope } from './actor.js';
import { rank, type Role } from './roles.js';

/** One thing that can be done, the least role that may do it, and the scope that a token needs for it. */
export interface Operation {
  name: string;
  needs: Role;
  scope: Scope;
  /** It is done in a workspace, and what is asked is the role there. */
  inWorkspace: boolean;
  /** Only administrators of the installation do it, whatever their role. */
  installation: boolean;
}

type Rule = Role | { needs: Role; scope: Scope; installation?: boolean };

const known: Operation[] = [];

/**
 * Declares who may do what with one kind of record. The scope follows from the role unless it is given: what only
 * viewers need is `read`, what an admin may is `admin`, all else is `write`. Of records that live in a workspace `place`
 * is `workspace`: what its members may do with them is then told by the workspace's permissions.
 */
export function policy<const R extends Record<string, Rule>>(
  record: string,
  rules: R,
  place?: 'workspace',
): { [K in keyof R]: Operation } {
  const operations = Object.entries(rules).map(([verb, rule]) => {
    const {
      needs,
      scope,
      installation = false,
    }: Exclude<Rule, Role> = typeof rule === 'string' ? { needs: rule, scope: scopeFor(rule) } : rule;
    const inWorkspace = place === 'workspace' && rank(needs) >= rank('viewer');
    const operation = { name: `${record}.${verb}`, needs, scope, inWorkspace, installation };
    known.push(operation);
    return [verb, operation] as const;
  });
  return Object.fromEntries(operations) as { [K in keyof R]: Operation };
}

/** Every operation of every policy that has been declared. */
export const operations = (): readonly Operation[] => known;

function scopeFor(role: Role): Scope {
  if (rank(role) >= rank('admin')) return 'admin';
  return role === 'editor' ? 'write' : 'read';
}
