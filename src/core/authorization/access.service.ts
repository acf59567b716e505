import { Injectable } from '@nestjs/common';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { named } from '../database/statements.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { currentRequest, type JudgedRecord } from '../telemetry/request-context.js';
import type { Actor } from '../access/actor.js';
import { Memberships } from './memberships.js';
import type { Operation } from '../access/policy.js';
import { isRoleAtLeast, roleRank, type Role, roleFromRank } from '../access/roles.js';
import { assertScope, permissionError } from './permission-errors.js';

/** The kinds of records with roles in the view `access_role`. */
export type ProtectedRecordType = 'organization' | 'workspace' | 'environment' | 'connection';

export interface ProtectedRecord {
  type: ProtectedRecordType;
  id: string;
  organizationId: string;
}

/** A role of an actor on a record. */
export interface KnownRole {
  on: JudgedRecord;
  role: Role;
}

const isSame = (one: JudgedRecord, other: JudgedRecord): boolean =>
  one.type === other.type && one.id === other.id && one.organizationId === other.organizationId;

const ROLE_ON = named('SELECT role_on($1, $2, $3, $4) AS role');

/** How a query grants visibility to actors who do not administer the organization. */
export interface GrantColumns {
  /** The column with the id of the record on which roles are granted; defaults to `id`. */
  column?: string;
  /** SQL condition for records that are visible without a role on them. */
  shared?: string;
}

/** A query that is restricted to what an actor may see. */
export interface VisibleRows<E extends ObjectLiteral> {
  rows: SelectQueryBuilder<E>;
  /** The actor sees every record of the organization. */
  seesAll: boolean;
}

/** Checks permissions against the view `access_role`. */
@Injectable()
export class Access {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly memberships: Memberships,
  ) {}

  /** Returns the actor's strongest role on a record, from its organization or granted on the record itself. */
  async roleOn(actor: Actor, resource: JudgedRecord): Promise<Role> {
    if (actor.isSystem) return 'owner';
    const inOrganization = await this.memberships.findRole(actor, resource.organizationId);
    // An organization admin has no stronger role on records of the organization.
    if (inOrganization && (resource.type === 'organization' || isRoleAtLeast(inOrganization, 'organization_admin')))
      return inOrganization;
    const [row] = await this.unit.manager.query<{ role: number | null }[]>(ROLE_ON, [
      actor.userId,
      resource.organizationId,
      resource.type,
      resource.id,
    ]);
    return roleFromRank(row?.role);
  }

  /**
   * Runs `read` in the open transaction and, in the same round trip, queries the actor's role on the record by
   * which the guard authorized the request. That is usually the record that `read` locks, and the role is current
   * after the lock.
   */
  async readWithRole<T>(actor: Actor, read: () => Promise<T>): Promise<[found: T, known?: KnownRole]> {
    const judged = currentRequest()?.judged;
    if (!judged || actor.isSystem || !this.unit.isOpen) return [await read()];
    const [found, role] = await this.unit.queryTogether(read, () => this.roleOn(actor, judged));
    return [found, { on: judged, role }];
  }

  /**
   * Checks that the actor may perform an operation.
   * @param known a role that was queried in this transaction; ignored when it is on another record
   * @throws Forbidden when the role or the token's scopes do not suffice, or PERSON_REQUIRED
   */
  async authorize(actor: Actor, operation: Operation, resource: ProtectedRecord, known?: KnownRole): Promise<void> {
    const request = currentRequest();
    if (request) request.judged = resource;
    assertScope(actor, operation);
    const role = known && isSame(known.on, resource) ? known.role : await this.roleOn(actor, resource);
    const refusal = permissionError(actor, operation, role);
    if (refusal) throw refusal;
    if (request) request.organizationId = resource.organizationId;
  }

  /** Restricts a query to the records that the actor may see; `alias` has the columns `id` and `organization_id`. */
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
   * Restricts a query to the visible records of one organization. Organization admins see all of them; for other
   * actors the query joins the ids of records with a grant.
   */
  async onlyVisibleIn<E extends ObjectLiteral>(
    rows: SelectQueryBuilder<E>,
    alias: string,
    type: ProtectedRecordType,
    actor: Actor,
    organizationId: string,
    { column = 'id', shared }: GrantColumns = {},
  ): Promise<VisibleRows<E>> {
    rows.andWhere(`${alias}.organization_id = :organizationId`, { organizationId });
    if (actor.isSystem) return { rows, seesAll: true };
    rows.setParameter('actorId', actor.userId);
    const role = await this.roleOn(actor, { type: 'organization', id: organizationId, organizationId });
    if (isRoleAtLeast(role, 'organization_admin')) return { rows, seesAll: true };
    const granted = `${alias}.${column} = ANY (ARRAY(SELECT granted_resources(:actorId, '${type}')))`;
    rows.andWhere(shared ? `(${granted} OR ${shared})` : granted);
    return { rows, seesAll: false };
  }

  /** Returns the organization of an actor who is a member of exactly one: the default for lists that name none. */
  async findOnlyOrganization(actor: Actor): Promise<string | undefined> {
    if (actor.isSystem) return undefined;
    const rows = await this.unit.manager.query<{ id: string }[]>(
      `SELECT organizations_of($1, ${roleRank('member')}) AS id LIMIT 2`,
      [actor.userId],
    );
    return rows.length === 1 ? rows[0]?.id : undefined;
  }

  /** Restricts a query to records of organizations that the actor administers. */
  onlyAdministered<E extends ObjectLiteral>(
    rows: SelectQueryBuilder<E>,
    alias: string,
    actor: Actor,
  ): SelectQueryBuilder<E> {
    if (actor.isSystem) return rows;
    return rows.andWhere(`(${administeredSql(alias, ':actorId')})`, { actorId: actor.userId });
  }
}

/**
 * Compares with an array, which PostgreSQL evaluates once per statement: the count costs an admin the same as
 * without the condition.
 */
export const administeredSql = (alias: string, userId: string): string =>
  `${alias}.organization_id = ANY (ARRAY(${administeredOrganizationsSql(userId)}))`;

const administeredOrganizationsSql = (userId: string): string =>
  `SELECT organizations_of(${userId}, ${roleRank('organization_admin')})`;

const grantedSql = (alias: string, type: ProtectedRecordType, userId: string): string =>
  `${alias}.id IN (SELECT granted_resources(${userId}, '${type}'))`;

/**
 * Returns the SQL condition for rows that a user may see: rows of the given organization where the user is an admin,
 * rows of all organizations that the user administers, or rows with a grant. PostgreSQL evaluates each part at most
 * once per statement, and only when the previous one is false. All parts call functions, because planning the view
 * takes longer than calling them.
 */
export function visibleSql(alias: string, type: ProtectedRecordType, userId: string): string {
  const concerned = `${alias}.organization_id = (SELECT concerned_organization(${userId}, ${roleRank('organization_admin')}))`;
  return `(${concerned} OR ${administeredSql(alias, userId)} OR ${grantedSql(alias, type, userId)})`;
}
