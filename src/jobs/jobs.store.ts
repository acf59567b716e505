import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { roleRank } from '../core/access/roles.js';
import { newId } from '../core/database/base.entity.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import type { FinishedJob, Job, NewJob, SerialJob } from './job.js';
import { JobNotifications } from './job-notifications.js';
import { toJsonb } from '../core/json/jsonb.js';

const REASON = 'the queue of jobs';

/** The columns of a job, aliased to its property names. */
export const JOB_COLUMNS = `id, queue, payload, status, progress, result, error, organization_id AS "organizationId",
  requested_by AS "requestedBy", serial_key AS "serialKey", share_key AS "shareKey", attempt, failures, losses, most_attempts AS "mostAttempts",
  most_takes AS "mostTakes", worker, cancel_requested AS "cancelRequested", cancelled_by AS "cancelledBy", created_at AS "createdAt",
  updated_at AS "updatedAt", finished_at AS "finishedAt"`;

/** The number of jobs per queue and status; `oldest` is the age in seconds of the one that has been due longest. */
export interface QueueBacklog {
  queue: string;
  status: 'queued' | 'running';
  count: number;
  oldest: number;
}

/**
 * Jobs from the view of those who enqueue and follow them. Jobs run as the system, so only the system writes them;
 * callers read by themselves only what they may see.
 */
@Injectable()
export class JobsStore {
  constructor(private readonly unit: UnitOfWork) {}

  async insert(actor: Actor, job: NewJob): Promise<Job> {
    const [made] = await this.asSystem<[Job]>(
      `WITH made AS (
         INSERT INTO job (id, queue, payload, organization_id, requested_by, serial_key, share_key, run_at, most_attempts, most_takes)
         VALUES ($1, $2, $3, $4, $5, $6, $7, coalesce($8, now()), $9, $10) RETURNING *),
       notified AS (SELECT count(${JobNotifications.notifySql('ready', 'queue')}) FROM made WHERE run_at <= now())
       SELECT ${JOB_COLUMNS} FROM made, notified`,
      [
        job.id ?? newId(),
        job.queue,
        toJsonb(job.payload),
        job.organizationId,
        actor.userId,
        job.serialKey ?? null,
        job.shareKey ?? null,
        job.runAt ?? null,
        job.mostAttempts ?? 1,
        job.mostTakes ?? 3,
      ],
    );
    return made;
  }

  /** Enqueues a copy of the job, first among those of its serial key. */
  async insertAgain(id: string): Promise<Job> {
    const [made] = await this.asSystem<[Job]>(
      `WITH made AS (
         INSERT INTO job (id, position, queue, payload, organization_id, requested_by, cancelled_by, serial_key, share_key, most_attempts, most_takes)
         OVERRIDING SYSTEM VALUE
         SELECT $2, position, queue, payload, organization_id, requested_by, cancelled_by, coalesce(serial_key, ended_turn), share_key, most_attempts, most_takes
           FROM job WHERE id = $1 RETURNING *),
       notified AS (SELECT count(${JobNotifications.notifySql('ready', 'queue')}) FROM made)
       SELECT ${JOB_COLUMNS} FROM made, notified`,
      [id, newId()],
    );
    return made;
  }

  /**
   * Ensures that for each serial key a job is waiting that starts no later than requested. The caller's changes
   * must be committed, so that the waiting job reads them.
   */
  insertUnlessQueued(actor: Actor, jobs: SerialJob[]): Promise<void> {
    return this.unit.runAsSystem(REASON, () => this.insertOrAdvance(actor, jobs));
  }

