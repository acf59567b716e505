import { Injectable, Logger } from '@nestjs/common';
import { Refusals } from '../core/authorization/refusals.js';
import { AppError } from '../core/errors/app-error.js';
import { isDatabaseOutage } from '../core/errors/database-outage.js';
import { toJsonb } from '../core/json/jsonb.js';
import { Metrics } from '../core/telemetry/metrics.service.js';
import { RepeatLog } from '../core/telemetry/repeat-log.js';
import { JobAborted } from './job-aborted.js';
import { JobCompletionService, toJobProblem } from './job-completion.service.js';
import { type JobHandler, defaultRetryDelayMs } from './job-handler.registry.js';
import type { Job, JobOutcome } from './job.js';
import { LeasesStore, type RequeueOptions } from './leases.store.js';
import type { RunningJob } from './running-job.js';

const MAX_OUTAGE_ATTEMPTS = 10;

/** The state of a job after its handler: a final status, requeued, or lost to another worker. */
export type JobSettlement =
  { end: JobOutcome } | { as: 'retried' | 'released'; putBack: RequeueOptions } | { as: 'lost' };

/** Determines and stores the state of a job after its handler. */
@Injectable()
export class JobSettlementService {
  private readonly logger = new Logger('Jobs');
  private readonly retries = new RepeatLog(this.logger);

  constructor(
    private readonly leases: LeasesStore,
    private readonly completion: JobCompletionService,
    private readonly metrics: Metrics,
    private readonly refusals: Refusals,
  ) {}

  /** Decides whether a failed job ends, is retried, or is requeued without counting a failure. */
  decideAfterFailure(
    { job, abortReason: aborted }: RunningJob,
    { retryDelayMs: retryIn = defaultRetryDelayMs }: JobHandler,
    error: unknown,
  ): JobSettlement {
    const why = error instanceof JobAborted ? error.reason : aborted;
    if (why === 'lease lost') return { as: 'lost' };
    if (why === 'cancelled') return { end: { status: 'cancelled' } };
    if (why === 'shutting down') return { as: 'released', putBack: {} };
    // A database outage is not a failure of the job: it is requeued without counting one.
    if (isDatabaseOutage(error) && job.attempt < MAX_OUTAGE_ATTEMPTS)
      return { as: 'released', putBack: { delayMs: defaultRetryDelayMs(1) } };
    if (error instanceof AppError) this.refusals.report(error, { operation: `job ${job.queue}` });
    if (!(error instanceof AppError)) this.logger.error(error, `job ${job.id} of ${job.queue} failed`);
    const problem = toJobProblem(job, error);
    const failures = job.failures + 1;
    const delayMs = failures < job.mostAttempts ? retryIn(failures, error) : null;
    if (delayMs === null) return { end: { status: 'failed', error: problem } };
    const { id, queue, attempt } = job;
    const { code, detail } = problem;
    this.retries.warn(`${queue} ${code}`, { job: id, queue, attempt, code }, `the job will be retried: ${detail}`);
    return { as: 'retried', putBack: { failed: true, delayMs, error: problem } };
  }

  /** @returns the resulting state: a final status, `retried`, `released` or `lost` */
  async settle(job: Job, settlement: JobSettlement, progress: object | null): Promise<string> {
    if ('putBack' in settlement && (await this.leases.requeue(job, { ...settlement.putBack, progress }))) {
      this.metrics.jobs.inc({ queue: job.queue, outcome: settlement.as });
      return settlement.as;
    }
    if ('as' in settlement && settlement.as === 'lost') return settlement.as;
    // A job that could not be requeued was cancelled or lost; ending it as cancelled succeeds only in the first
    // case.
    const outcome = 'end' in settlement ? settlement.end : ({ status: 'cancelled' } as const);
    return (await this.completion.complete(job, outcome, progress)) ? outcome.status : 'lost';
  }
}

/** @throws Error when the result is not JSON */
export function settleSuccess(result: unknown): JobSettlement {
  toJsonb(result);
  return { end: { status: 'succeeded', result: result ?? null } };
}
