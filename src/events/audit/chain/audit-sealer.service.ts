import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Actor } from '../../../core/access/actor.js';
import { newId } from '../../../core/database/base.entity.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { generateRequestId, runInRequestContext } from '../../../core/telemetry/request-context.js';
import { type AuditChain, AuditEntry } from '../audit.entity.js';
import { ChainSignatures } from './chain-signatures.service.js';
import { type AuditedAccount, ChainsStore } from './chains.store.js';
import { buildEntries, type UnsealedEntry } from './entry-builder.js';
import { hashEntry, saltText } from './entry-hash.js';
import { type PendingBatch, PendingRowsStore } from './pending-rows.store.js';
import { SealedHeads } from './sealed-heads.js';

const BATCH = 500;
/** The maximum number of batches of one call, so that readers do not wait indefinitely. */
const MAX_BATCHES = 20;
const INTERVAL_MS = 1_000;
/**
 * Every tenth run reads the pending rows from the first position, because a long transaction may commit rows before the position that was
 * sealed last. The other runs start where the run before the last one ended, to skip deleted rows that are not vacuumed yet.
 */
const WHOLE_EVERY = 10;
const BEGINNING = '0';

/**
 * Appends committed pending rows to the chains, with numbers and hashes. One process at a time does so, in the background, so that
 * writers never wait for the chain.
 */
@Injectable()
export class AuditSealer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Audit');
  private timer?: NodeJS.Timeout;
  private runs = 0;
  /** The positions in `audit_pending` at which the last two runs ended. */
  private ends: [earlier: string, last: string] = [BEGINNING, BEGINNING];
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly unit: UnitOfWork,
    private readonly pending: PendingRowsStore,
    private readonly chains: ChainsStore,
    private readonly signatures: ChainSignatures,
    private readonly heads: SealedHeads,
  ) {}

  onApplicationBootstrap(): void {
    this.scheduleNext();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    await this.running;
  }

  /** Seals the rows that are committed now, up to `MAX_BATCHES`, so that a following read sees them. */
  async sealCommitted(): Promise<void> {
    await this.seal(BEGINNING, true);
  }

  /** Like `sealCommitted`, without a limit. @throws the reason of the signal when it is aborted */
  async sealAllCommitted(signal: AbortSignal): Promise<void> {
    for (let sealed = await this.sealBatch(BEGINNING, true); sealed?.hasMore;) {
      signal.throwIfAborted();
      sealed = await this.sealBatch(sealed.end, true);
    }
  }

  private scheduleNext(): void {
    this.timer = setTimeout(() => {
      this.running = this.sealNext()
        .catch((error: unknown) => {
          if (!isDatabaseOutage(error)) this.logger.error(error, 'sealing the audit failed and will be retried');
        })
        .finally(() => {
          if (this.timer) this.scheduleNext();
        });
    }, INTERVAL_MS);
    this.timer.unref();
  }

  private async sealNext(): Promise<void> {
    const isWhole = this.runs++ % WHOLE_EVERY === 0;
    const [earlier, last] = this.ends;
    const end = await this.seal(isWhole ? BEGINNING : earlier, false);
    this.ends = [last, end];
  }

  /** @returns the position of the last sealed row */
  private async seal(after: string, waits: boolean): Promise<string> {
    let end = after;
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const sealed = await this.sealBatch(end, waits);
      end = sealed?.end ?? end;
      if (!sealed?.hasMore) break;
    }
    return end;
  }

  /** @returns the sealed batch, or null when nothing is pending or another process holds the lock */
  private sealBatch(after: string, waits: boolean): Promise<PendingBatch | null> {
    const context = { requestId: generateRequestId(), actor: Actor.system('audit') };
    return this.unit.runOutside(() =>
      runInRequestContext(context, async () => {
        // This still finds rows that another process is sealing; the lock then waits for that process.
        if (!(await this.unit.run(() => this.pending.exist(after)))) return null;
        return this.unit.run(() => this.sealLocked(after, waits));
      }),
    );
  }

  private async sealLocked(after: string, waits: boolean): Promise<PendingBatch | null> {
    if (!(await this.chains.lock(waits))) return null;
    const batch = await this.pending.find(after, BATCH);
    if (batch.rows.length === 0) return null;
    await this.append(buildEntries(batch.rows));
    await this.pending.remove(batch.positions);
    return batch;
  }

  private async append(unsealed: UnsealedEntry[]): Promise<void> {
    const begun = await this.chains.findEnds([...new Set(unsealed.map(({ chain }) => chain))]);
    const ends = await this.chains.skipForeignEntries(begun.values());
    const people = unsealed.flatMap(({ actorId, onBehalfOf }) => [actorId, onBehalfOf]).filter((id) => id !== null);
    const accounts = await this.chains.findAccounts([...new Set(people)]);
    const entries = unsealed.map((each) => {
      const end = ends.get(each.chain) as AuditChain;
      const entry = toEntry(each, end, accounts);
      ends.set(each.chain, { ...end, last: entry.sequence, hash: entry.hash });
      return entry;
    });
    const signer = await this.signatures.createSigner();
    const signed = [...ends.values()].map((end) => signer.sign(begun.get(end.chain) as AuditChain, end));
    await this.chains.append(entries, signed);
    this.unit.afterCommit(() => this.heads.remember(signed));
  }
}

function toEntry(unsealed: UnsealedEntry, end: AuditChain, accounts: Map<string, AuditedAccount>): AuditEntry {
  const { personal: from, details: extra, ...fields } = unsealed;
  const account = accounts.get(unsealed.actorId ?? '');
  // A caller who may not see the record stays anonymous to its organization: the entry contains only the caller's id.
  const isStranger = unsealed.reason === 'NOT_FOUND';
  const personal = saltText({
    ...from,
    actor: isStranger ? undefined : account?.email,
    on_behalf_of: accounts.get(unsealed.onBehalfOf ?? '')?.email,
  });
  const details = saltText(extra);
  const entry = Object.assign(new AuditEntry(), fields, {
    id: newId(),
    actorKind: account?.kind === 'service' ? 'service_account' : unsealed.actorKind,
    sequence: String(BigInt(end.last) + 1n),
    previousHash: end.hash,
    personal: personal.text,
    personalSalt: personal.salt,
    personalDigest: personal.digest,
    details: details.text,
    detailsSalt: details.salt,
    detailsDigest: details.digest,
  } satisfies Partial<AuditEntry>);
  entry.hash = hashEntry(entry);
  return entry;
}
