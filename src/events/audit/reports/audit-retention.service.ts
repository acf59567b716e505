import { Injectable } from '@nestjs/common';
import { Env } from '../../../core/config/env.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { AuditEntriesStore } from '../audit-entries.store.js';
import { ChainsStore } from '../chain/chains.store.js';
import { PendingRowsStore } from '../chain/pending-rows.store.js';
import { PersonalIdentifiersStore } from '../personal-identifiers.store.js';
import { CheckpointsStore } from './checkpoints.store.js';

const BATCH = 2_000;

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
   * @param texts that name the person
   * @returns the number of entries changed
   */
  async erase(chain: string, userId: string, texts?: readonly string[]): Promise<number> {
    const named = texts ?? (await this.identifiers.list(userId));
    let erased = 0;
    // The first pass erases what is about the account by its id as well, also where no text names it.
    for (const [pass, text] of (named.length > 0 ? named : ['']).entries())
      for (let some = BATCH; some === BATCH; erased += some)
        some = await this.unit.run(() => this.eraseSome(chain, userId, text, pass === 0 && erased === 0));
    return erased;
  }

  /** Erases from a batch of entries and records the erasure, in the open unit of work. */
  private async eraseSome(chain: string, userId: string, text: string, isFirst: boolean): Promise<number> {
    const entries = await this.entries.erase(chain, userId, text, BATCH);
    const operation = { chain, action: 'audit.personal_data_erased', resourceType: 'user', resourceId: userId };
    if (entries > 0 || isFirst) await this.pending.addOperation(operation, { entries });
    return entries;
  }
}
