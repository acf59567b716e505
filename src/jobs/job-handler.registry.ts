import { Injectable } from '@nestjs/common';
import { backoff } from '../core/backoff.js';
import type { Actor } from '../core/access/actor.js';
import type { FinishedJob, Job } from './job.js';

export type OperationAccess = 'read' | 'cancel';

/** The context of a job that a handler receives. */
export interface JobContext {
  /** The system, with a reason that names the queue. */
  actor: Actor;
  /** The user who requested the job, if any. */
  requestedBy: string | null;
  /** Aborted when the job is cancelled, its lease is lost, or the replica shuts down; the reason is a `JobAborted`. */
  signal: AbortSignal;
  /** Reports the progress; callers see it on the operation within a second. */
  reportProgress: (value: object) => void;
  /**
   * Call it as the last statement of a unit of work: its changes are committed only while this worker holds the
   * job.
   * @throws JobAborted `lease lost`
   */
  assertLeased: () => Promise<void>;
  /** Lets the next job of its serial key begin, and another of its queue, when this one has made its changes and only waits. */
  endTurn: () => Promise<void>;
}

/**
 * Runs the jobs of a queue. A job may run again after a crash or a shutdown, so handlers must be idempotent and do
 * only what remains. A handler that fails throws: an AppError becomes the error of the operation, and a JobAborted
 * `cancelled` ends the job as cancelled.
 */
export interface JobHandler<P = unknown> {
  /** The maximum number of jobs of the queue per replica. */
  concurrency: number;
  /**
   * Additional slots per replica, for organizations without a running job of the queue: the first job of an
   * organization does not wait for jobs of others. A job with a `shareKey` counts for that key instead. Default 0.
   */
  reserve?: number;
  /** @returns the result as JSON, if there is one */
  handle: (job: Job<P>, context: JobContext) => Promise<object | void>;
  /**
   * Checks the current permission of an actor to see or cancel a job as an operation, in addition to the visibility of
   * jobs. It also applies to the requester, who may have lost the permission since the request.
   * @throws Forbidden, NotFound
   */
  authorize?: (actor: Actor, job: Job<P>, access: OperationAccess) => Promise<void> | void;
  /**
   * Called in the transaction that ends a job, including jobs cancelled before they ran and jobs that failed
   * because too many workers died. An error leaves the job unfinished; a worker runs it again.
   */
  onEnded?: (job: FinishedJob<P>) => Promise<void>;
  /**
   * Returns the delay before the next attempt in milliseconds, or null for no retry; called only while attempts
   * are left. Default: exponential back-off from one second, with a jitter of 25 %.
   */
  retryDelayMs?: (failures: number, error: unknown) => number | null;
}

/** The handlers of this replica, by queue. */
@Injectable()
export class JobHandlerRegistry {
  private readonly handlers = new Map<string, JobHandler>();

  register<P>(queue: string, handler: JobHandler<P>): void {
    if (!/^[\w.-]+$/.test(queue)) throw new Error(`${queue} is not a valid queue name`);
    if (this.handlers.has(queue)) throw new Error(`the queue ${queue} has a handler already`);
    this.handlers.set(queue, handler as JobHandler);
  }

  find(queue: string): JobHandler | undefined {
    return this.handlers.get(queue);
  }

  /** The queues with their concurrency limits. */
  list(): (Pick<JobHandler, 'concurrency' | 'reserve'> & { queue: string })[] {
    return [...this.handlers].map(([queue, { concurrency, reserve }]) => ({ queue, concurrency, reserve }));
  }
}

const INITIAL_DELAY_MS = 1_000;
const MAX_DELAY_MS = 3_600_000;

/** The default delay before the next attempt. */
export function defaultRetryDelayMs(failures: number): number {
  return backoff(failures, INITIAL_DELAY_MS, MAX_DELAY_MS);
}
