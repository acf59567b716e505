import { type EntityTarget, QueryFailedError, type Repository, type SelectQueryBuilder } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { Conflict } from '../errors/app-error.js';
import type { ListQuery } from '../listing/list-query.js';
import type { Listing } from '../listing/listing.js';
import type { Page } from '../listing/page.js';
import { paginate } from '../listing/paginate.js';
import type { BaseEntity } from './base.entity.js';
import type { UnitOfWork } from './unit-of-work.js';

const UNIQUE_VIOLATION = '23505';

/** Where one kind of record is kept. Subclasses ask in the words of their domain; nothing else holds queries. */
export abstract class Store<E extends BaseEntity> {
  protected constructor(
    protected readonly unit: UnitOfWork,
    private readonly entity: EntityTarget<E>,
    protected readonly alias: string,
  ) {}

  /** Adds the record in one statement; times and revision are filled in from the database. */
  async insert(record: E): Promise<E> {
    const insert = this.repository
      .createQueryBuilder()
      .insert()
      .values(record as QueryDeepPartialEntity<E>);
    await insert.execute().catch((error: unknown) => this.rethrow(error));
    return record;
  }

  /** Changes the record in one statement; its time of change and revision move with it. */
  async update(record: E, change: Partial<E>): Promise<E> {
    Object.assign(record, change);
    const update = this.repository
      .createQueryBuilder()
      .update()
      .set(change as QueryDeepPartialEntity<E>)
      .whereEntity(record);
    await update.execute().catch((error: unknown) => this.rethrow(error));
    return record;
  }

  async softDelete(record: E): Promise<E> {
    return this.update(record, { deletedAt: new Date() } as Partial<E>);
  }

  /** The unique indexes on names are called `<table>_name`. */
  private rethrow(error: unknown): never {
    const cause =
      error instanceof QueryFailedError ? (error.driverError as { code?: string; constraint?: string }) : {};
    if (cause.code !== UNIQUE_VIOLATION || cause.constraint !== `${this.alias}_name`) throw error;
    throw new Conflict('NAME_TAKEN', `there is a ${this.alias} of this name already`, {
      errors: [{ pointer: '/name', detail: 'is taken' }],
      remedy: 'Choose another name.',
    });
  }

  protected get repository(): Repository<E> {
    return this.unit.manager.getRepository(this.entity);
  }

  protected paginate(rows: SelectQueryBuilder<E>, listing: Listing<E>, query: ListQuery): Promise<Page<E>> {
    return paginate(rows, listing, query, this.unit.isOpen);
  }

  protected createQueryBuilder(): SelectQueryBuilder<E> {
    return this.repository.createQueryBuilder(this.alias);
  }
}
