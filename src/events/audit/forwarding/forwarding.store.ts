import { Injectable } from '@nestjs/common';
import { named } from '../../../core/database/statements.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';

/** A chain with entries to forward. */
export interface ChainBehind {
  chain: string;
  sequence: string;
}

const FIND = named(`SELECT c.chain, greatest(coalesce(f.sequence, 0), c.removed) AS sequence
  FROM audit_chain c LEFT JOIN audit_forwarding f USING (chain)
 WHERE c.last > coalesce(f.sequence, 0) AND c.last > c.removed ORDER BY c.chain LIMIT $1`);
const SAVE = named(`INSERT INTO audit_forwarding AS kept (chain, sequence) VALUES ($1, $2)
  ON CONFLICT (chain) DO UPDATE SET sequence = greatest(kept.sequence, excluded.sequence)`);

/** The forwarding position of each chain. Queries run as the system. */
@Injectable()
export class ForwardingStore {
  constructor(private readonly unit: UnitOfWork) {}

  findBehind(most: number): Promise<ChainBehind[]> {
    return this.unit.manager.query<ChainBehind[]>(FIND, [most]);
  }

  async save(chain: string, sequence: string): Promise<void> {
    await this.unit.manager.query(SAVE, [chain, sequence]);
  }
}
