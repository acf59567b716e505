import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { Access } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import { type Listing, recordOrderColumns } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { RecordStore } from '../../core/records/record.store.js';
import { Freeze } from './freeze.entity.js';

const listing: Listing<Freeze> = {
  alias: 'environment_freeze',
  pageSize: 20,
  order: recordOrderColumns('environment_freeze'),
  defaultOrder: 'created_at desc',
  search: ['environment_freeze.name'],
};

/** Freezes, for those who administer the organization. */
@Injectable()
export class FreezesStore extends RecordStore<Freeze> {
  constructor(
    unit: UnitOfWork,
    private readonly access: Access,
  ) {
    super(unit, Freeze, 'environment_freeze');
  }

  page(actor: Actor, environmentId: string, query: ListQuery): Promise<Page<Freeze>> {
    return this.paginate(this.ofEnvironment(this.visibleTo(actor), environmentId), listing, query);
  }

  count(environmentId: string): Promise<number> {
    return this.repository.countBy({ environmentId });
  }

  /** Those of an environment that may be active at this moment, for any caller. */
  findStarted(environmentId: string, at: Date): Promise<Freeze[]> {
    const started = this.ofEnvironment(this.createQueryBuilder(), environmentId)
      .andWhere('environment_freeze.starts_at <= :at', { at })
      .andWhere('(environment_freeze.recurrence IS NOT NULL OR environment_freeze.ends_at > :at)');
    return this.unit.runAsSystem('freezes of an environment', () => this.getMany(started));
  }

  protected override visibleTo(actor: Actor): SelectQueryBuilder<Freeze> {
    return this.access.onlyAdministered(this.createQueryBuilder(), 'environment_freeze', actor);
  }

  private ofEnvironment(rows: SelectQueryBuilder<Freeze>, environmentId: string): SelectQueryBuilder<Freeze> {
    return rows.andWhere('environment_freeze.environment_id = :environmentId', { environmentId });
  }
}
