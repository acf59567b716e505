import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Vault } from '../crypto/vault.service.js';
import { named } from '../database/statements.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, Conflict } from '../errors/app-error.js';
import { Lease } from '../leases/lease.js';
import type { ChangeStatement } from '../telemetry/request-context.js';
import { TimeSlicer } from '../time-slicer.js';
import type { IdempotentCall } from './idempotent-call.js';
import { SerializedJson } from './serialized-json.js';

/** The stored response to a call. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface IdempotentRequest extends IdempotentCall {
  /** The digest of the parsed body. */
  body: string;
  files: Buffer[];
}

interface StoredRow {
  digest: string;
  answer: Buffer | null;
  isLost: boolean;
}

/** A claim on a key: its primary key (`caller`, `route`, `key`) and the request that holds it. */
export interface IdempotencyClaim {
  primaryKey: string[];
  claim: string;
  lease: Lease;
  /** The stored response; null when the call has to run. */
  earlier: StoredResponse | null;
}

/** The error code of a call that was committed, but whose response was lost. */
export const ANSWER_LOST = 'IDEMPOTENCY_ANSWER_LOST';
/** The lease of a claim; one that is not renewed has expired because its process died or is disconnected. */
export const LEASE_MS = 15_000;
const OWN_SQL = 'caller = $1 AND route = $2 AND key = $3 AND claim = $4';
const MARK_WRITE = named('SELECT mark_idempotent_write($1, $2, $3, $4)');
/** The SQLSTATE of the database function when another request holds the claim. */
const RAISED = 'P0001';

/** The number of bytes hashed in one turn of the event loop. */
const PIECE_BYTES = 1024 * 1024;
/** The maximum number of stored responses per caller, and their bytes; the oldest are deleted first. */
const MAX_STORED_RESPONSES = 2_000;
const MAX_STORED_BYTES = 50 * 1024 * 1024;
/** A process stores so much more of a caller before it deletes the oldest again: a twentieth of the maximum. */
const TRIM_AFTER_RESPONSES = MAX_STORED_RESPONSES / 20;
const TRIM_AFTER_BYTES = MAX_STORED_BYTES / 20;
/** The number of callers whose stored responses a process counts. */
const MAX_COUNTED_CALLERS = 10_000;

/** Stores encrypted responses to calls with an idempotency key for 24 hours. */
@Injectable()
export class IdempotencyKeysStore {
  /** What this process has stored of a caller since it deleted the oldest. */
  private readonly untrimmed = new Map<string, { responses: number; bytes: number }>();

  constructor(
    private readonly unit: UnitOfWork,
    private readonly vault: Vault,
  ) {}

  /**
   * Claims the key for this call, or returns the stored response. An expired claim without a response and without
   * committed changes is taken over.
   * @throws AppError 422 when the key was used with a different body
   * @throws Conflict while the first call is running, or when its response was lost after a commit
   */
  async claim(call: IdempotentRequest): Promise<IdempotencyClaim> {
    const digest = await hashParts([Buffer.from(call.body), ...call.files]);
    const primaryKey = [call.caller, hashRoute(call), call.key];
    const claim = randomUUID();
    const lease = new Lease(performance.now(), LEASE_MS);
    const claimed = await this.unit.manager.query<unknown[]>(
      `INSERT INTO idempotency_key AS k (caller, route, key, digest, claim, lease_until)
       VALUES ($1, $2, $3, $4, $5, now() + $6 * interval '1 millisecond')
       ON CONFLICT (caller, route, key) DO UPDATE SET digest = $4, answer = NULL, created_at = now(), claim = $5,
           lease_until = excluded.lease_until, has_written = false
         WHERE k.created_at < now() - interval '24 hours'
            OR (k.answer IS NULL AND k.digest = $4 AND NOT k.has_written AND k.lease_until < now())
       RETURNING key`,
      [...primaryKey, digest, claim, LEASE_MS],
    );
    return {
      primaryKey,
      claim,
      lease,
      earlier: claimed.length > 0 ? null : await this.findResponse(primaryKey, digest),
    };
  }

  /**
   * Builds the statement that marks the claim in each transaction of the call that writes; it fails the
   * transaction when another call has taken over the claim.
   */
  changeStatement({ primaryKey, claim }: IdempotencyClaim): ChangeStatement {
    const rethrow = (error: unknown): never => {
      if ((error as { code?: string }).code === RAISED) throw stillRunning();
      throw error;
    };
    return { text: MARK_WRITE, values: [...primaryKey, claim], rethrow, isOver: false };
  }

  async finish({ primaryKey, claim }: IdempotencyClaim, answer: StoredResponse): Promise<void> {
    const { pieces } = await SerializedJson.serialize(answer);
    const sealed = await this.vault.seal(null, Buffer.concat(pieces), primaryKey.join(' '));
    await this.unit.manager.query(`UPDATE idempotency_key SET answer = $5 WHERE ${OWN_SQL}`, [
      ...primaryKey,
      claim,
      sealed,
    ]);
    const [caller = ''] = primaryKey;
    if (this.isTrimDue(caller, sealed.length)) await this.trim(caller);
  }