  private async insertOrAdvance(actor: Actor, jobs: SerialJob[]): Promise<void> {
    const keys = jobs.map(({ serialKey }) => serialKey);
    const times = jobs.map(({ runAt }) => runAt ?? new Date(0));
    const waiting = await this.unit.manager.query<{ key: string }[]>(
      `WITH wanted AS (SELECT * FROM unnest($1::text[], $2::timestamptz[]) AS w (key, run_at)),
       queued AS (
         SELECT job.id, w.key, w.run_at, job.run_at > greatest(w.run_at, now()) AS late
           FROM wanted w JOIN job ON job.serial_key = w.key AND job.status = 'queued'),
       held AS (SELECT id FROM job WHERE id IN (SELECT id FROM queued WHERE late) AND status = 'queued' ORDER BY id FOR UPDATE),
       advanced AS (
         UPDATE job SET run_at = greatest(q.run_at, now()), updated_at = now() FROM held JOIN queued q USING (id)
          WHERE job.id = held.id RETURNING q.key, job.queue, job.run_at),
       notified AS (SELECT count(${JobNotifications.notifySql('ready', 'queue')})
                  FROM (SELECT DISTINCT queue FROM advanced WHERE run_at <= now()) AS ready)
       SELECT key FROM queued, notified WHERE NOT late UNION SELECT key FROM advanced`,
      [keys, times],
    );
    const known = new Set(waiting.map(({ key }) => key));
    const missing = jobs.filter(({ serialKey }) => !known.has(serialKey));
    if (missing.length > 0) await this.unit.run(() => this.insertMissing(actor, missing));
  }

  private async insertMissing(actor: Actor, jobs: SerialJob[]): Promise<void> {
    const keys = jobs.map(({ serialKey }) => serialKey);
    // Serializes concurrent callers: the second one finds the job of the first after its commit.
    await this.unit.manager.query(
      `SELECT pg_advisory_xact_lock(hashtextextended(key, 0)) FROM (SELECT unnest($1::text[]) AS key ORDER BY 1) AS k`,
      [keys],
    );
    await this.unit.manager.query(
      `WITH wanted AS (
         SELECT * FROM ROWS FROM (json_to_recordset($1) AS (
           id uuid, queue text, payload jsonb, organization uuid, key text, share text, run_at timestamptz)) AS w),
       made AS (
         INSERT INTO job (id, queue, payload, organization_id, requested_by, serial_key, share_key, run_at)
         SELECT id, queue, payload, organization, $2, key, share, coalesce(run_at, now()) FROM wanted
          WHERE NOT EXISTS (SELECT FROM job WHERE serial_key = key AND status = 'queued') RETURNING queue, run_at)
       SELECT ${JobNotifications.notifySql('ready', 'queue')} FROM (SELECT DISTINCT queue FROM made WHERE run_at <= now()) AS ready`,
      [
        JSON.stringify(
          jobs.map(({ queue, payload, organizationId, serialKey, shareKey, runAt }) => ({
            ...{
              id: newId(),
              queue,
              payload,
              organization: organizationId,
              key: serialKey,
              share: shareKey,
              run_at: runAt,
            },
          })),
        ),
        actor.userId,
      ],
    );
  }

  /**
   * Enqueues the job of the current tick of a periodic queue, unless it exists or an earlier one is unfinished.
   * @returns milliseconds until the next tick
   */
  async insertPeriodic(queue: string, intervalMs: number): Promise<number> {
    const [tick] = await this.unit.manager.query<[{ remaining: number }]>(
      `WITH clock AS (SELECT (extract(epoch FROM now()) * 1000)::bigint AS ms),
       made AS (
         INSERT INTO job (id, queue, serial_key)
         SELECT left(encode(sha256(convert_to($1 || ' ' || clock.ms / $2, 'UTF8')), 'hex'), 32)::uuid, $1, $1 FROM clock
          WHERE NOT EXISTS (SELECT FROM job WHERE queue = $1 AND status = 'queued')
            AND NOT EXISTS (SELECT FROM job WHERE serial_key = $1 AND status = 'running')
         ON CONFLICT (id) DO NOTHING RETURNING queue),
       notified AS (SELECT count(${JobNotifications.notifySql('ready', 'queue')}) FROM made)
       SELECT ($2 - clock.ms % $2)::float8 AS remaining FROM clock, notified`,
      [queue, intervalMs],
    );
    return tick.remaining;
  }

