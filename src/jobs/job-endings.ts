import { Injectable, Logger } from '@nestjs/common';
import { isOutage } from '../core/database/outage.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { AppError } from '../core/errors/app-error.js';
import { internalError, type Problem, problemOf } from '../core/errors/problem.js';
import { Metrics } from '../core/telemetry/metrics.js';
import { isFinished, type FinishedJob, type Job, type Outcome } from './job.js';
import { JobHandlers } from './job-handlers.js';
import { JobsStore } from './jobs.store.js';
import { LeasesStore } from './leases.store.js';

/** What callers learn of a failure: an error with a name as it is, of all others only the id that is also in the log. */
export function problemOfJob(job: Job, error: unknown): Problem {
  return problemOf(error instanceof AppError ? error : internalError(error), job.id);
}

/** Ends jobs; who handles the queue hears of it in the same transaction. */
@Injectable()
export class JobEndings {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly unit: UnitOfWork,
    private readonly jobs: JobsStore,
    private readonly leases: LeasesStore,
    private readonly handlers: JobHandlers,
    private readonly metrics: Metrics,
  ) {}

  /** Ends a job that a worker of this replica runs. @returns false, and writes nothing, when it does not hold it any more */
  async end(job: Job, outcome: Outcome, progress: object | null): Promise<boolean> {
    const ended = await this.write(job, outcome, () => this.leases.end(job, outcome, { progress }));
    if (ended) this.count(job, outcome);
    return ended;
  }

  /** Ends a job whose worker died. Nobody is left to try again, so it ends even when its queue does not want to hear of it. */
  async endOverdue(job: Job, outcome: Outcome): Promise<boolean> {
    const write = () => this.leases.end(job, outcome, { overdue: true });
    const ended = await this.write(job, outcome, write).catch((error: unknown) => {
      if (isOutage(error)) throw error;
      this.logger.error(error, `the end of job ${job.id} of ${job.queue} was not heard`);
      return write();
    });
    if (ended) this.count(job, outcome);
    return ended;
  }

  /** Cancels a job: at once when it waits, else its handler is told. @returns the job, unless it had ended before */
  async cancel(id: string): Promise<Job | null> {
    return this.unit.run(async () => {
      const job = await this.jobs.requestCancel(id);
      if (!job || !isFinished(job)) return job;
      // Who cancels may know less than the job's listener has to write.
      await this.unit.asSystem('the end of a job', async () => this.handlers.of(job.queue)?.ended?.(job));
      this.unit.afterCommit(() => this.count(job, { status: 'cancelled' }));
      return job;
    });
  }

  /** The listener comes first, so that locks are taken in the order of features: their own records, then the job. */
  private async write(job: Job, outcome: Outcome, end: () => Promise<boolean>): Promise<boolean> {
    const listener = this.handlers.of(job.queue);
    if (!listener?.ended) return end();
    try {
      await this.unit.run(async () => {
        await listener.ended?.(finished(job, outcome));
        if (!(await end())) throw new NotHeld();
      });
      return true;
    } catch (error) {
      if (error instanceof NotHeld) return false;
      throw error;
    }
  }

  private count({ id, queue, attempt }: Job, outcome: Outcome): void {
    this.metrics.jobs.inc({ queue, outcome: outcome.status });
    if (outcome.status !== 'failed') return;
    const { code, detail } = outcome.error;
    this.logger.warn({ job: id, queue, attempt, code }, `job failed: ${detail}`);
  }
}

/** Rolls back what the listener did. */
class NotHeld extends Error {}

function finished(job: Job, outcome: Outcome): FinishedJob {
  return { ...job, result: null, error: null, ...outcome, finishedAt: new Date() };
}
