import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { CatalogQuery } from '../catalog/catalog.inputs.js';
import { narrowCatalog } from '../catalog/narrow-catalog.js';
import { administeredOf } from '../core/access/access.js';
import type { Actor } from '../core/access/actor.js';
import { Store } from '../core/database/store.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { chosen, equals, type Listing, recordOrder } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import type { Visibility } from '../designs/design.entity.js';
import { Filter } from './filter.entity.js';

const catalog: Listing<Filter> = {
  alias: 'filter',
  pageSize: 10,
  order: {
    ...recordOrder('filter'),
    clone_count: { sql: 'filter.clone_count', type: 'bigint', of: (filter) => filter.cloneCount },
    download_count: { sql: 'filter.download_count', type: 'bigint', of: (filter) => filter.downloadCount },
  },
  defaultOrder: 'created_at desc',
  search: ['filter.name'],
};

const listing: Listing<Filter> = {
  ...catalog,
  filter: {
    name: equals('name', 'filter.name'),
    user_id: equals('user_id', 'filter.user_id::text'),
    deleted_at: chosen('deleted_at', (rows, deleted) =>
      rows.withDeleted().andWhere(`filter.deleted_at IS ${deleted ? 'NOT NULL' : 'NULL'}`),
    ),
  },
  filterDefaults: { deleted_at: false },
};

/** What narrows a list of filters beside the query that every list has. */
export interface FilterScope {
  organizationId?: string;
  workspaceId?: string;
  visibility?: Visibility[];
  from?: Date;
  to?: Date;
  updatedAfter?: Date;
}

/** Filters as their readers see them: those of their workspaces, what others share with the organization; and the catalog. */
@Injectable()
export class FiltersStore extends Store<Filter> {
  constructor(unit: UnitOfWork) {
    super(unit, Filter, 'filter');
  }

  /** Of other organizations' filters none is listed: the published ones are in the catalog. */
  page(actor: Actor, scope: FilterScope, query: ListQuery): Promise<Page<Filter>> {
    const rows = this.visibleTo(actor);
    if (scope.organizationId) rows.andWhere('filter.organization_id = :organizationId', scope);
    if (scope.workspaceId) rows.andWhere('filter.workspace_id = :workspaceId', scope);
    if (scope.visibility) rows.andWhere('filter.visibility = ANY(:visibility)', scope);
    if (scope.from) rows.andWhere('filter.created_at >= :from', scope);
    if (scope.to) rows.andWhere('filter.created_at < :to', scope);
    if (scope.updatedAfter) rows.andWhere('filter.updated_at > :updatedAfter', scope);
    return this.paginate(rows, listing, query);
  }

  /** What is published, whoever published it. */
  catalog(query: CatalogQuery): Promise<Page<Filter>> {
    const rows = this.select().andWhere(PUBLISHED);
    narrowCatalog(rows, 'filter', query);
    return this.paginate(rows, catalog, query);
  }

  find(actor: Actor, id: string): Promise<Filter | null> {
    return this.visibleTo(actor).andWhere('filter.id = :id', { id }).getOne();
  }

  findPublished(id: string): Promise<Filter | null> {
    return this.select().andWhere(PUBLISHED).andWhere('filter.id = :id', { id }).getOne();
  }

  lock(actor: Actor, id: string): Promise<Filter | null> {
    return this.visibleTo(actor).andWhere('filter.id = :id', { id }).setLock('pessimistic_write').getOne();
  }

  /** Also when it has been deleted; held until the end of the unit of work when that is wanted. */
  findWithDeleted(actor: Actor, id: string, hold = false): Promise<Filter | null> {
    const rows = this.visibleTo(actor).withDeleted().andWhere('filter.id = :id', { id });
    return (hold ? rows.setLock('pessimistic_write') : rows).getOne();
  }

  /** The sealed modules of these filters, by their ids. */
  async contents(ids: readonly string[]): Promise<Map<string, Buffer>> {
    const rows = this.these(ids).select(['filter.id', 'filter.content']);
    const found = await rows.getMany();
    return new Map(found.map(({ id, content }) => [id, content]));
  }

  /** Bytes of the modules of these filters, unpacked. */
  async bytesOf(ids: readonly string[]): Promise<number> {
    const sum = await this.these(ids).select('sum(filter.size)', 'sum').getRawOne<{ sum: string | null }>();
    return Number(sum?.sum ?? 0);
  }

  /** Hides every filter of a workspace with it. */
  async softDeleteOf(workspaceId: string, at: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE filter SET deleted_at = $2, updated_at = now(), revision = revision + 1 WHERE workspace_id = $1 AND deleted_at IS NULL`,
      [workspaceId, at],
    );
  }

  /** Brings back the filters that were hidden with their workspace. */
  async restoreOf(workspaceId: string, deletedAt: Date): Promise<void> {
    await this.unit.manager.query(
      `UPDATE filter SET deleted_at = NULL, updated_at = now(), revision = revision + 1 WHERE workspace_id = $1 AND deleted_at = $2`,
      [workspaceId, deletedAt],
    );
  }

  async count(id: string, what: 'clone_count' | 'download_count'): Promise<void> {
    await this.unit.manager.query(`UPDATE filter SET ${what} = ${what} + 1 WHERE id = $1`, [id]);
  }

  private these(ids: readonly string[]): SelectQueryBuilder<Filter> {
    return this.select().withDeleted().where('filter.id = ANY(:ids)', { ids });
  }

  private visibleTo(actor: Actor): SelectQueryBuilder<Filter> {
    const rows = this.select();
    if (actor.isSystem) return rows;
    return rows.andWhere(`(${ADMINISTERED} OR ${GRANTED} OR ${SHARED})`, { actorId: actor.userId });
  }
}

const ADMINISTERED = administeredOf('filter', ':actorId');
const GRANTED = `filter.workspace_id IN (SELECT granted_resources(:actorId, 'workspace'))`;
const IN_ACTIVE_WORKSPACE = 'filter.workspace_id IN (SELECT id FROM active_workspace)';

/** Shared with the organization or with everyone, from a workspace that is not archived. */
const SHARED = `(filter.visibility <> 'workspace'
  AND filter.organization_id IN (SELECT granted_resources(:actorId, 'organization')) AND ${IN_ACTIVE_WORKSPACE})`;
/** Shared with everyone who is signed in, as long as the organization is there. */
const PUBLISHED = `(filter.visibility = 'public' AND filter.deleted_at IS NULL AND ${IN_ACTIVE_WORKSPACE}
  AND filter.organization_id IN (SELECT id FROM organization WHERE deleted_at IS NULL))`;
