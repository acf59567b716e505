import type { Access, ProtectedRecord } from '../authorization/access.service.js';
import type { Actor } from '../access/actor.js';
import type { Operation } from '../access/policy.js';
import type { BaseEntity } from '../database/base.entity.js';
import { NotFound } from '../errors/app-error.js';
import type { UpdateInput } from '../rest/input.pipe.js';
import type { Precondition } from '../rest/precondition.js';
import { assertReadOnlyUnchanged } from '../rest/read-only-fields.js';
import type { RecordAuthorizer } from '../rest/rights/rights.decorators.js';
import type { RecordStore } from './record.store.js';

/** The operations that the gate checks itself. */
export type RecordPolicy = Record<'update', Operation> & Partial<Record<'restore', Operation>>;

/** The properties of one kind of record that the gate needs. */
export interface RecordKind<E extends BaseEntity, P extends RecordPolicy> {
  /** The name of the kind in errors. */
  name: string;
  policy: P;
  store: Pick<RecordStore<E>, 'find' | 'lock'>;
  /** Returns the record on which roles are checked: this one, or its owner. */
  getProtectedRecord: (record: E) => ProtectedRecord;
  /** Converts a record to the view of the API, at least the fields of the input. */
  toView: (record: E, input: UpdateInput, actor: Actor) => object | Promise<object>;
}

/**
 * Authorizes and prepares every change of records of one kind: finds the record as the actor sees it, locks it,
 * checks the permission, and compares it with the precondition of the caller.
 */
export abstract class RecordGate<E extends BaseEntity, P extends RecordPolicy> implements RecordAuthorizer {
  protected constructor(
    protected readonly access: Access,
    protected readonly kind: RecordKind<E, P>,
  ) {}

  /** @throws NotFound when the actor sees no such record */
  async get(actor: Actor, id: string): Promise<E> {
    return this.orNotFound(id, await this.kind.store.find(actor, id));
  }

  /** Authorizes a call before its body is parsed; finds deleted records for callers who may restore them. */
  async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    const withDeleted = operation === this.kind.policy.restore;
    const record = this.orNotFound(id, await this.kind.store.find(actor, id, withDeleted));
    await this.access.authorize(actor, operation, this.kind.getProtectedRecord(record));
  }

  /** @throws Forbidden when the actor may not perform the operation on the record */
  requireAccess(actor: Actor, operation: keyof P, record: E): Promise<void> {
    return this.access.authorize(actor, this.kind.policy[operation] as Operation, this.kind.getProtectedRecord(record));
  }

  /** Returns the record without a lock when the actor may perform the operation. @throws NotFound, Forbidden */
  async getAuthorized(actor: Actor, id: string, operation: keyof P): Promise<E> {
    return this.getJudged(actor, id, operation, () => this.get(actor, id));
  }

  /**
   * Starts a change: returns the record, locked until the end of the unit of work.
   * @throws NotFound, Forbidden, AppError 412
   */
  async getForUpdate(actor: Actor, id: string, operation: keyof P, match: Precondition): Promise<E> {
    const record = await this.getJudged(actor, id, operation, () => this.kind.store.lock(actor, id));
    match.assertMatches(record);
    return record;
  }

  /**
   * Starts a change by an input whose read-only fields must equal the stored values.
   * @throws InvalidRequest READ_ONLY_FIELD
   */
  async getForChange(actor: Actor, id: string, input: UpdateInput, match: Precondition): Promise<E> {
    const record = await this.getForUpdate(actor, id, 'update', match);
    assertReadOnlyUnchanged(input, await this.kind.toView(record, input, actor));
    return record;
  }

  /** Starts a restore: returns the record, deleted or not, locked. */
  protected async getForRestore(actor: Actor, id: string): Promise<E> {
    return this.getJudged(actor, id, 'restore', () => this.kind.store.lock(actor, id, true));
  }

  /** Reads and authorizes the record in one round trip. */
  private async getJudged(actor: Actor, id: string, operation: keyof P, read: () => Promise<E | null>): Promise<E> {
    const [found, known] = await this.access.readWithRole(actor, read);
    const record = this.orNotFound(id, found);
    const { policy, getProtectedRecord } = this.kind;
    await this.access.authorize(actor, policy[operation] as Operation, getProtectedRecord(record), known);
    return record;
  }

  protected orNotFound(id: string, record: E | null): E {
    if (!record) throw new NotFound(this.kind.name, id);
    return record;
  }
}
