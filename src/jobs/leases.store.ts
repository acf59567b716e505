import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { Job, JobOutcome } from './job.js';
import { JobNotifications } from './job-notifications.js';
import { JOB_COLUMNS } from './jobs.store.js';
import { toJsonb } from '../core/json/jsonb.js';

/** The holder of a job: a worker for one attempt. Writes of a former holder have no effect. */
export type LeaseHolder = Pick<Job, 'id' | 'worker' | 'attempt'>;

const HELD_SQL = `id = $1 AND worker = $2 AND attempt = $3 AND status = 'running'`;
const UNIQUE_VIOLATION = '23505';
const MAX_CLAIM_ATTEMPTS = 5;

/** The free slots of a queue. */
export interface QueueCapacity {
  queue: string;
  slots: number;
  /** Only the slots reserved for organizations and share keys without a running job of the queue are free. */
  isReserve: boolean;
}

/** Why and until when a job is requeued. */
export interface RequeueOptions {
  delayMs?: number;
  failed?: boolean;
  /** The worker died: requeue only if the lease has expired. */
  lost?: boolean;
  error?: object;
  progress?: object | null;
}

/** Jobs from the view of workers. */
@Injectable()
export class LeasesStore {
  constructor(private readonly unit: UnitOfWork) {}

  /**
   * Claims due jobs, for each queue at most as many as it has free slots, and for each serial key only the first.
   * A unique index enforces that one job per key runs, because a transaction that commits late can insert a job
   * before a claimed one.
   */
  async claim(worker: string, capacities: QueueCapacity[], leaseMs: number, attempt = 1): Promise<Job[]> {
    try {
      return await this.unit.manager.query<Job[]>(
        `WITH capacity AS (SELECT * FROM unnest($3::text[], $4::int[], $5::boolean[]) AS r (queue, slots, is_reserve)),
         ready AS (
           SELECT due.id FROM capacity CROSS JOIN LATERAL (
             SELECT j.id FROM job j WHERE j.queue = capacity.queue AND j.status = 'queued' AND j.run_at <= now()
                AND (j.serial_key IS NULL OR (
                  NOT EXISTS (SELECT FROM job o WHERE o.serial_key = j.serial_key AND o.status = 'running')
                  AND NOT EXISTS (SELECT FROM job o WHERE o.serial_key = j.serial_key AND o.status = 'queued'
                                     AND o.position < j.position)))
                AND NOT (capacity.is_reserve AND EXISTS (
                  SELECT FROM job o WHERE o.queue = j.queue AND o.status = 'running'
                     AND coalesce(o.share_key, o.organization_id::text) IS NOT DISTINCT FROM coalesce(j.share_key, j.organization_id::text)))
              ORDER BY j.run_at, j.position LIMIT capacity.slots FOR UPDATE SKIP LOCKED) due),
         taken AS (
           UPDATE job SET status = 'running', attempt = attempt + 1, worker = $1, updated_at = now(),
             lease_until = now() + $2 * interval '1 millisecond'
           WHERE id = ANY (ARRAY (SELECT id FROM ready)) RETURNING *)
         SELECT ${JOB_COLUMNS} FROM taken ORDER BY position`,
        [
          worker,
          leaseMs,
          ...(['queue', 'slots', 'isReserve'] as const).map((field) => capacities.map((capacity) => capacity[field])),
        ],
      );
    } catch (error) {
      // Another worker has just claimed a job of the same serial key.
      if ((error as { code?: string }).code !== UNIQUE_VIOLATION || attempt >= MAX_CLAIM_ATTEMPTS) throw error;
      return this.claim(worker, capacities, leaseMs, attempt + 1);
    }
  }

  /** Locks the job until the end of the unit of work. @returns false when the worker no longer holds it */
  async lockHeld({ id, worker, attempt }: LeaseHolder): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(`SELECT 1 FROM job WHERE ${HELD_SQL} FOR SHARE`, [
      id,
      worker,
      attempt,
    ]);
    return rows.length > 0;
  }

  /** Lets the next job of its serial key begin. */
  async endTurn({ id, worker, attempt }: LeaseHolder): Promise<void> {
    await this.unit.manager.query(
      `WITH freed AS (UPDATE job SET ended_turn = coalesce(serial_key, ended_turn), serial_key = NULL,
           updated_at = now() WHERE ${HELD_SQL} RETURNING id)
       SELECT ${JobNotifications.notifySql('ready')} FROM freed`,
      [id, worker, attempt],
    );
  }

  async saveProgress({ id, worker, attempt }: LeaseHolder, progress: object): Promise<void> {
    await this.unit.manager.query(`UPDATE job SET progress = $4, updated_at = now() WHERE ${HELD_SQL}`, [
      id,
      worker,
      attempt,
      toJsonb(progress),
    ]);
  }

  /**
   * Stores the outcome of a job.
   * @param options.overdue only if its lease has expired
   * @returns whether the worker still held it
   */
  async complete(
    { id, worker, attempt }: LeaseHolder,
    outcome: JobOutcome,
    { progress, overdue = false }: { progress?: object | null; overdue?: boolean } = {},
  ): Promise<boolean> {
    const ended = await this.unit.manager.query<unknown[]>(
      `WITH ended AS (
         UPDATE job SET status = $4, result = $5, error = $6, progress = coalesce($7, progress), lease_until = NULL,
           finished_at = now(), updated_at = now()
         WHERE ${HELD_SQL} AND (NOT $8 OR lease_until < now()) RETURNING id, serial_key)
       SELECT ${JobNotifications.notifySql('ended', 'id')}, CASE WHEN serial_key IS NOT NULL THEN ${JobNotifications.notifySql('ready')} END
         FROM ended`,
      [
        id,
        worker,
        attempt,
        outcome.status,
        outcome.status === 'succeeded' ? toJsonb(outcome.result) : null,
        outcome.status === 'failed' ? toJsonb(outcome.error) : null,
        toJsonb(progress),
        overdue,
      ],
    );
    return ended.length > 0;
  }

  /** Requeues the job, also in its turn when that had ended. @returns false when the worker no longer holds it, or it was cancelled */
  async requeue({ id, worker, attempt }: LeaseHolder, why: RequeueOptions = {}): Promise<boolean> {
    const { delayMs = 0, failed = false, lost = false, error, progress } = why;
    const put = await this.unit.manager.query<unknown[]>(
      `WITH put AS (
         UPDATE job SET status = 'queued', worker = NULL, lease_until = NULL, updated_at = now(),
           run_at = now() + $4 * interval '1 millisecond', failures = failures + $5::boolean::int,
           losses = losses + $6::boolean::int, error = coalesce($7, error), progress = coalesce($8, progress),
           serial_key = coalesce(serial_key, ended_turn)
         WHERE ${HELD_SQL} AND NOT cancel_requested AND (NOT $6 OR lease_until < now()) RETURNING queue)
       SELECT CASE WHEN $4 = 0 THEN ${JobNotifications.notifySql('ready', 'queue')} END FROM put`,
      [id, worker, attempt, delayMs, failed, lost, toJsonb(error), toJsonb(progress)],
    );
    return put.length > 0;
  }

  /** The jobs with expired leases. */
  async listOverdue(): Promise<Job[]> {
    return this.unit.manager.query<Job[]>(
      `SELECT ${JOB_COLUMNS} FROM job WHERE status = 'running' AND lease_until < now() ORDER BY position LIMIT 100`,
    );
  }
}
