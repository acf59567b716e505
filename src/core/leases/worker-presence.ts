import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PostgresNotifications } from '../database/postgres-notifications.js';
import { UnitOfWork } from '../database/unit-of-work.js';

/** The namespace of the advisory locks that indicate live workers. */
const LOCK_SPACE = 4_152_775;
/** A worker without its lock for this long is dead; one that only lost its connection has reconnected by then. */
const MISSING_MS = 1_500;
/** Observations older than this are discarded. */
const FORGOTTEN_MS = 10_000;
/** After a database outage all sessions are lost and reconnect within this time. */
const SETTLED_MS = 3_000;

/**
 * Detects dead workers. Each worker holds an advisory lock in its listening session, which PostgreSQL releases when
 * the process dies. The session of a disconnected host lasts longer; the expiry of leases covers that.
 */
@Injectable()
export class WorkerPresence implements OnModuleInit {
  /** The worker id of this process. */
  readonly id = randomUUID();
  /** When the lock of a worker was first and last found missing. */
  private readonly missing = new Map<string, { since: number; seenAt: number }>();

  constructor(
    private readonly notifications: PostgresNotifications,
    private readonly unit: UnitOfWork,
  ) {}

  onModuleInit(): void {
    this.notifications.holdLock([LOCK_SPACE, this.id]);
  }

  /** Call it periodically with all workers that hold something. @returns those that are dead */
  async findDead(workers: string[]): Promise<string[]> {
    if (workers.length === 0) return [];
    if (this.notifications.connectedMs < SETTLED_MS) {
      this.missing.clear();
      return [];
    }
    const missing = new Set(await this.findMissing(workers));
    const now = performance.now();
    for (const [worker, { seenAt }] of this.missing) if (now - seenAt > FORGOTTEN_MS) this.missing.delete(worker);
    for (const worker of workers) {
      if (!missing.has(worker)) this.missing.delete(worker);
      else this.missing.set(worker, { since: this.missing.get(worker)?.since ?? now, seenAt: now });
    }
    return [...missing].filter((worker) => now - (this.missing.get(worker)?.since ?? now) >= MISSING_MS);
  }

  private async findMissing(workers: string[]): Promise<string[]> {
    const rows = await this.unit.manager.query<{ worker: string }[]>(
      `SELECT worker FROM unnest($2::text[]) AS w (worker)
        WHERE worker <> $3 AND (hashtext(worker)::bigint & 4294967295)::oid NOT IN (
          SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1::int::oid AND objsubid = 2 AND granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`,
      [LOCK_SPACE, workers, this.id],
    );
    return rows.map(({ worker }) => worker);
  }
}
