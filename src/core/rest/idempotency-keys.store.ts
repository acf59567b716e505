import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Vault } from '../crypto/vault.service.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { AppError, Conflict } from '../errors/app-error.js';
import { TimeSlicer } from '../time-slicer.js';
import type { IdempotentCall } from './idempotent-call.js';
import { SerializedJson } from './serialized-json.js';

/** What a call was answered. */
export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface IdempotentRequest extends IdempotentCall {
  /** The digest of the body as a value. */
  body: string;
  files: Buffer[];
}

interface StoredRow {
  digest: string;
  answer: Buffer | null;
  stale: boolean;
}

/** Bytes that are hashed at once. */
const PIECE_BYTES = 1024 * 1024;
/** Answers that are kept for one caller, and their bytes; the oldest go first. */
const MAX_STORED_RESPONSES = 2_000;
const MAX_STORED_BYTES = 50 * 1024 * 1024;

/** Stores for 24 hours the answers to calls with an idempotency key, encrypted. */
@Injectable()
export class IdempotencyKeysStore {
  constructor(
    private readonly unit: UnitOfWork,
    private readonly vault: Vault,
  ) {}

  /**
   * Claims the key for this call, or finds the answer that was given under it. A claim without an answer is given up after
   * 20 minutes, longer than any request waits: the process that created it has died.
   * @throws AppError 422 when the key was used for another body; Conflict while the first call is still running
   */
  async claim(call: IdempotentRequest): Promise<{
    earlier: StoredResponse | null;
    finish(answer: StoredResponse): Promise<void>;
    remove(): Promise<void>;
  }> {
    const digest = await hashParts([Buffer.from(call.body), ...call.files]);
    const primaryKey = [call.caller, hashRoute(call), call.key];
    const claimed = await this.unit.manager.query<unknown[]>(
      `INSERT INTO idempotency_key AS k (caller, route, key, digest) VALUES ($1, $2, $3, $4)
       ON CONFLICT (caller, route, key) DO UPDATE SET digest = $4, answer = NULL, created_at = now()
         WHERE k.created_at < now() - CASE WHEN k.answer IS NULL AND k.digest = $4 THEN interval '20 minutes' ELSE interval '24 hours' END
       RETURNING key`,
      [...primaryKey, digest],
    );
    return {
      earlier: claimed.length > 0 ? null : await this.findResponse(primaryKey, digest),
      finish: async (answer) => {
        const { pieces } = await SerializedJson.serialize(answer);
        const sealed = await this.vault.seal(null, Buffer.concat(pieces), primaryKey.join(' '));
        await this.unit.manager.query(
          `UPDATE idempotency_key SET answer = $4 WHERE caller = $1 AND route = $2 AND key = $3`,
          [...primaryKey, sealed],
        );
        await this.trim(call.caller);
      },
      remove: async () => {
        await this.unit.manager.query(
          `DELETE FROM idempotency_key WHERE caller = $1 AND route = $2 AND key = $3`,
          primaryKey,
        );
      },
    };
  }

  /** Whether this caller used the key on this route before, and its answer is kept or still underway. */
  async isKnown(call: IdempotentCall): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `SELECT FROM idempotency_key WHERE caller = $1 AND route = $2 AND key = $3 AND created_at > now() - interval '24 hours'`,
      [call.caller, hashRoute(call), call.key],
    );
    return rows.length > 0;
  }

  /** Removes keys that are older than a day. */
  async purge(): Promise<void> {
    await this.unit.manager.query(`DELETE FROM idempotency_key WHERE created_at < now() - interval '24 hours'`);
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
      `SELECT digest, answer FROM idempotency_key WHERE caller = $1 AND route = $2 AND key = $3`,
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
    if (!row?.answer)
      throw new Conflict('IDEMPOTENCY_RUNNING', 'the first request with this Idempotency-Key is still running', {
        remedy: 'Send it again in a moment.',
        headers: { 'Retry-After': '1' },
      });
    return JSON.parse((await this.vault.open(row.answer, primaryKey.join(' '))).toString()) as StoredResponse;
  }
}

/** Addresses are longer than what an index takes. */
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
