import type { EntityTarget, SelectQueryBuilder } from 'typeorm';
import type { BaseEntity } from '../../core/database/base.entity.js';
import { Store } from '../../core/database/store.js';
import type { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Listing } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { iterateBatches } from '../../core/listing/paginate.js';
import { toCategorySlug } from '../../formats/definitions/category.js';
import { parseOrder, type RegistryListQuery, type RegistryScope, statusFilterOf } from './registry-list.query.js';

/** SQL condition on the registrant of a model: `:registrant` is an id, a kind or a host name. */
export const BY_REGISTRANT =
  'registrant_id IN (SELECT id FROM registrant WHERE :registrant IN (id::text, kind, hostname))';

/** The table of one kind of registry entity; all are listed the same way. */
export abstract class RegistryEntityStore<E extends BaseEntity> extends Store<E> {
  protected constructor(
    unit: UnitOfWork,
    entity: EntityTarget<E>,
    private readonly listing: Listing<E>,
    /** The number of rows read at a time when all are requested. */
    private readonly batchSize: number,
  ) {
    super(unit, entity, listing.alias);
  }

  page(query: RegistryListQuery, scope: RegistryScope): Promise<Page<E>> {
    return this.paginate(this.selectMatching(query, scope), this.listing, { ...query, order: parseOrder(query) });
  }

  readBatches(query: RegistryListQuery, scope: RegistryScope): AsyncIterable<E[]> {
    return iterateBatches(
      this.selectMatching(query, scope),
      this.listing,
      { ...query, order: parseOrder(query) },
      this.batchSize,
    );
  }

  find(id: string): Promise<E | null> {
    return this.getOne(this.selectById(id));
  }

  /** The same, locked until the end of the unit of work. */
  lock(id: string): Promise<E | null> {
    return this.getOne(this.selectById(id).setLock('pessimistic_write'));
  }

  /** The entities of a list, before its search. */
  protected abstract selectMatching(query: RegistryListQuery, scope: RegistryScope): SelectQueryBuilder<E>;

  private selectById(id: string): SelectQueryBuilder<E> {
    return this.createQueryBuilder().where(`${this.alias}.id = :id`, { id });
  }
}

/** The same for the entries of a model. */
export abstract class ModelEntryStore<E extends BaseEntity> extends RegistryEntityStore<E> {
  protected selectMatching(query: RegistryListQuery, scope: RegistryScope): SelectQueryBuilder<E> {
    const rows = this.createQueryBuilder();
    const status = statusFilterOf(query, scope);
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
        slug: toCategorySlug(scope.category ?? ''),
        model: scope.model,
        version: query.version,
        registrant: query.registrant?.toLowerCase(),
      });
    return rows;
  }

  /** All of a model, including disabled ones, in a stable order. */
  protected findByModelInOrder(modelId: string, ...columns: string[]): Promise<E[]> {
    const rows = this.createQueryBuilder().where(`${this.alias}.model_id = :modelId`, { modelId });
    for (const column of columns) rows.addOrderBy(`${this.alias}.${column}`);
    return rows.getMany();
  }
}