  /** Removes the claim, so that the call can be repeated under the key. */
  async remove({ primaryKey, claim }: IdempotencyClaim): Promise<void> {
    await this.unit.manager.query(`DELETE FROM idempotency_key WHERE ${OWN_SQL}`, [...primaryKey, claim]);
  }

  /** Removes the claim, or expires its lease when the call has committed a change. */
  async removeUnlessWritten({ primaryKey, claim }: IdempotencyClaim): Promise<void> {
    await this.unit.manager.query(
      `WITH removed AS (DELETE FROM idempotency_key WHERE ${OWN_SQL} AND NOT has_written)
       UPDATE idempotency_key SET lease_until = now() - interval '1 millisecond' WHERE ${OWN_SQL} AND has_written`,
      [...primaryKey, claim],
    );
  }

  /** Reports whether this caller used the key on this route before, and the call is running or its response is stored. */
  async isKnown(call: IdempotentCall): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `SELECT FROM idempotency_key WHERE caller = $1 AND route = $2 AND key = $3 AND created_at > now() - interval '24 hours'`,
      [call.caller, hashRoute(call), call.key],
    );
    return rows.length > 0;
  }

  /** Deletes keys older than a day. */
  async purge(): Promise<void> {
    await this.unit.manager.query(`DELETE FROM idempotency_key WHERE created_at < now() - interval '24 hours'`);
  }

  /** Sorting all responses of a caller costs several times the call itself, so it is done once in a while. */
  private isTrimDue(caller: string, bytes: number): boolean {
    const stored = this.untrimmed.get(caller);
    if (stored) {
      stored.responses += 1;
      stored.bytes += bytes;
      if (stored.responses < TRIM_AFTER_RESPONSES && stored.bytes < TRIM_AFTER_BYTES) return false;
    }
    this.untrimmed.delete(caller);
    this.untrimmed.set(caller, { responses: 0, bytes: 0 });
    const [oldest] = this.untrimmed.keys();
    if (this.untrimmed.size > MAX_COUNTED_CALLERS && oldest !== undefined) this.untrimmed.delete(oldest);
    return true;
  }

  private async trim(caller: string): Promise<void> {
    await this.unit.manager.query(
      `DELETE FROM idempotency_key k USING (
         SELECT route, key, row_number() OVER newest AS position, sum(octet_length(answer)) OVER newest AS bytes
         FROM idempotency_key WHERE caller = $1 AND answer IS NOT NULL WINDOW newest AS (ORDER BY created_at DESC, key)
       ) kept
       WHERE k.caller = $1 AND k.route = kept.route AND k.key = kept.key AND (kept.position > $2 OR kept.bytes > $3)`,
      [caller, MAX_STORED_RESPONSES, MAX_STORED_BYTES],
    );
  }

  private async findResponse(primaryKey: string[], digest: string): Promise<StoredResponse> {
    const [row] = await this.unit.manager.query<StoredRow[]>(
      `SELECT digest, answer, has_written AND lease_until < now() AS "isLost" FROM idempotency_key WHERE caller = $1 AND route = $2 AND key = $3`,
      primaryKey,
    );
    if (row && row.digest !== digest)
      throw new AppError(
        422,
        'IDEMPOTENCY_MISMATCH',
        'Idempotency key mismatch',
        'this Idempotency-Key was used for another body',
        {
          remedy: 'Use a new key for a new request.',
        },
      );
    if (row?.isLost && !row.answer)
      throw new Conflict(
        ANSWER_LOST,
        'the first request with this Idempotency-Key has made changes, and its response was lost',
        {
          remedy: 'Read the records that it has changed; to repeat the request, send a new key.',
        },
      );
    if (!row?.answer) throw stillRunning();
    return JSON.parse((await this.vault.open(row.answer, primaryKey.join(' '))).toString()) as StoredResponse;
  }
}

const stillRunning = (): Conflict =>
  new Conflict('IDEMPOTENCY_RUNNING', 'the first request with this Idempotency-Key is still running', {
    remedy: 'Send it again in a moment.',
    headers: { 'Retry-After': '1' },
  });

/** Hashes the route, because URLs exceed the maximum size of an index entry. */
const hashRoute = ({ token, route }: IdempotentCall): string =>
  createHash('sha256')
    .update(JSON.stringify([token, route]))
    .digest('base64url');

async function hashParts(parts: Buffer[]): Promise<string> {
  const hash = createHash('sha256');
  const turns = new TimeSlicer();
  for (const bytes of parts) {
    hash.update(`${bytes.length} `);
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      hash.update(bytes.subarray(start, start + PIECE_BYTES));
      await turns.yieldToEventLoop();
    }
  }
  return hash.digest('base64url');
}
