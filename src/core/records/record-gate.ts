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

/** The operations that the gate itself asks. */
export type RecordPolicy = Record<'update', Operation> & Partial<Record<'restore', Operation>>;

/** What the gate has to know of one kind of record. */
export interface RecordKind<E extends BaseEntity, P extends RecordPolicy> {
  /** What errors call a record of this kind. */
  name: string;
  policy: P;
  store: Pick<RecordStore<E>, 'find' | 'lock'>;
  /** The record on which the role of an actor counts: this one, or the one that owns it. */
  getProtectedRecord: (record: E) => ProtectedRecord;
  /** What readers see of a record, at least the fields that the input sends back. */
  toView: (record: E, input: UpdateInput, actor: Actor) => object | Promise<object>;
}

/**
 * The gate to the records of one kind. Every change of a record passes it: the record is found as the actor sees it and
 * locked, the right is asked, and the record is compared with what the caller has read of it.
 */
export abstract class RecordGate<E extends BaseEntity, P extends RecordPolicy> implements RecordAuthorizer {
  protected constructor(
    protected readonly access: Access,
    protected readonly kind: RecordKind<E, P>,
  ) {}

  /** @throws NotFound when there is none that the actor sees */
  async get(actor: Actor, id: string): Promise<E> {
    return this.orNotFound(id, await this.kind.store.find(actor, id));
  }

  /** Judges a call before its content is read; a deleted record is found for those who restore it. */
  async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    const withDeleted = operation === this.kind.policy.restore;
    const record = this.orNotFound(id, await this.kind.store.find(actor, id, withDeleted));
    await this.access.authorize(actor, operation, this.kind.getProtectedRecord(record));
  }

  /** @throws Forbidden when the actor may not do this with the record */
  requireAccess(actor: Actor, operation: keyof P, record: E): Promise<void> {
    return this.access.authorize(actor, this.kind.policy[operation] as Operation, this.kind.getProtectedRecord(record));
  }

  /** The record, when the actor may do this with it; nothing is locked. */
  async getAuthorized(actor: Actor, id: string, operation: keyof P): Promise<E> {
    return this.getJudged(actor, id, operation, () => this.get(actor, id));
  }

  /** Begins a change: the record, locked until the end of the unit of work. @throws NotFound, Forbidden, AppError 412 */
  async getForUpdate(actor: Actor, id: string, operation: keyof P, match: Precondition): Promise<E> {
    const record = await this.getJudged(actor, id, operation, () => this.kind.store.lock(actor, id));
    match.assertMatches(record);
    return record;
  }

  /** Begins a change by an input, whose read-only fields must be as they are stored. @throws InvalidRequest READ_ONLY_FIELD */
  async getForChange(actor: Actor, id: string, input: UpdateInput, match: Precondition): Promise<E> {
    const record = await this.getForUpdate(actor, id, 'update', match);
    assertReadOnlyUnchanged(input, await this.kind.toView(record, input, actor));
    return record;
  }

  /** Begins a restore: the record, deleted or not. */
  protected async getForRestore(actor: Actor, id: string): Promise<E> {
    return this.getJudged(actor, id, 'restore', () => this.kind.store.lock(actor, id, true));
  }

  /** The record that is read, when the actor may do this with it; both are asked of the database in one write. */
  private async getJudged(actor: Actor, id: string, operation: keyof P, read: () => Promise<E | null>): Promise<E> {
    const [found, known] = await this.access.askRoleBeside(actor, read);
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
