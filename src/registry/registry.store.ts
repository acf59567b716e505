import type { EntityTarget, SelectQueryBuilder } from 'typeorm';
import type { BaseEntity } from '../core/database/base.entity.js';
import { Store } from '../core/database/store.js';
import type { UnitOfWork } from '../core/database/unit-of-work.js';
import type { Listing } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import { walkAll } from '../core/listing/paginate.js';
import { slugOf } from './models/category.js';
import { orderWithSort, type RegistryListQuery, type RegistryScope, statusFor } from './registry-list-query.js';

/** SQL of who registered a model: `:registrant` is an id, a kind or a host name. */
export const BY_REGISTRANT =
  'registrant_id IN (SELECT id FROM registrant WHERE :registrant IN (id::text, kind, hostname))';

/** Where one kind of entity of the registry is kept; all are listed alike. */
export abstract class RegistryStore<E extends BaseEntity> extends Store<E> {
  protected constructor(
    unit: UnitOfWork,
    entity: EntityTarget<E>,
    private readonly listing: Listing<E>,
    /** How many are read at a time when all are asked for. */
    private readonly atOnce: number,
  ) {
    super(unit, entity, listing.alias);
  }

  page(query: RegistryListQuery, scope: RegistryScope): Promise<Page<E>> {
    return this.paginate(this.asked(query, scope), this.listing, { ...query, order: orderWithSort(query) });
  }

  all(query: RegistryListQuery, scope: RegistryScope): AsyncIterable<E[]> {
    return walkAll(this.asked(query, scope), this.listing, { ...query, order: orderWithSort(query) }, this.atOnce);
  }

  find(id: string): Promise<E | null> {
    return this.ofId(id).getOne();
  }

  /** The same, held until the end of the unit of work. */
  lock(id: string): Promise<E | null> {
    return this.ofId(id).setLock('pessimistic_write').getOne();
  }

  /** Those that a list is asked for, but for its search. */
  protected abstract asked(query: RegistryListQuery, scope: RegistryScope): SelectQueryBuilder<E>;

  private ofId(id: string): SelectQueryBuilder<E> {
    return this.select().where(`${this.alias}.id = :id`, { id });
  }
}

/** The same for what a model holds. */
export abstract class EntryStore<E extends BaseEntity> extends RegistryStore<E> {
  protected asked(query: RegistryListQuery, scope: RegistryScope): SelectQueryBuilder<E> {
    const rows = this.select();
    const status = statusFor(query, scope);
    if (status) rows.andWhere(status === 'enabled' ? `${this.alias}.listed` : `NOT ${this.alias}.listed`);
    if (scope.kind) rows.andWhere(`${this.alias}.kind = :kind`, { kind: scope.kind });
    const ofModel = [
      scope.category && 'category_slug = :slug',
      scope.model && 'name = :model',
      query.version && 'version = :version',
      query.registrant && BY_REGISTRANT,
    ].filter(Boolean);
    if (ofModel.length > 0)
      rows.andWhere(`${this.alias}.model_id IN (SELECT id FROM model WHERE ${ofModel.join(' AND ')})`, {
        slug: slugOf(scope.category ?? ''),
        model: scope.model,
        version: query.version,
        registrant: query.registrant?.toLowerCase(),
      });
    return rows;
  }

  /** All of a model, disabled ones too, in an order that stays. */
  protected ofModelBy(modelId: string, ...columns: string[]): Promise<E[]> {
    const rows = this.select().where(`${this.alias}.model_id = :modelId`, { modelId });
    for (const column of columns) rows.addOrderBy(`${this.alias}.${column}`);
    return rows.getMany();
  }
}
