import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';

const KNOWN_NETWORK_DAYS = 30;

/** The hashes that an attempt counts against, and the limit of each. */
export interface Attempt {
  /** One account from one network. */
  pair: Buffer;
  mostOfPair: number;
  /** The account from all networks, and the network for all accounts. Checked only for unknown pairs. */
  others: Buffer[];
  mostOfOthers: number;
}

/** Recent failures and the networks from which accounts have signed in, shared by all replicas. Only hashes are stored. */
@Injectable()
export class AttemptsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /**
   * Counts an attempt. If it is refused for its pair, it does not count for the others; otherwise a single network could exhaust
   * the shared limits.
   * @returns milliseconds until the next attempt is allowed, or null when this one is allowed
   */
  async count({ pair, mostOfPair, others, mostOfOthers }: Attempt, seconds: number): Promise<number | null> {
    const [row] = await this.queryAsSystem<{ wait: number | null }>(
      `WITH pair AS (${upsert('VALUES ($1::bytea)')}), others AS (${upsert(
        `SELECT key FROM unnest($3::bytea[]) key
          WHERE (SELECT failures FROM pair) <= $2
            AND NOT EXISTS (SELECT FROM known_network WHERE pair = $1 AND seen_at > now() - interval '${KNOWN_NETWORK_DAYS} days')
          ORDER BY key`,
      )})
       SELECT 1000 * extract(epoch FROM max(until) - now())::float8 AS wait
         FROM (SELECT until FROM pair WHERE failures > $2 UNION ALL SELECT until FROM others WHERE failures > $4) limited`,
      [pair, mostOfPair, others, mostOfOthers, seconds],
    );
    return row?.wait ?? null;
  }

  /** Removes a successful attempt from the counts, and marks its pair as known. */
  async recordSuccess({ pair, others }: Attempt): Promise<void> {
    await this.queryAsSystem(
      `WITH reset AS (DELETE FROM failed_attempt WHERE key = $1),
            counted AS (UPDATE failed_attempt SET failures = greatest(failures - 1, 0) WHERE key = ANY($2))
       INSERT INTO known_network (pair) VALUES ($1) ON CONFLICT (pair) DO UPDATE SET seen_at = now()`,
      [pair, others],
    );
  }

  async purge(): Promise<void> {
    await this.queryAsSystem(`DELETE FROM failed_attempt WHERE until < now()`, []);
    await this.queryAsSystem(
      `DELETE FROM known_network WHERE seen_at < now() - interval '${KNOWN_NETWORK_DAYS} days'`,
      [],
    );
  }

  /** Runs as the system and outside of any open transaction, because callers may not be signed in yet. */
  private queryAsSystem<T>(query: string, parameters: unknown[]): Promise<T[]> {
    return this.unit.runOutside(() =>
      this.unit.runAsSystem('counting attempts', () => this.unit.manager.query<T[]>(query, parameters)),
    );
  }
}

const upsert = (keys: string): string => `
  INSERT INTO failed_attempt AS f (key, failures, until)
  SELECT key, 1, now() + make_interval(secs => $5) FROM (${keys}) given (key)
  ON CONFLICT (key) DO UPDATE
     SET failures = CASE WHEN f.until < now() THEN 1 ELSE least(f.failures + 1, 1000000) END,
         until = CASE WHEN f.until < now() THEN excluded.until ELSE f.until END
  RETURNING failures, until`;
