import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Access } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { deletedAtFilter } from '../core/authorization/deleted-at-filter.js';
import { storedTotalOf } from '../core/authorization/stored-total.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { OrganizationListQuery } from '../core/listing/list-query.js';
import { equalsFilter, wordFilter, type Listing, recordOrderColumns } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import { RecordStore } from '../core/records/record.store.js';
import { ENVIRONMENT_STATUSES, TIERS, Environment } from './environment.entity.js';
import { environmentPolicy } from './environment.policy.js';

export const environmentListing: Listing<Environment> = {
  alias: 'environment',
  pageSize: 20,
  order: recordOrderColumns('environment'),
  defaultOrder: 'created_at desc',
  search: ['environment.name'],
  searchFunction: 'search_environment',
  filter: {
    name: equalsFilter('name', 'environment.name'),
    owner: equalsFilter('owner', 'environment.owner::text'),
    status: wordFilter('status', 'environment.status', ENVIRONMENT_STATUSES),
    tier: wordFilter('tier', 'environment.tier', TIERS),
    deleted_at: deletedAtFilter('environment', environmentPolicy.restore.needs),
  },
  filterDefaults: { deleted_at: false },
};

/** Environments that a user may see: those of organizations they administer, and those of their workspaces. */
@Injectable()
export class EnvironmentsStore extends RecordStore<Environment> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
  ) {
    super(unit, Environment, 'environment');
  }

  async page(actor: Actor, organizationId: string, query: OrganizationListQuery): Promise<Page<Environment>> {
    const visible = await this.access.onlyVisibleIn(
      this.createQueryBuilder(),
      'environment',
      'environment',
      actor,
      organizationId,
    );
    return this.paginate(visible.rows, environmentListing, query, storedTotalOf(visible, 'environment'));
  }

  protected override visibleTo(actor: Actor): SelectQueryBuilder<Environment> {
    return this.access.onlyVisible(this.createQueryBuilder(), 'environment', 'environment', actor);
  }
}
