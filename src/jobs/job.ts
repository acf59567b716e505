import type { Problem } from '../core/errors/problem.js';

export const JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** Work that outlives the request that enqueued it; the API shows it as an operation. */
export interface Job<P = unknown> {
  id: string;
  queue: string;
  payload: P;
  status: JobStatus;
  /** The last progress that its handler reported. */
  progress: object | null;
  result: unknown;
  /** The error of a failed job; of a waiting job, the error of its last attempt. */
  error: Problem | null;
  organizationId: string | null;
  requestedBy: string | null;
  serialKey: string | null;
  shareKey: string | null;
  /** The number of claims; with the worker it is the fencing token against workers that lost the job. */
  attempt: number;
  /** The number of failures of its handler. */
  failures: number;
  /** The number of workers that died while they held it. */
  losses: number;
  mostAttempts: number;
  mostTakes: number;
  worker: string | null;
  cancelRequested: boolean;
  /** The user who asked to cancel it first. */
  cancelledBy: string | null;
  createdAt: Date;
  updatedAt: Date;
  finishedAt: Date | null;
}

/** The outcome of a job. */
export type JobOutcome =
  { status: 'succeeded'; result: unknown } | { status: 'failed'; error: Problem } | { status: 'cancelled' };

export type FinishedJob<P = unknown> = Job<P> & { status: JobOutcome['status']; finishedAt: Date };

/** A job to enqueue. */
export interface NewJob<P extends object = object> {
  queue: string;
  /** The input of the handler: JSON without secrets. */
  payload: P;
  /** The organization whose admins may see and cancel it; null for jobs of the installation. */
  organizationId: string | null;
  /** Jobs with the same key run one at a time in enqueue order, also across queues. */
  serialKey?: string;
  /** Whom the job shares the places of its queue with, see `JobHandler.reserve`; default: its organization. */
  shareKey?: string;
  /** The earliest start time. */
  runAt?: Date;
  /** The number of handler failures after which the job fails; default 1. */
  mostAttempts?: number;
  /** The number of dead workers after which the job fails; default 3. */
  mostTakes?: number;
  id?: string;
}

/** A job that is enqueued unless one with its serial key is waiting. */
export type SerialJob<P extends object = object> = Pick<
  NewJob<P>,
  'queue' | 'payload' | 'organizationId' | 'shareKey' | 'runAt'
> & {
  serialKey: string;
};

export function isFinishedJob(job: Job): job is FinishedJob {
  return job.finishedAt !== null;
}
