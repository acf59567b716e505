import { Injectable } from '@nestjs/common';
import { Actor } from '../../../core/access/actor.js';
import { NdjsonDownload, toLine } from '../../../core/rest/ndjson-download.js';
import { currentRequest, generateRequestId } from '../../../core/telemetry/request-context.js';
import { AuditEntriesStore } from '../audit-entries.store.js';
import type { AuditChain, AuditCheckpoint, AuditEntry } from '../audit.entity.js';
import type { AuditFilter } from '../audit.inputs.js';
import { ChainsStore } from '../chain/chains.store.js';
import { GENESIS, hashedMembers } from '../chain/entry-hash.js';
import { AuditKeysService } from '../keys/audit-keys.service.js';
import { CheckpointsStore } from './checkpoints.store.js';

const BATCH = 500;
const FORMAT_VERSION = 1;

/** Exports a chain as a self-contained file that `scripts/verify-audit.mjs` verifies. Runs as the system. */
@Injectable()
export class ExportService {
  constructor(
    private readonly entries: AuditEntriesStore,
    private readonly chains: ChainsStore,
    private readonly checkpoints: CheckpointsStore,
    private readonly keys: AuditKeysService,
  ) {}

  /**
   * @param head the signed head at which the export ends
   * @param authorize checks the caller's right again before each batch, since it may be revoked during the export
   */
  async export(
    chain: string,
    head: AuditCheckpoint | null,
    filter: AuditFilter,
    authorize: () => Promise<void>,
  ): Promise<NdjsonDownload> {
    this.entries.assertFilter(chain, filter);
    const now = await this.chains.findEnd(chain);
    const end = head ? { ...now, last: head.sequence, hash: head.hash } : now;
    const name = `audit-${chain}-${end.last}.ndjson`;
    // Personal data may be erased between exports: the request id in the ETag prevents the reuse of cached responses.
    const revision = `${end.last}-${currentRequest()?.requestId ?? generateRequestId()}`;
    const context = { ...currentRequest(), requestId: generateRequestId(), actor: Actor.system('export of the audit') };
    return new NdjsonDownload(revision, name, this.generate(chain, end, filter, authorize), context);
  }

  private async *generate(
    chain: string,
    end: AuditChain,
    filter: AuditFilter,
    authorize: () => Promise<void>,
  ): AsyncGenerator<string> {
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
    const isWhole = Object.keys(given).length === 0;
    const anchor = end.removed === '0' ? null : await this.checkpoints.find(chain, end.removed);
    const keys = await this.keys.listPublic();
    yield toLine({
      type: 'header',
      version: FORMAT_VERSION,
      chain,
      exported_at: new Date().toISOString(),
      removed_through: end.removed,
      previous_hash: anchor?.hash ?? GENESIS,
      anchor: anchor && checkpointMembers(anchor),
      filter: isWhole ? null : given,
      head: { sequence: end.last, hash: end.last === '0' ? GENESIS : end.hash },
      keys: [...keys].map(([id, publicKey]) => ({ id, public_key: publicKey })),
    });
    let count = 0;
    for (let after = end.removed; ;) {
      await authorize();
      const batch = (await this.entries.readAfter(chain, after, BATCH, given)).filter(
        ({ sequence }) => BigInt(sequence) <= BigInt(end.last),
      );
      const last = batch.at(-1)?.sequence;
      if (last === undefined) break;
      const signed = isWhole ? await this.checkpoints.findBetween(chain, after, last) : [];
      const bySequence = new Map(signed.map((checkpoint) => [checkpoint.sequence, checkpoint]));
      yield batch.map((entry) => toEntryLine(entry) + toSignatureLine(bySequence.get(entry.sequence))).join('');
      count += batch.length;
      after = last;
    }
    yield toLine({ type: 'end', entries: count });
  }
}

/** Writes the erasable parts exactly as they were hashed. */
function toEntryLine(entry: AuditEntry): string {
  const { hash, personalSalt, detailsSalt } = entry;
  const sealed = JSON.stringify({
    type: 'entry',
    ...hashedMembers(entry),
    hash,
    personal_salt: personalSalt,
    details_salt: detailsSalt,
  });
  return `${sealed.slice(0, -1)},"personal":${entry.personal ?? 'null'},"details":${entry.details ?? 'null'}}\n`;
}

const toSignatureLine = (checkpoint: AuditCheckpoint | undefined): string =>
  checkpoint ? toLine({ type: 'checkpoint', ...checkpointMembers(checkpoint) }) : '';

export const checkpointMembers = (checkpoint: AuditCheckpoint): Record<string, unknown> => ({
  chain: checkpoint.chain,
  sequence: checkpoint.sequence,
  hash: checkpoint.hash,
  created_at: checkpoint.createdAt.toISOString(),
  key_id: checkpoint.keyId,
  signature: checkpoint.signature,
});
