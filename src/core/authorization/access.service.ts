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

/** The kinds of records for which the view `access_role` contains roles. */
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

/** How records are seen by those who do not administer their organization. */
export interface GrantColumns {
  /** The column with the id of the record that roles are granted on; `id` without one. */
  column?: string;
  /** SQL condition for records that are visible without a role on them. */
  shared?: string;
}

/** Who may do what, answered from the view of roles and nothing else. */
@Injectable()
export class Access {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly memberships: Memberships,
  ) {}

  /** The strongest role of the actor on a record: in its organization, or granted on itself. */
  async roleOn(actor: Actor, resource: JudgedRecord): Promise<Role> {
    if (actor.isSystem) return 'owner';
    const inOrganization = await this.memberships.findRole(actor, resource.organizationId);
    // An admin of the organization has no stronger role on the records in it.
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
   * Reads a record in the open transaction and, in the same write, asks for the role on the record that the call was judged by. It is
   * most often the same one; its role is the one that the actor has after the record is locked.
   */
  async askRoleBeside<T>(actor: Actor, read: () => Promise<T>): Promise<[found: T, known?: KnownRole]> {
    const judged = currentRequest()?.judged;
    if (!judged || actor.isSystem || !this.unit.isOpen) return [await read()];
    const [found, role] = await this.unit.askTogether(read, () => this.roleOn(actor, judged));
    return [found, { on: judged, role }];
  }

  /**
   * @param known a role that was asked in this transaction, if it is on this record
   * @throws Forbidden when the actor's role, or the scopes of the token, do not reach, or PERSON_REQUIRED
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
   * asked first: who does sees all of them, and for everyone else the records are found by the ids that were granted.
   */
  async onlyVisibleIn<E extends ObjectLiteral>(
    rows: SelectQueryBuilder<E>,
    alias: string,
    type: ProtectedRecordType,
    actor: Actor,
    organizationId: string,
    { column = 'id', shared }: GrantColumns = {},
  ): Promise<SelectQueryBuilder<E>> {
    rows.andWhere(`${alias}.organization_id = :organizationId`, { organizationId });
    if (actor.isSystem) return rows;
    rows.setParameter('actorId', actor.userId);
    const role = await this.roleOn(actor, { type: 'organization', id: organizationId, organizationId });
    if (isRoleAtLeast(role, 'organization_admin')) return rows;
    const granted = `${alias}.${column} = ANY (ARRAY(${GRANTED}(:actorId, '${type}')))`;
    return rows.andWhere(shared ? `(${granted} OR ${shared})` : granted);
  }

  /** The organization that the actor is a member of, when it is their only one: a list that names none is a list of that one. */
  async findOnlyOrganization(actor: Actor): Promise<string | undefined> {
    if (actor.isSystem) return undefined;
    const rows = await this.unit.manager.query<{ id: string }[]>(
      `SELECT organizations_of($1, ${roleRank('member')}) AS id LIMIT 2`,
      [actor.userId],
    );
    return rows.length === 1 ? rows[0]?.id : undefined;
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

const GRANTED = 'SELECT granted_resources';

/** Whether a query has the records that a role was granted on, and not all of an organization. */
export const isNarrowedToGrants = <E extends ObjectLiteral>(rows: SelectQueryBuilder<E>): boolean =>
  rows.expressionMap.wheres.some(({ condition }) => typeof condition === 'string' && condition.includes(GRANTED));

const grantedSql = (alias: string, type: ProtectedRecordType, userId: string): string =>
  `${alias}.id IN (${GRANTED}(${userId}, '${type}'))`;

/**
 * SQL that holds for the rows which a user may see. Each part is asked once for a statement, not once for a row, and only when
 * the one before it does not hold: one organization where the user is an admin, all of them, and the records that a role was
 * granted on. All ask through a function, for planning the view itself takes longer than asking it.
 */
export function visibleSql(alias: string, type: ProtectedRecordType, userId: string): string {
  const concerned = `${alias}.organization_id = (SELECT concerned_organization(${userId}, ${roleRank('organization_admin')}))`;
  return `(${concerned} OR ${administeredSql(alias, userId)} OR ${grantedSql(alias, type, userId)})`;
}
