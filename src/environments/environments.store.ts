import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Access } from '../core/access/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { Store } from '../core/database/store.js';
import { deletedAtFilter } from '../core/access/deleted-at-filter.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { ListQuery, OrganizationListQuery } from '../core/listing/list-query.js';
import { equalsFilter, type Listing, recordOrderColumns } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import { Environment } from './environment.entity.js';
import { environmentPolicy } from './environment.policy.js';

const listing: Listing<Environment> = {
  alias: 'environment',
  pageSize: 20,
  order: recordOrderColumns('environment'),
  defaultOrder: 'created_at desc',
  search: ['environment.name'],
  filter: {
    name: equalsFilter('name', 'environment.name'),
    owner: equalsFilter('owner', 'environment.owner::text'),
    status: equalsFilter('status', 'environment.status'),
    tier: equalsFilter('tier', 'environment.tier'),
    deleted_at: deletedAtFilter('environment', environmentPolicy.restore.needs),
  },
  filterDefaults: { deleted_at: false },
};

/** Environments as their viewers see them: those of organizations they administer, and those of their workspaces. */
@Injectable()
export class EnvironmentsStore extends Store<Environment> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
  ) {
    super(unit, Environment, 'environment');
  }

  page(actor: Actor, organizationId: string, query: OrganizationListQuery): Promise<Page<Environment>> {
    const rows = this.access.onlyVisibleIn(
      this.createQueryBuilder(),
      'environment',
      'environment',
      actor,
      organizationId,
    );
    return this.paginate(rows, listing, query);
  }

  pageOfWorkspace(actor: Actor, workspaceId: string, query: ListQuery): Promise<Page<Environment>> {
    const rows = this.visibleTo(actor).andWhere(
      `environment.id IN (SELECT environment_id FROM workspace_environment WHERE workspace_id = :workspaceId AND deleted_at IS NULL)`,
      { workspaceId },
    );
    return this.paginate(rows, listing, query);
  }

  /** Those of these ids that the actor may see, by id. */
  async findAll(actor: Actor, ids: readonly string[]): Promise<Map<string, Environment>> {
    const found = await this.visibleTo(actor).andWhere('environment.id = ANY(:ids)', { ids }).getMany();
    return new Map(found.map((each) => [each.id, each]));
  }

  find(actor: Actor, id: string, withDeleted = false): Promise<Environment | null> {
    const rows = this.visibleTo(actor).andWhere('environment.id = :id', { id });
    return (withDeleted ? rows.withDeleted() : rows).getOne();
  }

  /** The same, held until the end of the unit of work. */
  lock(actor: Actor, id: string): Promise<Environment | null> {
    return this.visibleTo(actor).andWhere('environment.id = :id', { id }).setLock('pessimistic_write').getOne();
  }

  /** Also when it has been deleted. */
  lockWithDeleted(actor: Actor, id: string): Promise<Environment | null> {
    return this.visibleTo(actor)
      .withDeleted()
      .andWhere('environment.id = :id', { id })
      .setLock('pessimistic_write')
      .getOne();
  }

  private visibleTo(actor: Actor): SelectQueryBuilder<Environment> {
    return this.access.onlyVisible(this.createQueryBuilder(), 'environment', 'environment', actor);
  }
}
