import { Injectable } from '@nestjs/common';
import { Env } from '../../../core/config/env.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { AuditEntriesStore } from '../audit-entries.store.js';
import { ChainsStore } from '../chain/chains.store.js';
import { PendingRowsStore } from '../chain/pending-rows.store.js';
import { type PersonalIdentifiers, PersonalIdentifiersStore } from '../personal-identifiers.store.js';
import { CheckpointsStore } from './checkpoints.store.js';

const BATCH = 2_000;

/** What a pass of an erasure looks for: an account, and an address unless it is empty. */
interface ErasedName {
  /** Whose erasure it is. */
  userId: string;
  account: string;
  address: string;
}

/** Removes expired entries up to a signed head, and erases personal data. Runs as the system. */
@Injectable()
export class AuditRetentionService {
  constructor(
    private readonly entries: AuditEntriesStore,
    private readonly chains: ChainsStore,
    private readonly identifiers: PersonalIdentifiersStore,
    private readonly pending: PendingRowsStore,
    private readonly checkpoints: CheckpointsStore,
    private readonly unit: UnitOfWork,
    private readonly env: Env,
  ) {}

  /** Removes entries older than AUDIT_RETENTION; without the setting it has no effect. */
  async prune(signal?: AbortSignal): Promise<void> {
    const seconds = this.env.AUDIT_RETENTION;
    if (seconds === undefined) return;
    for (const { chain, sequence } of await this.checkpoints.listExpired(seconds)) {
      for (let some = BATCH; some === BATCH;) {
        signal?.throwIfAborted();
        some = await this.unit.run(() => this.removeSome(chain, sequence));
      }
    }
  }

  /** Removes a batch, in the open unit of work. Only the first batch adds an audit entry, so that a resumed removal adds no second one. */
  private async removeSome(chain: string, through: string): Promise<number> {
    await this.chains.lock(true);
    const { removed } = await this.chains.findEnd(chain);
    const entries = Number(BigInt(through) - BigInt(removed));
    const operation = { chain, action: 'audit.pruned', resourceType: 'audit', resourceId: chain };
    if (entries > 0) await this.pending.addOperation(operation, { through, entries });
    return this.entries.prune(chain, through, BATCH);
  }

  /**
   * @param person by what entries name the user; found by default
   * @returns the number of entries changed
   */
  async erase(chain: string, userId: string, person?: PersonalIdentifiers): Promise<number> {
    const { accounts, addresses } = person ?? (await this.identifiers.find(userId));
    let erased = await this.eraseAll(chain, { userId, account: userId, address: '' }, true);
    for (const account of accounts.slice(1))
      erased += await this.eraseAll(chain, { userId, account, address: '' }, false);
    for (const address of addresses) erased += await this.eraseAll(chain, { userId, account: userId, address }, false);
    return erased;
  }

  private async eraseAll(chain: string, named: ErasedName, isFirst: boolean): Promise<number> {
    let erased = 0;
    for (let some = BATCH; some === BATCH; erased += some)
      some = await this.unit.run(() => this.eraseSome(chain, named, isFirst && erased === 0));
    return erased;
  }

  /** Erases from a batch of entries and records the erasure, in the open unit of work. */
  private async eraseSome(chain: string, { userId, account, address }: ErasedName, isFirst: boolean): Promise<number> {
    const entries = await this.entries.erase(chain, account, address, BATCH);
    const operation = { chain, action: 'audit.personal_data_erased', resourceType: 'user', resourceId: userId };
    if (entries > 0 || isFirst) await this.pending.addOperation(operation, { entries });
    return entries;
  }
}
