import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import { AppError } from '../core/errors/app-error.js';
import { Metrics } from '../core/telemetry/metrics.js';
import { inRequest } from '../core/telemetry/request-context.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { JobEndings, problemOfJob } from './job-endings.js';
import { type JobHandler, JobHandlers, usualDelay } from './job-handlers.js';
import { JobSettings } from './job-settings.js';
import type { Outcome } from './job.js';
import { LeasesStore } from './leases.store.js';
import { Progress } from './progress.js';
import type { RunningJob } from './running-job.js';
import { storedJson } from './stored-json.js';

const TRIES_TO_WRITE = 3;

/** Runs one job from its claim to what follows from how its handler came out. */
@Injectable()
export class JobRunner {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly handlers: JobHandlers,
    private readonly leases: LeasesStore,
    private readonly endings: JobEndings,
    private readonly settings: JobSettings,
    private readonly unit: UnitOfWork,
    private readonly metrics: Metrics,
  ) {}

  /** Never throws: what cannot be written is left to the end of the lease. */
  async run(running: RunningJob): Promise<void> {
    const { job } = running;
    const handler = this.handlers.of(job.queue);
    if (!handler) return;
    const actor = Actor.system(`job ${job.queue}`);
    await inRequest({ requestId: job.id, actor }, async () => {
      const started = performance.now();
      this.logger.log({ job: job.id, queue: job.queue, attempt: job.attempt }, 'job started');
      const end = await this.perform(running, handler, actor).catch((error: unknown) => {
        this.logger.error(error, `the end of job ${job.id} of ${job.queue} could not be written`);
        return 'unwritten';
      });
      const ms = Math.round(performance.now() - started);
      this.logger.log({ job: job.id, queue: job.queue, attempt: job.attempt, end, ms }, 'job ended');
    });
  }

  private async perform(running: RunningJob, handler: JobHandler, actor: Actor): Promise<string> {
    const { job, signal } = running;
    const progress = new Progress(
      (value) => this.unit.apart(() => this.leases.saveProgress(job, value)),
      () => this.settings.progressMs,
    );
    let outcome: Outcome | null = null;
    let failure: unknown;
    try {
      const tell = (value: object) => progress.tell(value);
      const result = await handler.handler(job, { actor, requestedBy: job.requestedBy, signal, progress: tell });
      storedJson(result);
      outcome = { status: 'succeeded', result: result ?? null };
    } catch (error) {
      failure = error;
    }
    const untold = progress.close();
    running.isEnding = true;
    return this.write(() =>
      outcome ? this.end(running, outcome, untold) : this.afterFailure(running, handler, failure, untold),
    );
  }

  /** The database may be away for a moment; the lease is prolonged meanwhile. */
  private async write(attempt: () => Promise<string>): Promise<string> {
    for (let tries = 1; ; tries++)
      try {
        return await attempt();
      } catch (error) {
        if (tries === TRIES_TO_WRITE) throw error;
        await sleep(200 * tries);
      }
  }

  private async end(running: RunningJob, outcome: Outcome, progress: object | null): Promise<string> {
    return (await this.endings.end(running.job, outcome, progress)) ? outcome.status : 'lost';
  }

  private async afterFailure(
    running: RunningJob,
    handler: JobHandler,
    error: unknown,
    progress: object | null,
  ): Promise<string> {
    const { job, aborted } = running;
    if (aborted === 'lease lost') return 'lost';
    if (aborted === 'cancelled') return this.end(running, { status: 'cancelled' }, progress);
    if (aborted === 'shutting down') return this.putBack(running, { progress }, 'released');
    const problem = problemOfJob(job, error);
    if (error instanceof AppError) this.logger.warn({ job: job.id, code: error.code }, `job failed: ${error.message}`);
    else this.logger.error(error, `job ${job.id} of ${job.queue} failed`);
    const failures = job.failures + 1;
    const delayMs = failures < job.mostAttempts ? (handler.retryIn ?? usualDelay)(failures, error) : null;
    if (delayMs === null) return this.end(running, { status: 'failed', error: problem }, progress);
    return this.putBack(running, { failed: true, delayMs, error: problem, progress }, 'retried');
  }

  private async putBack(
    running: RunningJob,
    why: Parameters<LeasesStore['putBack']>[1] & object,
    outcome: string,
  ): Promise<string> {
    const { job } = running;
    // It is put back unless it was lost or is to be cancelled; a lost one cannot be ended as cancelled either.
    if (!(await this.leases.putBack(job, why))) return this.end(running, { status: 'cancelled' }, why.progress ?? null);
    this.metrics.jobs.inc({ queue: job.queue, outcome });
    return outcome;
  }
}
