import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseOutage } from '../core/errors/database-outage.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { AppError } from '../core/errors/app-error.js';
import { internalError, type Problem, toProblem } from '../core/errors/problem.js';
import { Metrics } from '../core/telemetry/metrics.service.js';
import { isFinishedJob, type FinishedJob, type Job, type JobOutcome } from './job.js';
import { JobHandlerRegistry } from './job-handler.registry.js';
import { JobsStore } from './jobs.store.js';
import { LeasesStore } from './leases.store.js';

/** What callers learn of a failure: an error with a name as it is, of all others only the id that is also in the log. */
export function toJobProblem(job: Job, error: unknown): Problem {
  return toProblem(error instanceof AppError ? error : internalError(error), job.id);
}

/** Ends jobs; who handles the queue hears of it in the same transaction. */
@Injectable()
export class JobCompletionService {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly unit: UnitOfWork,
    private readonly jobs: JobsStore,
    private readonly leases: LeasesStore,
    private readonly handlers: JobHandlerRegistry,
    private readonly metrics: Metrics,
  ) {}

  /** Ends a job that a worker of this replica runs. @returns false, and writes nothing, when it does not hold it any more */
  async complete(job: Job, outcome: JobOutcome, progress: object | null): Promise<boolean> {
    const ended = await this.writeOutcome(job, outcome, () => this.leases.complete(job, outcome, { progress }));
    if (ended) this.recordOutcome(job, outcome);
    return ended;
  }

  /** Ends a job whose worker died. Nobody is left to try again, so it ends even when its queue does not want to hear of it. */
  async completeOverdue(job: Job, outcome: JobOutcome): Promise<boolean> {
    const write = () => this.leases.complete(job, outcome, { overdue: true });
    const ended = await this.writeOutcome(job, outcome, write).catch((error: unknown) => {
      if (isDatabaseOutage(error)) throw error;
      this.logger.error(error, `the completion of job ${job.id} of ${job.queue} could not be notified`);
      return write();
    });
    if (ended) this.recordOutcome(job, outcome);
    return ended;
  }

  /** Cancels a job: at once when it waits, else its handler is notified. @returns the job, unless it had ended before */
  async cancel(id: string): Promise<Job | null> {
    return this.unit.run(async () => {
      const job = await this.jobs.requestCancel(id);
      if (!job || !isFinishedJob(job)) return job;
      // Who cancels may know less than the job's listener has to write.
      await this.unit.runAsSystem('the end of a job', async () => this.handlers.find(job.queue)?.onEnded?.(job));
      this.unit.afterCommit(() => this.recordOutcome(job, { status: 'cancelled' }));
      return job;
    });
  }

  /** The listener comes first, so that locks are taken in the order of features: their own records, then the job. */
  private async writeOutcome(job: Job, outcome: JobOutcome, end: () => Promise<boolean>): Promise<boolean> {
    const listener = this.handlers.find(job.queue);
    if (!listener?.onEnded) return end();
    try {
      await this.unit.run(async () => {
        await listener.onEnded?.(toFinishedJob(job, outcome));
        if (!(await end())) throw new LeaseLost();
      });
      return true;
    } catch (error) {
      if (error instanceof LeaseLost) return false;
      throw error;
    }
  }

  private recordOutcome({ id, queue, attempt }: Job, outcome: JobOutcome): void {
    this.metrics.jobs.inc({ queue, outcome: outcome.status });
    if (outcome.status !== 'failed') return;
    const { code, detail } = outcome.error;
    this.logger.warn({ job: id, queue, attempt, code }, `job failed: ${detail}`);
  }
}

/** Rolls back what the listener did. */
class LeaseLost extends Error {}

function toFinishedJob(job: Job, outcome: JobOutcome): FinishedJob {
  return { ...job, result: null, error: null, ...outcome, finishedAt: new Date() };
}
