import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { administeredOf } from '../core/access/access.js';
import type { Actor } from '../core/access/actor.js';
import { rank } from '../core/access/roles.js';
import { Store } from '../core/database/store.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { InvalidRequest } from '../core/errors/app-error.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { chosen, equals, type Listing, recordOrder } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import { Design, VISIBILITIES, type Visibility } from './design.entity.js';

const listing: Listing<Design> = {
  alias: 'design',
  pageSize: 10,
  order: recordOrder('design'),
  defaultOrder: 'created_at desc',
  search: ['design.name'],
  filter: {
    name: equals('name', 'design.name'),
    user_id: equals('user_id', 'design.user_id::text'),
    source_type: equals('source_type', 'design.source_type'),
    deleted_at: chosen('deleted_at', (rows, deleted) =>
      rows.withDeleted().andWhere(`design.deleted_at IS ${deleted ? 'NOT NULL' : 'NULL'}`),
    ),
  },
  filterDefaults: { deleted_at: false },
};

/** What narrows a list of designs beside the query that every list has. */
export interface DesignScope {
  organizationId?: string;
  workspaceId?: string;
  sourceType?: string;
  visibility?: Visibility[];
  from?: Date;
  to?: Date;
  updatedAfter?: Date;
}

/** Designs as their readers see them: those of their workspaces, and what others of the organization share with it. */
@Injectable()
export class DesignsStore extends Store<Design> {
  constructor(unit: UnitOfWork) {
    super(unit, Design, 'design');
  }

  page(actor: Actor, scope: DesignScope, query: ListQuery): Promise<Page<Design>> {
    const rows = this.visibleTo(actor);
    if (scope.organizationId) rows.andWhere('design.organization_id = :organizationId', scope);
    if (scope.workspaceId) rows.andWhere('design.workspace_id = :workspaceId', scope);
    if (scope.sourceType) rows.andWhere('design.source_type = :sourceType', scope);
    if (scope.visibility) rows.andWhere('design.visibility = ANY(:visibility)', scope);
    if (scope.from) rows.andWhere('design.created_at >= :from', scope);
    if (scope.to) rows.andWhere('design.created_at < :to', scope);
    if (scope.updatedAfter) rows.andWhere('design.updated_at > :updatedAfter', scope);
    return this.paginate(rows, listing, query);
  }

  find(actor: Actor, id: string): Promise<Design | null> {
    return this.visibleTo(actor).andWhere('design.id = :id', { id }).getOne();
  }

  lock(actor: Actor, id: string): Promise<Design | null> {
    return this.visibleTo(actor).andWhere('design.id = :id', { id }).setLock('pessimistic_write').getOne();
  }

  /** Also when it has been deleted; held until the end of the unit of work when that is wanted. */
  findWithDeleted(actor: Actor, id: string, hold = false): Promise<Design | null> {
    const rows = this.visibleTo(actor).withDeleted().andWhere('design.id = :id', { id });
    return (hold ? rows.setLock('pessimistic_write') : rows).getOne();
  }

  /** The designs of this name that the actor may change. */
  findEditable(actor: Actor, name: string): Promise<Design[]> {
    const rows = this.select().andWhere('design.name = :name', { name });
    if (!actor.isSystem)
      rows.andWhere(`(${administeredOf('design', ':actorId')} OR ${inGrantedWorkspace(rank('editor'))})`, {
        actorId: actor.userId,
      });
    return rows.orderBy('design.created_at').getMany();
  }

  /** How many there are in a workspace. */
  countIn(workspaceId: string): Promise<number> {
    return this.rows.countBy({ workspaceId });
  }

  /** Hides every design of a workspace with it. */
  async softDeleteOf(workspaceId: string, at: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE design SET deleted_at = $2, updated_at = now(), revision = revision + 1 WHERE workspace_id = $1 AND deleted_at IS NULL`,
      [workspaceId, at],
    );
  }

  /** Brings back the designs that were hidden with their workspace. */
  async restoreOf(workspaceId: string, deletedAt: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE design SET deleted_at = NULL, updated_at = now(), revision = revision + 1 WHERE workspace_id = $1 AND deleted_at = $2`,
      [workspaceId, deletedAt],
    );
  }

  async count(id: string, what: 'deployment_count' | 'clone_count' | 'download_count'): Promise<void> {
    await this.unit.manager.query(`UPDATE design SET ${what} = ${what} + 1 WHERE id = $1`, [id]);
  }

  private visibleTo(actor: Actor): SelectQueryBuilder<Design> {
    const rows = this.select();
    if (actor.isSystem) return rows;
    return rows.andWhere(
      `(${administeredOf('design', ':actorId')} OR ${inGrantedWorkspace(rank('viewer'))} OR ${SHARED})`,
      { actorId: actor.userId },
    );
  }
}

const inGrantedWorkspace = (least: number): string =>
  `design.workspace_id IN (SELECT resource_id FROM access_role
    WHERE user_id = :actorId AND resource_type = 'workspace' AND role >= ${least})`;

/** Shared with the organization, from a workspace that is not archived. */
const SHARED = `(design.visibility = 'organization'
  AND design.organization_id IN (SELECT granted_resources(:actorId, 'organization'))
  AND design.workspace_id IN (SELECT id FROM active_workspace))`;

/** @throws InvalidRequest naming the visibilities there are */
export function readVisibilities(given: string | string[] | undefined): Visibility[] | undefined {
  const wanted = [given ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .filter(Boolean);
  if (wanted.length === 0) return undefined;
  const found = VISIBILITIES.filter((visibility) => wanted.includes(visibility));
  if (found.length === new Set(wanted).size) return found;
  throw InvalidRequest.at('visibility', `must be some of ${VISIBILITIES.join(', ')}`);
}

/** @throws InvalidRequest naming the parameter that is no time */
export function readTime(name: string, text: string | undefined): Date | undefined {
  if (!text) return undefined;
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw InvalidRequest.at(name, 'must be an ISO 8601 timestamp');
  return time;
}
