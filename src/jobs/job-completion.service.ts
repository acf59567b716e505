import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseOutage } from '../core/errors/database-outage.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { AppError } from '../core/errors/app-error.js';
import { internalError, type Problem, toProblem } from '../core/errors/problem.js';
import { Metrics } from '../core/telemetry/metrics.service.js';
import { currentRequest, onBehalfOf } from '../core/telemetry/request-context.js';
import { isFinishedJob, type FinishedJob, type Job, type JobOutcome } from './job.js';
import { JobHandlerRegistry } from './job-handler.registry.js';
import { JobsStore } from './jobs.store.js';
import { LeasesStore } from './leases.store.js';

/**
 * Converts an error of a job for callers: application errors are kept, others are replaced by the id under which
 * they are logged.
 */
export function toJobProblem(job: Job, error: unknown): Problem {
  return toProblem(error instanceof AppError ? error : internalError(error), job.id);
}

/** Ends jobs, and notifies the handler of their queue in the same transaction. */
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

  /**
   * Ends a job that a worker of this replica runs.
   * @returns false, without a change, when the worker no longer holds the job
   */
  async complete(job: Job, outcome: JobOutcome, progress: object | null): Promise<boolean> {
    const ended = await this.writeOutcome(job, outcome, () => this.leases.complete(job, outcome, { progress }));
    if (ended) this.recordOutcome(job, outcome);
    return ended;
  }

  /** Ends a job whose worker died. It ends even when the handler's listener throws, because nothing would retry it. */
  async completeOverdue(job: Job, outcome: JobOutcome): Promise<boolean> {
    const write = () => this.leases.complete(job, outcome, { overdue: true });
    const ended = await this.writeOutcome(job, outcome, write).catch((error: unknown) => {
      if (isDatabaseOutage(error)) throw error;
      this.logger.error(error, `the handler of ${job.queue} could not be notified of the end of job ${job.id}`);
      return write();
    });
    if (ended) this.recordOutcome(job, outcome);
    return ended;
  }

  /**
   * Cancels a job: a queued one immediately; otherwise its handler is notified.
   * @returns the job, or null when it had ended before
   */
  async cancel(id: string): Promise<Job | null> {
    return this.unit.run(async () => {
      const { actor, onBehalfOf } = currentRequest() ?? {};
      const job = await this.jobs.requestCancel(id, actor?.userId ?? onBehalfOf ?? null);
      if (!job || !isFinishedJob(job)) return job;
      // The canceller may lack permissions for what the listener of the job writes.
      await this.unit.runAsSystem('the end of a job', async () => this.handlers.find(job.queue)?.onEnded?.(job));
      this.unit.afterCommit(() => this.recordOutcome(job, { status: 'cancelled' }));
      return job;
    });
  }

  /**
   * Runs the listener before the job is updated, so that locks are taken in the same order everywhere: records of
   * the feature, then the job.
   */
  private async writeOutcome(job: Job, outcome: JobOutcome, end: () => Promise<boolean>): Promise<boolean> {
    const listener = this.handlers.find(job.queue);
    if (!listener?.onEnded) return end();
    const cancelledBy = outcome.status === 'cancelled' ? await this.jobs.findCanceller(job.id) : null;
    try {
      await onBehalfOf(cancelledBy, () =>
        this.unit.run(async () => {
          await listener.onEnded?.({ ...toFinishedJob(job, outcome), cancelledBy });
          if (!(await end())) throw new LeaseLost();
        }),
      );
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

/** Thrown to roll back the changes of the listener. */
class LeaseLost extends Error {}

function toFinishedJob(job: Job, outcome: JobOutcome): FinishedJob {
  return { ...job, result: null, error: null, ...outcome, finishedAt: new Date() };
}
