import { Injectable } from '@nestjs/common';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { UnitOfWork } from '../database/unit-of-work.js';
import { Forbidden } from '../errors/app-error.js';
import { currentRequest } from '../telemetry/request-context.js';
import type { Actor, Scope } from './actor.js';
import type { Operation } from './policy.js';
import { isRoleAtLeast, roleRank, type Role, roleFromRank } from './roles.js';

/** The kinds of records that the view `access_role` tells roles on. */
export type ProtectedRecordType = 'organization' | 'workspace' | 'environment' | 'connection';

export interface ProtectedRecord {
  type: ProtectedRecordType;
  id: string;
  organizationId: string;
}

/** Who may do what, answered from the view of roles and nothing else. */
@Injectable()
export class Access {
  constructor(private readonly unit: UnitOfWork) {}

  /** The strongest role of the actor on a record: in its organization, or granted on itself. */
  async roleOn(actor: Actor, resource: ProtectedRecord): Promise<Role> {
    if (actor.isSystem) return 'owner';
    const [row] = await this.unit.manager.query<{ role: number | null }[]>('SELECT role_on($1, $2, $3, $4) AS role', [
      actor.userId,
      resource.organizationId,
      resource.type,
      resource.id,
    ]);
    return roleFromRank(row?.role);
  }

  /** @throws Forbidden when the actor's role, or the scopes of the token, do not reach */
  async authorize(actor: Actor, operation: Operation, resource: ProtectedRecord): Promise<void> {
    assertScope(actor, operation);
    const refusal = permissionError(actor, operation, await this.roleOn(actor, resource));
    if (refusal) throw refusal;
    const request = currentRequest();
    if (request) request.organizationId = resource.organizationId;
  }

  /** Narrows a query to the records that the actor may see; `alias` has the columns `id` and `organization_id`. */
  onlyVisible<E extends ObjectLiteral>(
    rows: SelectQueryBuilder<E>,
    alias: string,
    type: ProtectedRecordType,
    actor: Actor,
  ): SelectQueryBuilder<E> {
    if (actor.isSystem) return rows;
    return rows.andWhere(visibleSql(alias, type, ':actorId'), { actorId: actor.userId });
  }

  /**
   * Narrows a query to the records of one organization that the actor may see. Whether they administer the organization is
   * then asked once for a statement and compared with no row, which counts of large organizations feel.
   */
  onlyVisibleIn<E extends ObjectLiteral>(
    rows: SelectQueryBuilder<E>,
    alias: string,
    type: ProtectedRecordType,
    actor: Actor,
    organizationId: string,
  ): SelectQueryBuilder<E> {
    rows.andWhere(`${alias}.organization_id = :organizationId`, { organizationId });
    if (actor.isSystem) return rows;
    const administered = `CAST(:organizationId AS uuid) IN (${administeredOrganizationsSql(':actorId')})`;
    return rows.andWhere(`((SELECT ${administered}) OR ${grantedSql(alias, type, ':actorId')})`, {
      actorId: actor.userId,
    });
  }

  /** Narrows a query to the records of organizations that the actor administers. */
  onlyAdministered<E extends ObjectLiteral>(
    rows: SelectQueryBuilder<E>,
    alias: string,
    actor: Actor,
  ): SelectQueryBuilder<E> {
    if (actor.isSystem) return rows;
    return rows.andWhere(`(${administeredSql(alias, ':actorId')})`, { actorId: actor.userId });
  }
}

/** As an array it is compared as fast as a constant: the count of an admin costs what it would without the question. */
export const administeredSql = (alias: string, userId: string): string =>
  `${alias}.organization_id = ANY (ARRAY(${administeredOrganizationsSql(userId)}))`;

const administeredOrganizationsSql = (userId: string): string =>
  `SELECT organizations_of(${userId}, ${roleRank('organization_admin')})`;

const grantedSql = (alias: string, type: ProtectedRecordType, userId: string): string =>
  `${alias}.id IN (SELECT granted_resources(${userId}, '${type}'))`;

/**
 * SQL that holds for the rows which a user may see. Each half is asked once for a statement, not once for a row:
 * organizations where the user is an admin, and the records that a role was granted on. Both ask through a function,
 * for planning the view itself takes longer than asking it.
 */
export function visibleSql(alias: string, type: ProtectedRecordType, userId: string): string {
  return `(${administeredSql(alias, userId)} OR ${grantedSql(alias, type, userId)})`;
}

/** @throws Forbidden when the token of the actor does not carry the operation's scope */
export function assertScope(actor: Actor, operation: Operation): void {
  const refusal = scopeError(actor, operation);
  if (refusal) throw refusal;
}

/** @throws Forbidden when the operation is for administrators of the installation, and the actor is none */
export function assertInstallationAdmin(actor: Actor, { name, installation }: Operation): void {
  if (!installation || actor.installationAdmin) return;
  throw new Forbidden(`${name} is for administrators of the installation`, {
    remedy: 'Ask an administrator of this installation.',
  });
}

/** Why an actor who has this role, and the scopes of their token, may not do it; null when they may. */
export function permissionError(actor: Actor, operation: Operation, role: Role): Forbidden | null {
  return isRoleAtLeast(role, operation.needs) ? scopeError(actor, operation) : roleError(operation, role);
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

function roleError(operation: Operation, role: Role): Forbidden {
  const who = roleRank(operation.needs) >= roleRank('organization_admin') ? 'organization' : 'workspace';
  return new Forbidden(`${operation.name} needs the role ${operation.needs}; yours is ${role}`, {
    remedy: `Ask an admin of the ${who}.`,
  });
}
