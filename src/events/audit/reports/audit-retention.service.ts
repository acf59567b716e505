import { Injectable } from '@nestjs/common';
import { Env } from '../../../core/config/env.js';
import { AuditEntriesStore } from '../audit-entries.store.js';
import { ChainsStore } from '../chain/chains.store.js';
import { CheckpointsStore } from './checkpoints.store.js';

const BATCH = 2_000;

/** What leaves the audit: entries that are too old, up to a signed head, and what entries say of a person. As the system. */
@Injectable()
export class AuditRetentionService {
  constructor(
    private readonly entries: AuditEntriesStore,
    private readonly chains: ChainsStore,
    private readonly checkpoints: CheckpointsStore,
    private readonly env: Env,
  ) {}

  /** Removes what is older than AUDIT_RETENTION; without it nothing is removed. */
  async prune(signal?: AbortSignal): Promise<void> {
    const seconds = this.env.AUDIT_RETENTION;
    if (seconds === undefined) return;
    for (const { chain, sequence } of await this.checkpoints.listExpired(seconds)) {
      let removed = 0;
      for (let some = BATCH; some === BATCH; removed += some) {
        signal?.throwIfAborted();
        some = await this.entries.prune(chain, sequence, BATCH);
      }
      if (removed > 0)
        await this.chains.addAct(
          { chain, action: 'audit.pruned', resourceType: 'audit', resourceId: chain },
          {
            through: sequence,
            entries: removed,
          },
        );
    }
  }

  /** @returns of how many entries something was erased */
  async erase(chain: string, userId: string): Promise<number> {
    const address = await this.chains.findAddress(userId);
    let erased = 0;
    for (let some = BATCH; some === BATCH; erased += some)
      some = await this.entries.erase(chain, userId, address ?? '', BATCH);
    await this.chains.addAct(
      { chain, action: 'audit.personal_data_erased', resourceType: 'user', resourceId: userId },
      { entries: erased },
    );
    return erased;
  }
}
