import { type EntityTarget, QueryFailedError, type Repository, type SelectQueryBuilder } from 'typeorm';
import { Conflict, Forbidden } from '../errors/app-error.js';
import type { ListQuery } from '../listing/list-query.js';
import type { Listing } from '../listing/listing.js';
import type { Page } from '../listing/page.js';
import { KeysetCache } from '../listing/keyset-cache.js';
import type { KeptList, ListSource } from '../listing/list-source.js';
import { paginate } from '../listing/paginate.js';
import type { BaseEntity } from './base.entity.js';
import { changedFields } from './changed-fields.js';
import { EntitySelect } from './entity-select.js';
import { EntityWrite, NO_ROW_CHANGED } from './entity-write.js';
import type { UnitOfWork } from './unit-of-work.js';
import { withArticle } from '../errors/wording.js';

const UNIQUE_VIOLATION = '23505';
/** The error of the row-level policies when a right is revoked while it is used. */
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

  /** Adds the record in one statement; times and revision are filled in from the database. */
  async insert(record: E): Promise<E> {
    const { manager, metadata } = this.repository;
    await this.write.insert(manager, metadata, record).catch((error: unknown) => this.rethrow(error));
    return record;
  }

  /**
   * Changes the record in one statement; its time of change and revision move with it.
   * @throws Forbidden when the policies let it change nothing, or the record is gone
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
   * Changes the record by a statement that is sent together with the commit of the open unit of work, so that nothing waits for its answer
   * alone. Its time of change and revision move when the unit has ended; what the unit still reads of the database is from before.
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
   * Changes what differs from the record as it is. Where nothing does, nothing is written, and its time of change and
   * revision stay.
   * @returns whether the record was changed
   */
  async change(record: E, change: Partial<E>): Promise<boolean> {
    const changed = changedFields(record, change);
    if (Object.keys(changed).length === 0) return false;
    await this.update(record, changed);
    return true;
  }

  /** The same as `change`, with `updateAtCommit`. */
  changeAtCommit(record: E, change: Partial<E>): boolean {
    const changed = changedFields(record, change);
    if (Object.keys(changed).length === 0) return false;
    this.updateAtCommit(record, changed);
    return true;
  }

  async softDelete(record: E): Promise<E> {
    return this.update(record, { deletedAt: new Date() } as Partial<E>);
  }

  /** The same as `softDelete`, with `updateAtCommit`. */
  softDeleteAtCommit(record: E): void {
    this.updateAtCommit(record, { deletedAt: new Date() } as Partial<E>);
  }

  /** The unique indexes on names are called `<table>_name`. */
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

  /** @param kept what is kept of all these records */
  protected paginate(
    rows: SelectQueryBuilder<E>,
    listing: Listing<E>,
    query: ListQuery,
    kept?: KeptList,
  ): Promise<Page<E>> {
    const { manager } = this.unit;
    const getMany: ListSource<E>['getMany'] = (page, options) => this.select.getMany(manager, page, options);
    return paginate(
      rows,
      listing,
      query,
      kept ? { getMany, kept: { ...kept, positions: this.positions } } : { getMany },
    );
  }

  /** The record that the query finds, if there is one. */
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

/** Sets these fields of a record, and names those that have a value. */
function assign<E extends BaseEntity>(record: E, change: Partial<E>): string[] {
  Object.assign(record, change);
  return Object.keys(change).filter((field) => change[field as keyof E] !== undefined);
}
