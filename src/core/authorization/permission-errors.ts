import type { Actor, Scope } from '../access/actor.js';
import type { Operation } from '../access/policy.js';
import { isRoleAtLeast, type Role, roleRank } from '../access/roles.js';
import { Forbidden } from '../errors/app-error.js';

/** @throws Forbidden when the actor's token lacks the scope of the operation */
export function assertScope(actor: Actor, operation: Operation): void {
  const refusal = scopeError(actor, operation);
  if (refusal) throw refusal;
}

/** @throws Forbidden when the operation requires an installation administrator and the actor is not one */
export function assertInstallationAdmin(actor: Actor, { name, installation }: Operation): void {
  if (!installation || actor.installationAdmin) return;
  throw new Forbidden(`${name} is for administrators of the installation`, {
    remedy: 'Ask an administrator of this installation.',
  });
}

/** Returns the error for an actor whose role or token scopes do not permit the operation; null when they do. */
export function permissionError(actor: Actor, operation: Operation, role: Role): Forbidden | null {
  if (!isRoleAtLeast(role, operation.needs)) return roleError(operation, role);
  return scopeError(actor, operation) ?? personError(actor, operation);
}

const IMPLIED_SCOPES: Record<Scope, Scope[]> = {
  read: ['read'],
  write: ['read', 'write'],
  deploy: ['read', 'deploy'],
  admin: ['read', 'write', 'deploy', 'admin'],
};

function scopeError(actor: Actor, operation: Operation): Forbidden | null {
  if (actor.scopes.some((scope) => IMPLIED_SCOPES[scope].includes(operation.scope))) return null;
  return new Forbidden(`${operation.name} needs a token with the scope ${operation.scope}`, {
    code: 'SCOPE_MISSING',
    remedy: `Use a token that has the scope ${operation.scope}.`,
  });
}

function personError(actor: Actor, { name, peopleOnly }: Operation): Forbidden | null {
  if (!peopleOnly || !actor.isServiceAccount) return null;
  return new Forbidden(`${name} is not available to service accounts`, {
    code: 'PERSON_REQUIRED',
    remedy: 'Ask a user with this role to do it, with a session or a personal access token.',
  });
}

function roleError(operation: Operation, role: Role): Forbidden {
  const who = roleRank(operation.needs) >= roleRank('organization_admin') ? 'organization' : 'workspace';
  return new Forbidden(`${operation.name} needs the role ${operation.needs}; yours is ${role}`, {
    remedy: `Ask an admin of the ${who}.`,
  });
}