  async find(id: string): Promise<Job | null> {
    const [job] = await this.asSystem<Job[]>(`SELECT ${JOB_COLUMNS} FROM job WHERE id = $1`, [id]);
    return job ?? null;
  }

  /**
   * Returns the job when the actor may see it: its requester, while a member of its organization, and admins of
   * that organization; without an organization, installation administrators.
   */
  async findVisible(actor: Actor, id: string): Promise<Job | null> {
    if (actor.isSystem) return this.find(id);
    const [job] = await this.unit.manager.query<Job[]>(
      `SELECT ${JOB_COLUMNS} FROM job WHERE id = $1 AND CASE WHEN job.organization_id IS NULL
         THEN requested_by = $2 OR $3
         ELSE role_on($2, job.organization_id, 'organization', job.organization_id)
           >= CASE requested_by WHEN $2 THEN ${roleRank('member')} ELSE ${roleRank('organization_admin')} END END`,
      [id, actor.userId, actor.installationAdmin],
    );
    return job ?? null;
  }

  /** Returns those of the jobs that have ended. */
  async findFinished(ids: string[]): Promise<FinishedJob[]> {
    return this.asSystem<FinishedJob[]>(
      `SELECT ${JOB_COLUMNS} FROM job WHERE id = ANY ($1) AND finished_at IS NOT NULL`,
      [ids],
    );
  }

  /**
   * Cancels a queued job immediately, and notifies the worker of a running one.
   * @returns the job, or null when it had ended before
   */
  async requestCancel(id: string, by: string | null): Promise<Job | null> {
    const [job] = await this.asSystem<Job[]>(
      `WITH asked AS (
         UPDATE job SET cancel_requested = true, cancelled_by = coalesce(cancelled_by, $2), updated_at = now(),
           status = CASE status WHEN 'queued' THEN 'cancelled' ELSE status END,
           error = CASE status WHEN 'queued' THEN NULL ELSE error END,
           finished_at = CASE status WHEN 'queued' THEN now() END
         WHERE id = $1 AND status IN ('queued', 'running') RETURNING *),
       notified AS (SELECT count(CASE status WHEN 'running' THEN ${JobNotifications.notifySql('cancel', 'id')}
                                         ELSE ${JobNotifications.notifySql('ended', 'id')} END),
                       count(CASE WHEN status = 'cancelled' AND serial_key IS NOT NULL THEN ${JobNotifications.notifySql('ready')} END)
                  FROM asked)
       SELECT ${JOB_COLUMNS} FROM asked, notified`,
      [id, by],
    );
    return job ?? null;
  }

  /** The user who asked to cancel a job. */
  async findCanceller(id: string): Promise<string | null> {
    const [job] = await this.unit.manager.query<Pick<Job, 'cancelledBy'>[]>(
      `SELECT cancelled_by AS "cancelledBy" FROM job WHERE id = $1`,
      [id],
    );
    return job?.cancelledBy ?? null;
  }

  /** Deletes jobs that ended more than this many days ago, by whether a user requested them. */
  async deleteFinished(days: { requested: number; system: number }): Promise<number> {
    const [, count] = await this.unit.manager.query<[unknown, number]>(
      `DELETE FROM job WHERE id IN (
         SELECT id FROM job WHERE finished_at < now() - $2 * interval '1 day'
            AND (requested_by IS NULL OR finished_at < now() - $1 * interval '1 day') LIMIT 1000)`,
      [days.requested, days.system],
    );
    return count;
  }

  async readBacklog(): Promise<QueueBacklog[]> {
    return this.asSystem<QueueBacklog[]>(
      `SELECT queue, status, count(*)::int AS count, greatest(0, extract(epoch FROM now() - min(run_at)))::float8 AS oldest
         FROM job WHERE status = 'queued' OR status = 'running' GROUP BY queue, status`,
    );
  }

  private asSystem<T>(text: string, values: unknown[] = []): Promise<T> {
    return this.unit.runAsSystem(REASON, () => this.unit.manager.query<T>(text, values));
  }
}
