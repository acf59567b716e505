import { Injectable } from '@nestjs/common';
import type { AuditChain } from '../audit.entity.js';

const MAX_CHAINS = 10_000;

/** An entry of a chain that is known by its hash. */
export type KnownHead = Pick<AuditChain, 'chain' | 'hash'> & { sequence: string };

/**
 * What this process sealed last in each chain. It is not in the database: who has the password of that can make a chain anew with its
 * hashes, and not what the process remembers.
 */
@Injectable()
export class SealedHeads {
  private readonly heads = new Map<string, KnownHead>();

  /** To be called once they are committed. Of very many chains those that were sealed longest ago are forgotten. */
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
