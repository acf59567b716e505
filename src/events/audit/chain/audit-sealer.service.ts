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
/** Batches that one call seals, so that no reader waits without end. */
const MAX_BATCHES = 20;
const INTERVAL_MS = 1_000;
/**
 * Every so many times what waits is read from its beginning: a transaction that took long may be committed behind what has been sealed.
 * Otherwise it is read from where the time before the last ended: until the table is vacuumed, all that was removed would be passed over
 * again.
 */
const WHOLE_EVERY = 10;
const BEGINNING = '0';

/**
 * Closes the chains behind the writers: what has been committed gets its number and the hash that links it to the entry before.
 * One process at a time does so; a writer waits for nobody.
 */
@Injectable()
export class AuditSealer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('Audit');
  private timer?: NodeJS.Timeout;
  private times = 0;
  /** The positions in `audit_pending` up to which the last two times sealed. */
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

  /** Seals what has been committed until now; a reader who asks afterwards sees all of it. */
  async sealCommitted(): Promise<void> {
    await this.seal(BEGINNING, true);
  }

  /** The same however much it is, and however long that takes. @throws what the signal was aborted with */
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
          if (!isDatabaseOutage(error)) this.logger.error(error, 'the audit could not be sealed; it is tried again');
        })
        .finally(() => {
          if (this.timer) this.scheduleNext();
        });
    }, INTERVAL_MS);
    this.timer.unref();
  }

  private async sealNext(): Promise<void> {
    const isWhole = this.times++ % WHOLE_EVERY === 0;
    const [earlier, last] = this.ends;
    const end = await this.seal(isWhole ? BEGINNING : earlier, false);
    this.ends = [last, end];
  }

  /** @returns the position up to which it sealed */
  private async seal(after: string, waits: boolean): Promise<string> {
    let end = after;
    for (let batch = 0; batch < MAX_BATCHES; batch++) {
      const sealed = await this.sealBatch(end, waits);
      end = sealed?.end ?? end;
      if (!sealed?.hasMore) break;
    }
    return end;
  }

  /** @returns where it ended, and whether there was more to take; what is committed meanwhile waits for the next time */
  private sealBatch(after: string, waits: boolean): Promise<PendingBatch | null> {
    const context = { requestId: generateRequestId(), actor: Actor.system('audit') };
    return this.unit.runOutside(() =>
      runInRequestContext(context, async () => {
        // What another process seals at this moment is still seen here, and waited for.
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
    const ends = await this.chains.findRoom(begun.values());
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
  // Who does not see a record need not be known to those whose record it is: their name stays out of it, the id is there.
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
