import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import { Refusals } from '../core/access/refusals.js';
import { backoff } from '../core/backoff.js';
import { isDatabaseOutage } from '../core/errors/database-outage.js';
import { AppError } from '../core/errors/app-error.js';
import { Metrics } from '../core/telemetry/metrics.service.js';
import { runInRequestContext } from '../core/telemetry/request-context.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { JobAborted } from './job-aborted.js';
import { JobCompletionService, toJobProblem } from './job-completion.service.js';
import { type JobContext, type JobHandler, JobHandlerRegistry, defaultRetryDelayMs } from './job-handler.registry.js';
import { JobSettings } from './job-settings.js';
import type { Job, JobOutcome } from './job.js';
import { LeasesStore, type RequeueOptions } from './leases.store.js';
import { ProgressWriter } from './progress-writer.js';
import type { RunningJob } from './running-job.js';
import { toJsonb } from '../core/json/jsonb.js';

const MAX_WRITE_ATTEMPTS = 3;
const MAX_OUTAGE_ATTEMPTS = 10;
const INITIAL_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;

/** Runs one job from its claim to what follows from how its handler came out. */
@Injectable()
export class JobRunner {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly handlers: JobHandlerRegistry,
    private readonly leases: LeasesStore,
    private readonly completion: JobCompletionService,
    private readonly settings: JobSettings,
    private readonly unit: UnitOfWork,
    private readonly metrics: Metrics,
    private readonly refusals: Refusals,
  ) {}

  /** Never throws: what cannot be written is left to the end of the lease. */
  async run(running: RunningJob): Promise<void> {
    const { job } = running;
    const handler = this.handlers.find(job.queue);
    if (!handler) return;
    const actor = Actor.system(`job ${job.queue}`);
    const { requestedBy, organizationId } = job;
    const party = {
      ...(requestedBy ? { onBehalfOf: requestedBy } : {}),
      ...(organizationId ? { organizationId } : {}),
    };
    const origin = { via: 'job' } as const;
    await runInRequestContext({ requestId: job.id, actor, origin, ...party }, async () => {
      const started = performance.now();
      // What the server does by itself every hour is of interest only when it fails.
      const level = job.requestedBy ? 'log' : 'debug';
      this.logger[level]({ job: job.id, queue: job.queue, attempt: job.attempt }, 'job started');
      const end = await this.execute(running, handler, actor).catch((error: unknown) => {
        this.logger.error(error, `the end of job ${job.id} of ${job.queue} could not be written`);
        return 'unwritten';
      });
      const ms = Math.round(performance.now() - started);
      this.logger[level]({ job: job.id, queue: job.queue, attempt: job.attempt, end, ms }, 'job ended');
    });
  }

  private async execute(running: RunningJob, handler: JobHandler, actor: Actor): Promise<string> {
    const { job, signal } = running;
    const progress = new ProgressWriter(
      (value) => this.unit.runOutside(() => this.leases.saveProgress(job, value)),
      () => this.settings.progressMs,
    );
    const context: JobContext = {
      actor,
      requestedBy: job.requestedBy,
      signal,
      reportProgress: (value) => progress.report(value),
      assertLeased: async () => {
        if (!(await this.leases.lockHeld(job))) throw new JobAborted('lease lost');
      },
    };
    let verdict: JobVerdict;
    try {
      verdict = toSuccessVerdict(await handler.handle(job, context));
    } catch (error) {
      verdict = this.decideAfterFailure(running, handler, error);
    }
    const untold = progress.close();
    running.isEnding = true;
    return this.retryWrite(running, () => this.applyVerdict(job, verdict, untold));
  }

  /** What follows from a failure. */
  private decideAfterFailure(
    { job, abortReason: aborted }: RunningJob,
    { retryDelayMs: retryIn = defaultRetryDelayMs }: JobHandler,
    error: unknown,
  ): JobVerdict {
    const why = error instanceof JobAborted ? error.reason : aborted;
    if (why === 'lease lost') return { as: 'lost' };
    if (why === 'cancelled') return { end: { status: 'cancelled' } };
    if (why === 'shutting down') return { as: 'released', putBack: {} };
    // The database is no fault of the job: it is run again as one that was left, which counts no failure.
    if (isDatabaseOutage(error) && job.attempt < MAX_OUTAGE_ATTEMPTS)
      return { as: 'released', putBack: { delayMs: defaultRetryDelayMs(1) } };
    if (error instanceof AppError) this.refusals.report(error, { operation: `job ${job.queue}` });
    if (!(error instanceof AppError)) this.logger.error(error, `job ${job.id} of ${job.queue} failed`);
    const problem = toJobProblem(job, error);
    const failures = job.failures + 1;
    const delayMs = failures < job.mostAttempts ? retryIn(failures, error) : null;
    if (delayMs === null) return { end: { status: 'failed', error: problem } };
    const { id, queue, attempt } = job;
    this.logger.warn({ job: id, queue, attempt, code: problem.code }, `job is tried again: ${problem.detail}`);
    return { as: 'retried', putBack: { failed: true, delayMs, error: problem } };
  }

  /** @returns in a word what became of the job */
  private async applyVerdict(job: Job, verdict: JobVerdict, progress: object | null): Promise<string> {
    if ('putBack' in verdict && (await this.leases.requeue(job, { ...verdict.putBack, progress }))) {
      this.metrics.jobs.inc({ queue: job.queue, outcome: verdict.as });
      return verdict.as;
    }
    if ('as' in verdict && verdict.as === 'lost') return verdict.as;
    // What was not put back is to be cancelled, or was lost; that is told apart by whether it can be ended.
    const outcome = 'end' in verdict ? verdict.end : ({ status: 'cancelled' } as const);
    return (await this.completion.complete(job, outcome, progress)) ? outcome.status : 'lost';
  }

  /** While the database is away this goes on until the lease is over; the lease is prolonged when it is back before. */
  private async retryWrite(running: RunningJob, attempt: () => Promise<string>): Promise<string> {
    for (let tries = 1; ; tries++)
      try {
        return await attempt();
      } catch (error) {
        if (isDatabaseOutage(error) ? performance.now() > running.leaseEnds : tries >= MAX_WRITE_ATTEMPTS) throw error;
        await sleep(backoff(tries, INITIAL_PAUSE_MS, MAX_PAUSE_MS), undefined, { ref: false });
      }
  }
}

/** What is to be done with a job whose handler has come out. */
type JobVerdict = { end: JobOutcome } | { as: 'retried' | 'released'; putBack: RequeueOptions } | { as: 'lost' };

/** @throws when the result is no JSON */
function toSuccessVerdict(result: unknown): JobVerdict {
  toJsonb(result);
  return { end: { status: 'succeeded', result: result ?? null } };
}
