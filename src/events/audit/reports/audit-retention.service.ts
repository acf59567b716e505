import { Injectable } from '@nestjs/common';
import { Env } from '../../../core/config/env.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { AuditEntriesStore } from '../audit-entries.store.js';
import { ChainsStore } from '../chain/chains.store.js';
import { PendingRowsStore } from '../chain/pending-rows.store.js';
import { CheckpointsStore } from './checkpoints.store.js';

const BATCH = 2_000;

/** What leaves the audit: entries that are too old, up to a signed head, and what entries say of a person. As the system. */
@Injectable()
export class AuditRetentionService {
  constructor(
    private readonly entries: AuditEntriesStore,
    private readonly chains: ChainsStore,
    private readonly pending: PendingRowsStore,
    private readonly checkpoints: CheckpointsStore,
    private readonly unit: UnitOfWork,
    private readonly env: Env,
  ) {}

  /** Removes what is older than AUDIT_RETENTION; without it nothing is removed. */
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

  /** In the open unit of work. The removal is written down with the first that goes: what is broken off goes on without another entry. */
  private async removeSome(chain: string, through: string): Promise<number> {
    await this.chains.lock(true);
    const { removed } = await this.chains.findEnd(chain);
    const entries = Number(BigInt(through) - BigInt(removed));
    const act = { chain, action: 'audit.pruned', resourceType: 'audit', resourceId: chain };
    if (entries > 0) await this.pending.addAct(act, { through, entries });
    return this.entries.prune(chain, through, BATCH);
  }

  /** @returns of how many entries something was erased */
  async erase(chain: string, userId: string): Promise<number> {
    const address = await this.chains.findAddress(userId);
    let erased = 0;
    for (let some = BATCH; some === BATCH; erased += some)
      some = await this.unit.run(() => this.eraseSome(chain, userId, address ?? '', erased === 0));
    return erased;
  }

  /** In the open unit of work: some entries, and the entry of their erasure. */
  private async eraseSome(chain: string, userId: string, address: string, isFirst: boolean): Promise<number> {
    const entries = await this.entries.erase(chain, userId, address, BATCH);
    const act = { chain, action: 'audit.personal_data_erased', resourceType: 'user', resourceId: userId };
    if (entries > 0 || isFirst) await this.pending.addAct(act, { entries });
    return entries;
  }
}
