import { type EntityTarget, QueryFailedError, type Repository, type SelectQueryBuilder } from 'typeorm';
import { Conflict, Forbidden } from '../errors/app-error.js';
import type { ListQuery } from '../listing/list-query.js';
import type { Listing } from '../listing/listing.js';
import type { Page } from '../listing/page.js';
import { KeysetCache } from '../listing/keyset-cache.js';
import type { StoredTotal, ListSource } from '../listing/list-source.js';
import { paginate } from '../listing/paginate.js';
import type { BaseEntity } from './base.entity.js';
import { changedFields } from './changed-fields.js';
import { EntitySelect } from './entity-select.js';
import { EntityWrite, NO_ROW_CHANGED } from './entity-write.js';
import type { UnitOfWork } from './unit-of-work.js';
import { withArticle } from '../errors/wording.js';

const UNIQUE_VIOLATION = '23505';
/** SQLSTATE of a violated row-level security policy, for instance when a role is revoked during the request. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** The repository of one kind of record. Subclasses offer methods in domain terms; only stores contain queries. */
export abstract class Store<E extends BaseEntity> {
  private readonly select = new EntitySelect<E>();
  private readonly write = new EntityWrite<E>();
  private readonly positions = new KeysetCache();

  protected constructor(
    protected readonly unit: UnitOfWork,
    private readonly entity: EntityTarget<E>,
    protected readonly alias: string,
  ) {}

  /** Inserts the record in one statement and assigns the values that the database generates. */
  async insert(record: E): Promise<E> {
    const { manager, metadata } = this.repository;
    await this.write.insert(manager, metadata, record).catch((error: unknown) => this.rethrow(error));
    return record;
  }

  /**
   * Updates the record, its `updatedAt` and its revision in one statement.
   * @throws Forbidden when the row-level security policies reject the change, or the record is gone
   */
  async update(record: E, change: Partial<E>): Promise<E> {
    const fields = assign(record, change);
    const { manager, metadata } = this.repository;
    const isChanged = await this.write
      .update(manager, metadata, record, fields)
      .catch((error: unknown) => this.rethrow(error));
    if (!isChanged) throw this.noLongerWritten();
    return record;
  }

  /**
   * Updates the record by a statement that is sent together with the commit, which saves a round trip. The record
   * has its new `updatedAt` and revision after the commit; queries in the unit of work return the old row.
   */
  updateAtCommit(record: E, change: Partial<E>): void {
    const fields = assign(record, change);
    const { manager, metadata } = this.repository;
    this.unit.withCommit(() => {
      const { text, values, fill } = this.write.makeCertainUpdate(manager, metadata, record, fields);
      return [{ text, values, onCommitted: fill, rethrow: (error) => this.rethrow(error) }];
    });
  }

  /**
   * Updates the fields that differ from the record; without differences it writes nothing.
   * @returns whether the record was changed
   */
  async change(record: E, change: Partial<E>): Promise<boolean> {
    const changed = changedFields(record, change);
    if (Object.keys(changed).length === 0) return false;
    await this.update(record, changed);
    return true;
  }

  /** Like `change`, but sent with the commit; see `updateAtCommit`. */
  changeAtCommit(record: E, change: Partial<E>): boolean {
    const changed = changedFields(record, change);
    if (Object.keys(changed).length === 0) return false;
    this.updateAtCommit(record, changed);
    return true;
  }

  async softDelete(record: E): Promise<E> {
    return this.update(record, { deletedAt: new Date() } as Partial<E>);
  }

  /** Like `softDelete`, but sent with the commit; see `updateAtCommit`. */
  softDeleteAtCommit(record: E): void {
    this.updateAtCommit(record, { deletedAt: new Date() } as Partial<E>);
  }

  /** Unique indexes on names are called `<table>_name`. */
  private rethrow(error: unknown): never {
    const cause =
      error instanceof QueryFailedError ? (error.driverError as { code?: string; constraint?: string }) : {};
    if (cause.code === INSUFFICIENT_PRIVILEGE || cause.code === NO_ROW_CHANGED) throw this.noLongerWritten(error);
    if (cause.code !== UNIQUE_VIOLATION || cause.constraint !== `${this.alias}_name`) throw error;
    throw new Conflict('NAME_TAKEN', `there is ${withArticle(this.alias)} of this name already`, {
      errors: [{ pointer: '/name', detail: 'is taken' }],
      remedy: 'Choose another name.',
    });
  }

  private noLongerWritten(cause?: unknown): Forbidden {
    const detail = `your right to write this ${this.alias} has ended`;
    return new Forbidden(detail, { remedy: 'Ask an admin of the organization.', cause });
  }

  protected get repository(): Repository<E> {
    return this.unit.manager.getRepository(this.entity);
  }

  /** @param stored the stored total and version of all these records */
  protected paginate(
    rows: SelectQueryBuilder<E>,
    listing: Listing<E>,
    query: ListQuery,
    stored?: StoredTotal,
  ): Promise<Page<E>> {
    const { manager } = this.unit;
    const getMany: ListSource<E>['getMany'] = (page, options) => this.select.getMany(manager, page, options);
    return paginate(
      rows,
      listing,
      query,
      stored ? { getMany, stored: { ...stored, positions: this.positions } } : { getMany },
    );
  }

  /** Returns the record that the query finds, or null. */
  protected getOne(rows: SelectQueryBuilder<E>): Promise<E | null> {
    return this.select.getOne(this.unit.manager, rows);
  }

  protected async getMany(rows: SelectQueryBuilder<E>): Promise<E[]> {
    return (await this.select.getMany(this.unit.manager, rows, { isNamed: true })).records;
  }

  protected createQueryBuilder(): SelectQueryBuilder<E> {
    return this.repository.createQueryBuilder(this.alias);
  }
}

/** Assigns the fields to the record. @returns the names of those that have a value */
function assign<E extends BaseEntity>(record: E, change: Partial<E>): string[] {
  Object.assign(record, change);
  return Object.keys(change).filter((field) => change[field as keyof E] !== undefined);
}
