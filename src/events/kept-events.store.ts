import { Injectable } from '@nestjs/common';
import { readDatabaseTime } from '../core/database/database-time.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { feedColumn } from './feed.store.js';

/** How long missed events can be replayed. Lists keep them longer. */
const REPLAY_DAYS = 7;

const OF_FEED = `${feedColumn('event')} = $1`;

/** The end of a removal: events before a time, up to a number. */
export interface RemovalEnd {
  before: Date | null;
  through: bigint | null;
}

/**
 * The range of events that a feed still has. Numbers have no gaps and only the oldest events are removed, so the first number determines
 * what was removed.
 */
@Injectable()
export class KeptEventsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Returns the oldest stored number, or the next number when the feed is empty; and the last assigned number. */
  async findRange(feed: string): Promise<{ oldest: bigint; last: bigint }> {
    const [row] = await this.unit.manager.query<[{ oldest: string | null; last: string }]>(
      `SELECT (SELECT sequence FROM event WHERE ${OF_FEED} ORDER BY sequence LIMIT 1) AS oldest,
              coalesce((SELECT last FROM event_counter WHERE feed = $1), 0) AS last`,
      [feed],
    );
    const last = BigInt(row.last);
    return { oldest: row.oldest === null ? last + 1n : BigInt(row.oldest), last };
  }

  /** Returns the oldest number that can be replayed if a replay after `after` would miss events, otherwise null. */
  async findOldestIfExpired(feed: string, after: bigint, last: bigint): Promise<bigint | null> {
    const rows = await this.unit.manager.query<{ sequence: string; recent: boolean; first: boolean }[]>(
      `(SELECT sequence, created_at >= now() - interval '${REPLAY_DAYS} days' AS recent, true AS first FROM event
         WHERE ${OF_FEED} AND sequence > $2 ORDER BY sequence LIMIT 1)
       UNION ALL
       (SELECT sequence, true, false FROM event WHERE organization_id = $1 AND created_at >= now() - interval '${REPLAY_DAYS} days'
         ORDER BY created_at, id LIMIT 1)`,
      [feed, after.toString()],
    );
    const next = rows.find(({ first }) => first);
    const isKept = next ? next.recent && BigInt(next.sequence) === after + 1n : after >= last;
    if (isKept) return null;
    return BigInt(rows.find(({ recent }) => recent)?.sequence ?? last + 1n);
  }

  /** Returns the time some seconds ago by the clock of the database, so that a wrong clock of a process removes nothing. */
  async readTimeBefore(seconds: number): Promise<Date> {
    return new Date((await readDatabaseTime(this.unit.manager)).getTime() - seconds * 1000);
  }

  /** Lists the feeds whose oldest event is before a time. */
  async listWithOlder(before: Date): Promise<string[]> {
    const rows = await this.unit.manager.query<{ feed: string }[]>(
      `SELECT counter.feed FROM event_counter counter CROSS JOIN LATERAL (
         SELECT created_at FROM event WHERE ${feedColumn('event')} = counter.feed ORDER BY sequence LIMIT 1) AS oldest
        WHERE oldest.created_at < $1`,
      [before],
    );
    return rows.map(({ feed }) => feed);
  }

  /** Returns the number of the last event of an organization before a time, or 0. A text keeps the microseconds of the database. */
  async findLastBefore(organizationId: string, before: Date | string): Promise<bigint> {
    const [row] = await this.unit.manager.query<[{ through: string }]>(
      `SELECT coalesce(
         (SELECT sequence - 1 FROM event WHERE organization_id = $1 AND created_at >= $2 ORDER BY created_at, id LIMIT 1),
         (SELECT last FROM event_counter WHERE feed = $1), 0) AS through`,
      [organizationId, before],
    );
    return BigInt(row.through);
  }

  /** Removes up to `most` of the oldest events of a feed, in order, so that no gaps arise. */
  async removeOldest(feed: string, { before, through }: RemovalEnd, most: number): Promise<number> {
    const [, removed] = await this.unit.manager.query<[unknown, number]>(
      `WITH oldest AS MATERIALIZED (
         SELECT id, sequence, created_at FROM event WHERE ${OF_FEED} ORDER BY sequence LIMIT $2
       ), stays AS (
         SELECT min(sequence) AS first FROM oldest WHERE created_at >= $3 OR sequence > $4
       )
       DELETE FROM event WHERE id IN (SELECT oldest.id FROM oldest, stays WHERE sequence < stays.first OR stays.first IS NULL)`,
      [feed, most, before, through?.toString() ?? null],
    );
    return removed;
  }
}
