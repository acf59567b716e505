import { Injectable, Logger } from '@nestjs/common';
import { newId } from '../../../core/database/base.entity.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { ListQuery } from '../../../core/listing/list-query.js';
import type { Page } from '../../../core/listing/page.js';
import { AuditCheckpoint, INSTALLATION_CHAIN } from '../audit.entity.js';
import { ChainSignatures } from '../chain/chain-signatures.service.js';
import { ChainsStore } from '../chain/chains.store.js';
import { AuditKeysService } from '../keys/audit-keys.service.js';
import { CheckpointsStore } from './checkpoints.store.js';

const BATCH = 500;

/** Signs the heads of chains. A third party can store them and verify later that earlier entries are unchanged. */
@Injectable()
export class CheckpointsService {
  private readonly logger = new Logger('Audit');

  constructor(
    private readonly store: CheckpointsStore,
    private readonly chains: ChainsStore,
    private readonly signatures: ChainSignatures,
    private readonly keys: AuditKeysService,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * Returns the signed current head of a chain, and signs it if necessary. Runs as the system.
   * @returns null when the chain is empty, or its end has no valid signature of this installation
   */
  sign(chain: string): Promise<AuditCheckpoint | null> {
    return this.unit.run(async () => {
      await this.chains.lock(true);
      const end = await this.chains.findEnd(chain);
      const { last: sequence, hash } = end;
      if (sequence === '0') return null;
      const signed = await this.store.find(chain, sequence);
      if (signed) return signed;
      if (!(await this.signatures.isValidEnd(end))) {
        this.logger.error(
          { chain, sequence },
          'the end of the audit chain is not signed by this installation: entries were replaced',
        );
        return null;
      }
      const head = { chain, sequence, hash, createdAt: new Date() };
      const signature = await this.keys.sign(head);
      return this.store.insert(Object.assign(new AuditCheckpoint(), { id: newId(), ...head, ...signature }));
    });
  }

  /** Returns a page of checkpoints, and the public keys of all. */
  async list(chain: string, query: ListQuery): Promise<{ page: Page<AuditCheckpoint>; keys: Map<string, string> }> {
    const page = await this.store.page(chain, query);
    return { page, keys: await this.keys.listPublic() };
  }

  /** Signs every chain that has new entries since its last checkpoint. */
  async signAll(signal?: AbortSignal): Promise<void> {
    for (let next: string | undefined = INSTALLATION_CHAIN; next !== undefined;) {
      const chains: string[] = await this.store.listUnsigned(next, BATCH + 1);
      for (const chain of chains.slice(0, BATCH)) {
        signal?.throwIfAborted();
        await this.sign(chain);
      }
      next = chains[BATCH];
    }
  }
}
