import { Injectable } from '@nestjs/common';
import type { AuditChain } from '../audit.entity.js';

const MAX_CHAINS = 10_000;

/** The number and hash of an entry that a chain must contain. */
export type KnownHead = Pick<AuditChain, 'chain' | 'hash'> & { sequence: string };

/**
 * The last head of each chain that this process sealed, in memory: someone with the database password can rewrite a chain with its
 * hashes, but not these heads.
 */
@Injectable()
export class SealedHeads {
  private readonly heads = new Map<string, KnownHead>();

  /** Call it after the commit. Beyond `MAX_CHAINS` the least recently sealed chains are dropped. */
  remember(ends: Iterable<AuditChain>): void {
    for (const { chain, last: sequence, hash } of ends) {
      this.heads.delete(chain);
      this.heads.set(chain, { chain, sequence, hash });
    }
    for (const chain of this.heads.keys()) {
      if (this.heads.size <= MAX_CHAINS) return;
      this.heads.delete(chain);
    }
  }

  find(chain: string): KnownHead | undefined {
    return this.heads.get(chain);
  }
}
