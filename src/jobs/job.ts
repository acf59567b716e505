import type { Problem } from '../core/errors/problem.js';

export const JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** A piece of work that outlives the request that asked for it; callers know it as an operation. */
export interface Job<P = unknown> {
  id: string;
  queue: string;
  payload: P;
  status: JobStatus;
  /** The last progress that its handler reported. */
  progress: object | null;
  result: unknown;
  /** Why it failed; while it waits for another attempt, why the last one did. */
  error: Problem | null;
  organizationId: string | null;
  requestedBy: string | null;
  serialKey: string | null;
  /** Counts how often a worker has taken it; with the worker it fences off those that lost it. */
  attempt: number;
  /** How often its handler has failed. */
  failures: number;
  /** How often the worker that held it has died. */
  losses: number;
  mostAttempts: number;
  mostTakes: number;
  worker: string | null;
  cancelRequested: boolean;
  createdAt: Date;
  updatedAt: Date;
  finishedAt: Date | null;
}

/** How a job ended. */
export type JobOutcome =
  { status: 'succeeded'; result: unknown } | { status: 'failed'; error: Problem } | { status: 'cancelled' };

export type FinishedJob<P = unknown> = Job<P> & { status: JobOutcome['status']; finishedAt: Date };

/** What is asked for. */
export interface NewJob<P extends object = object> {
  queue: string;
  /** What the handler needs to know: JSON without secrets. */
  payload: P;
  /** The organization whose admins may see and cancel it; null for what belongs to none. */
  organizationId: string | null;
  /** Of all jobs with the same key one runs at a time, in the order in which they were enqueued, also across queues. */
  serialKey?: string;
  /** Not before this time. */
  runAt?: Date;
  /** So often the handler may fail before the job has failed; 1 unless said otherwise. */
  mostAttempts?: number;
  /** So many workers may die holding it before it has failed; 3 unless said otherwise. */
  mostTakes?: number;
  id?: string;
}

/** What is asked for by its serial key: one job that waits is enough. */
export type SerialJob<P extends object = object> = Pick<NewJob<P>, 'queue' | 'payload' | 'organizationId' | 'runAt'> & {
  serialKey: string;
};

export function isFinishedJob(job: Job): job is FinishedJob {
  return job.finishedAt !== null;
}
