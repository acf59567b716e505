import { Injectable } from '@nestjs/common';
import { backoff } from '../core/backoff.js';
import type { Actor } from '../core/access/actor.js';
import type { FinishedJob, Job } from './job.js';

export type OperationAccess = 'read' | 'cancel';

/** What a handler has besides its job. */
export interface JobContext {
  /** The system, acting for this queue. */
  actor: Actor;
  /** The user who asked for the job, if one did. */
  requestedBy: string | null;
  /** Aborted when the job is cancelled, when its lease is lost and when the replica shuts down; the reason is a `JobAborted`. */
  signal: AbortSignal;
  /** Reports the progress; callers see it on the operation within a second. */
  reportProgress: (value: object) => void;
  /**
   * In a unit of work, as its last statement: what the unit writes is kept only if no other worker has taken the job over.
   * @throws JobAborted `lease lost`
   */
  assertLeased: () => Promise<void>;
}

/**
 * How the jobs of a queue are done. A job may be run again after a crash or a shutdown, so a handler is idempotent: it
 * does what is still to be done. A handler whose work failed throws: an error with a name is the error of the operation,
 * and a JobAborted `cancelled` ends the job as cancelled.
 */
export interface JobHandler<P = unknown> {
  /** So many at once in each replica. */
  concurrency: number;
  /**
   * So many more at once in each replica, each for an organization of which no other job of the queue runs: however long those of
   * the others take, and however many wait, its first need not wait for them. None unless given.
   */
  reserve?: number;
  /** @returns the result: JSON, or nothing */
  handle: (job: Job<P>, context: JobContext) => Promise<unknown>;
  /**
   * Judges by the rights of now who may see or cancel a job that callers follow as an operation, beyond who asked for it: the right to
   * its work may have been taken away since. Without it the organization alone decides.
   * @throws Forbidden, NotFound
   */
  authorize?: (actor: Actor, job: Job<P>, access: OperationAccess) => Promise<void> | void;
  /**
   * Hears the end in the transaction that writes it, also of jobs that were cancelled before they ran and of those that
   * took too many workers with them. Throwing there leaves the job unfinished, to be taken again.
   */
  onEnded?: (job: FinishedJob<P>) => Promise<void>;
  /**
   * Milliseconds until the next attempt, or null when another one makes no sense; it is asked only while attempts are
   * left. Unless given, twice as long after each failure, beginning with a second, give or take a quarter.
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

  /** The queues, and how many jobs of each may run at once. */
  list(): (Pick<JobHandler, 'concurrency' | 'reserve'> & { queue: string })[] {
    return [...this.handlers].map(([queue, { concurrency, reserve }]) => ({ queue, concurrency, reserve }));
  }
}

const INITIAL_DELAY_MS = 1_000;
const MAX_DELAY_MS = 3_600_000;

/** How long to wait after so many failures, unless the handler says otherwise. */
export function defaultRetryDelayMs(failures: number): number {
  return backoff(failures, INITIAL_DELAY_MS, MAX_DELAY_MS);
}
