import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import type { CatalogQuery } from '../catalog/catalog.inputs.js';
import { applyCatalogFilters } from '../catalog/apply-catalog-filters.js';
import { Access } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { deletedAtFilter } from '../core/authorization/deleted-at-filter.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { ListQuery } from '../core/listing/list-query.js';
import { equalsFilter, type Listing, recordOrderColumns } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import type { WorkspaceOwnedScope } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { WorkspaceOwnedStore } from '../workspaces/workspace-owned/workspace-owned.store.js';
import { Filter } from './filter.entity.js';
import { filterPolicy } from './filter.policy.js';

const catalogListing: Listing<Filter> = {
  alias: 'filter',
  pageSize: 10,
  order: {
    ...recordOrderColumns('filter'),
    clone_count: { sql: 'filter.clone_count', type: 'bigint', getValue: (filter) => filter.cloneCount },
    download_count: { sql: 'filter.download_count', type: 'bigint', getValue: (filter) => filter.downloadCount },
  },
  defaultOrder: 'created_at desc',
  search: ['filter.name'],
};

const listing: Listing<Filter> = {
  ...catalogListing,
  searchFunction: 'search_filter',
  filter: {
    name: equalsFilter('name', 'filter.name'),
    user_id: equalsFilter('user_id', 'filter.user_id::text'),
    deleted_at: deletedAtFilter('filter', filterPolicy.restore.needs, 'workspace_id'),
  },
  filterDefaults: { deleted_at: false },
};

/** The sealed columns of a filter. */
export type SealedPart = 'content' | 'resource';

/** Filters, and published filters. */
@Injectable()
export class FiltersStore extends WorkspaceOwnedStore<Filter> {
  constructor(unit: UnitOfWork, access: Access) {
    super(unit, access, Filter, 'filter');
  }

  /** Filters of other organizations are not listed: the catalog has the published ones. */
  async page(actor: Actor, scope: WorkspaceOwnedScope, query: ListQuery): Promise<Page<Filter>> {
    const visible = await this.selectInScope(actor, scope);
    return this.paginate(visible.rows, listing, query, this.storedTotal(visible, scope));
  }

  /** Published filters, of any publisher. */
  pageOfCatalog(query: CatalogQuery): Promise<Page<Filter>> {
    const rows = this.createQueryBuilder().andWhere(IS_PUBLISHED);
    applyCatalogFilters(rows, 'filter', query);
    return this.paginate(rows, catalogListing, query);
  }

  findPublished(id: string): Promise<Filter | null> {
    return this.createQueryBuilder().andWhere(IS_PUBLISHED).andWhere('filter.id = :id', { id }).getOne();
  }

  /** The sealed modules or configurations of these filters, by filter id. */
  async findSealed(ids: readonly string[], part: SealedPart): Promise<Map<string, Buffer>> {
    const found = await this.selectByIds(ids)
      .select(['filter.id', `filter.${part}`])
      .getMany();
    return new Map(found.flatMap(({ id, [part]: sealed }) => (sealed ? [[id, sealed] as const] : [])));
  }

  /** Total bytes of the sealed modules or configurations of these filters. */
  async sumSealedBytes(ids: readonly string[], part: SealedPart): Promise<number> {
    const sum = this.selectByIds(ids).select(`sum(octet_length(filter.${part}))`, 'sum');
    return Number((await sum.getRawOne<{ sum: string | null }>())?.sum ?? 0);
  }

  private selectByIds(ids: readonly string[]): SelectQueryBuilder<Filter> {
    return this.createQueryBuilder().withDeleted().where('filter.id = ANY(:ids)', { ids });
  }
}

/** SQL condition: published, in a workspace that is not archived. */
const IS_PUBLISHED = `(filter.visibility = 'public' AND filter.deleted_at IS NULL
  AND filter.workspace_id IN (SELECT id FROM active_workspace))`;
