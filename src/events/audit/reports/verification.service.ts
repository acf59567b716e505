import { Injectable } from '@nestjs/common';
import { AuditEntriesStore } from '../audit-entries.store.js';
import type { AuditEntry } from '../audit.entity.js';
import { ChainSignatures } from '../chain/chain-signatures.service.js';
import { ChainsStore } from '../chain/chains.store.js';
import { findEntryFault, GENESIS } from '../chain/entry-hash.js';
import { SealedHeads } from '../chain/sealed-heads.js';
import { AuditKeysService } from '../keys/audit-keys.service.js';
import { CheckpointsStore } from './checkpoints.store.js';

const BATCH = 500;

export interface VerificationResult {
  valid: boolean;
  entries: number;
  erased: number;
  removed_through: string;
  head: { sequence: string; hash: string };
  first_invalid?: { sequence: string; id: string | null; detail: string };
}

/** A head that the caller stored outside of this installation. */
export interface KeptHead {
  sequence: string;
  hash: string;
}

export interface VerificationOptions {
  kept?: KeptHead;
  signal?: AbortSignal;
  onProgress?: (entries: number, last: string) => void;
}

/** Verifies a chain from its start to its end and reports the first fault. Runs as the system. */
@Injectable()
export class VerificationService {
  constructor(
    private readonly entries: AuditEntriesStore,
    private readonly chains: ChainsStore,
    private readonly checkpoints: CheckpointsStore,
    private readonly keys: AuditKeysService,
    private readonly signatures: ChainSignatures,
    private readonly heads: SealedHeads,
  ) {}

  async verify(chain: string, options: VerificationOptions = {}): Promise<VerificationResult> {
    // Read before the end, so that the end is never earlier than this head.
    const sealed = this.heads.find(chain);
    const end = await this.chains.findEnd(chain);
    const known = [
      ...(options.kept ? [{ ...options.kept, name: 'the checkpoint that you kept' }] : []),
      ...(sealed ? [{ ...sealed, name: 'the head that this server sealed last' }] : []),
    ];
    const walk = new ChainWalk(end.removed, end.last, known);
    const result = (): VerificationResult => ({
      valid: walk.fault === null,
      entries: walk.entries,
      erased: walk.erased,
      removed_through: end.removed,
      head: { sequence: walk.sequence, hash: walk.hash },
      ...(walk.fault ? { first_invalid: walk.fault } : {}),
    });
    if (end.removed !== '0') {
      const anchor = await this.checkpoints.find(chain, end.removed);
      const fault = anchor
        ? await this.keys.findFault(anchor)
        : 'the signed head before the remaining entries is missing';
      if (fault || !anchor) walk.fail(end.removed, null, fault ?? '');
      else walk.begin(anchor.hash);
    }
    while (!walk.fault && BigInt(walk.sequence) < BigInt(end.last)) {
      options.signal?.throwIfAborted();
      const from = walk.sequence;
      const batch = await this.entries.readAfter(chain, from, BATCH);
      for (const entry of batch) if (!walk.add(entry)) break;
      if (batch.length === 0) break;
      if (!walk.fault) await this.compareCheckpoints(chain, from, walk, batch);
      options.onProgress?.(walk.entries, end.last);
    }
    if (!walk.fault) walk.finish(end);
    const stray = walk.fault ? null : await this.chains.findStray(chain);
    if (stray) walk.fail(stray.sequence, stray.id, 'it is outside of the chain: it was inserted, or the end was moved');
    if (!walk.fault && !(await this.signatures.isValidEnd(end)))
      walk.fail(end.last, null, 'it is not signed by this installation as the end of the chain: entries were replaced');
    const newest = walk.fault ? null : await this.checkpoints.findLast(chain);
    if (newest && BigInt(newest.sequence) > BigInt(walk.sequence) && BigInt(newest.sequence) > BigInt(end.last))
      walk.fail(newest.sequence, null, 'it was signed as the head of the chain and is missing');
    return result();
  }

  /** Checks that the entries of checkpoints still have the signed hashes, and verifies the signatures. */
  private async compareCheckpoints(chain: string, from: string, walk: ChainWalk, batch: AuditEntry[]): Promise<void> {
    const hashes = new Map(batch.map(({ sequence, hash }) => [sequence, hash]));
    for (const checkpoint of await this.checkpoints.findBetween(chain, from, walk.sequence)) {
      const isSame = hashes.get(checkpoint.sequence) === checkpoint.hash;
      const fault = isSame ? await this.keys.findFault(checkpoint) : 'its hash is not the one that was signed';
      if (fault) return void walk.fail(checkpoint.sequence, null, fault);
    }
  }
}

/** The state of a verification: checks entries one after another. */
class ChainWalk {
  entries = 0;
  erased = 0;
  hash = GENESIS;
  fault: { sequence: string; id: string | null; detail: string } | null = null;

  constructor(
    public sequence: string,
    private readonly last: string,
    private readonly known: (KeptHead & { name: string })[],
  ) {}

  /** Starts after a signed head whose entry retention removed. */
  begin(hash: string): void {
    this.hash = hash;
    this.compareKnown(this.sequence, null, hash);
  }

  /** Checks the next entry. @returns false when it is invalid */
  add(entry: AuditEntry): boolean {
    if (BigInt(entry.sequence) > BigInt(this.last)) return false;
    const next = String(BigInt(this.sequence) + 1n);
    if (entry.sequence !== next) return this.fail(next, null, 'the entry is missing');
    if (entry.previousHash !== this.hash)
      return this.fail(next, entry.id, 'it does not follow the entry before: one of them was changed or inserted');
    const fault = findEntryFault(entry);
    if (fault) return this.fail(next, entry.id, fault);
    if (!this.compareKnown(next, entry.id, entry.hash)) return false;
    this.sequence = entry.sequence;
    this.hash = entry.hash;
    this.entries++;
    if (entry.personal === null || entry.details === null) this.erased++;
    return true;
  }

  finish(end: { last: string; hash: string }): void {
    const next = String(BigInt(this.sequence) + 1n);
    if (this.sequence !== end.last) this.fail(next, null, 'the entry is missing');
    else if (end.last !== '0' && this.hash !== end.hash)
      this.fail(end.last, null, 'its hash is not the one that the chain ended with');
    for (const { sequence, name } of this.known)
      if (BigInt(sequence) > BigInt(this.sequence)) this.fail(sequence, null, `the entry of ${name} is missing`);
  }

  private compareKnown(sequence: string, id: string | null, hash: string): boolean {
    const changed = this.known.find((head) => head.sequence === sequence && head.hash !== hash);
    return !changed || this.fail(sequence, id, `its hash is not the one of ${changed.name}`);
  }

  fail(sequence: string, id: string | null, detail: string): false {
    this.fault ??= { sequence, id, detail };
    return false;
  }
}
