import type { EntityTarget, Repository, SelectQueryBuilder } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import type { ListQuery } from '../listing/list-query.js';
import type { Listing } from '../listing/listing.js';
import type { Page } from '../listing/page.js';
import { paginate } from '../listing/paginate.js';
import type { BaseEntity } from './base.entity.js';
import type { UnitOfWork } from './unit-of-work.js';

/** Where one kind of record is kept. Subclasses ask in the words of their domain; nothing else holds queries. */
export abstract class Store<E extends BaseEntity> {
  protected constructor(
    protected readonly unit: UnitOfWork,
    private readonly entity: EntityTarget<E>,
    protected readonly alias: string,
  ) {}

  /** Adds the record in one statement; times and revision are filled in from the database. */
  async insert(record: E): Promise<E> {
    await this.rows
      .createQueryBuilder()
      .insert()
      .values(record as QueryDeepPartialEntity<E>)
      .execute();
    return record;
  }

  /** Changes the record in one statement; its time of change and revision move with it. */
  async update(record: E, change: Partial<E>): Promise<E> {
    Object.assign(record, change);
    await this.rows
      .createQueryBuilder()
      .update()
      .set(change as QueryDeepPartialEntity<E>)
      .whereEntity(record)
      .execute();
    return record;
  }

  async softDelete(record: E): Promise<E> {
    return this.update(record, { deletedAt: new Date() } as Partial<E>);
  }

  protected get rows(): Repository<E> {
    return this.unit.manager.getRepository(this.entity);
  }

  protected paginate(rows: SelectQueryBuilder<E>, listing: Listing<E>, query: ListQuery): Promise<Page<E>> {
    return paginate(rows, listing, query, this.unit.isOpen);
  }

  protected select(): SelectQueryBuilder<E> {
    return this.rows.createQueryBuilder(this.alias);
  }
}
