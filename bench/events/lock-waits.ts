import type pg from 'pg';

const SAMPLE_MS = 250;

/** The longest that a statement was seen to wait for a lock, and for what. */
export class LockWaits {
  longest = { seconds: 0, statement: '', behind: '' };
  private readonly timer: NodeJS.Timeout;

  constructor(client: pg.Client) {
    this.timer = setInterval(() => {
      this.sample(client).catch(() => undefined);
    }, SAMPLE_MS);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async sample(client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ seconds: number; statement: string; behind: string | null }>(
      `SELECT extract(epoch FROM clock_timestamp() - waiter.query_start)::float8 AS seconds, waiter.query AS statement,
              (SELECT string_agg(blocker.state || ': ' || left(blocker.query, 80), '; ') FROM pg_stat_activity blocker
                WHERE blocker.pid = ANY (pg_blocking_pids(waiter.pid))) AS behind
         FROM pg_stat_activity waiter WHERE waiter.wait_event_type = 'Lock' ORDER BY 1 DESC LIMIT 1`,
    );
    const [row] = rows;
    if (!row || row.seconds <= this.longest.seconds) return;
    const statement = row.statement.replace(/\s+/g, ' ').slice(0, 120);
    this.longest = { seconds: row.seconds, statement, behind: (row.behind ?? '').replace(/\s+/g, ' ') };
  }
}
