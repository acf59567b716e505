import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';

const KNOWN_NETWORK_DAYS = 30;

/** What an attempt counts against, as hashes, and the limit of each. */
export interface Attempt {
  /** One account from one network. */
  pair: Buffer;
  mostOfPair: number;
  /** The account from all networks, and the network for all accounts: checked only for unknown pairs. */
  others: Buffer[];
  mostOfOthers: number;
}

/** Recent failures, shared by all replicas and kept across restarts, and the networks accounts signed in from. Hashes only. */
@Injectable()
export class AttemptsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /**
   * Counts an attempt. One that is refused for its pair does not count for the others; otherwise a single network could exhaust the
   * shared limits.
   *
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

  /** The attempt succeeded: it is no longer counted, and its pair is known from now on. */
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

  /** Runs before sign-in, or independently of the signed-in user. */
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
