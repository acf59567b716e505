import { Injectable } from '@nestjs/common';
import { newId } from '../../../core/database/base.entity.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { ListQuery } from '../../../core/listing/list-query.js';
import type { Page } from '../../../core/listing/page.js';
import { AuditCheckpoint } from '../audit.entity.js';
import { ChainsStore } from '../chain/chains.store.js';
import { CheckpointsStore } from './checkpoints.store.js';
import { SigningKeysService } from './signing-keys.service.js';

const BATCH = 500;

/** Signs the heads of chains, so that a third party can store them and verify later that nothing before them was changed. */
@Injectable()
export class CheckpointsService {
  constructor(
    private readonly store: CheckpointsStore,
    private readonly chains: ChainsStore,
    private readonly keys: SigningKeysService,
    private readonly unit: UnitOfWork,
  ) {}

  /** Signs the head of a chain as it is now, unless that is done. As the system. @returns null when the chain is empty */
  sign(chain: string): Promise<AuditCheckpoint | null> {
    return this.unit.run(async () => {
      await this.chains.lock(true);
      const { last: sequence, hash } = await this.chains.findEnd(chain);
      if (sequence === '0') return null;
      const signed = await this.store.find(chain, sequence);
      if (signed) return signed;
      const head = { chain, sequence, hash, createdAt: new Date() };
      const signature = await this.keys.sign(head);
      return this.store.insert(Object.assign(new AuditCheckpoint(), { id: newId(), ...head, ...signature }));
    });
  }

  /** A page of them, and the public keys of all. */
  async list(chain: string, query: ListQuery): Promise<{ page: Page<AuditCheckpoint>; keys: Map<string, string> }> {
    const page = await this.store.page(chain, query);
    const keys = await this.store.listKeys();
    return { page, keys: new Map(keys.map(({ id, publicKey }) => [id, publicKey])) };
  }

  /** Signs every chain that went on since. */
  async signAll(signal?: AbortSignal): Promise<void> {
    for (;;) {
      const chains = await this.store.listUnsigned(BATCH);
      for (const chain of chains) {
        signal?.throwIfAborted();
        await this.sign(chain);
      }
      if (chains.length < BATCH) return;
    }
  }
}
