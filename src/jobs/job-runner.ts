import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import { backoff } from '../core/backoff.js';
import { isDatabaseOutage } from '../core/errors/database-outage.js';
import { runInRequestContext } from '../core/telemetry/request-context.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { JobAborted } from './job-aborted.js';
import { type JobContext, type JobHandler, JobHandlerRegistry } from './job-handler.registry.js';
import { JobSettings } from './job-settings.js';
import { type JobSettlement, JobSettlementService, settleSuccess } from './job-settlement.service.js';
import { LeasesStore } from './leases.store.js';
import { ProgressWriter } from './progress-writer.js';
import type { RunningJob } from './running-job.js';

const MAX_WRITE_ATTEMPTS = 3;
const INITIAL_PAUSE_MS = 200;
const MAX_PAUSE_MS = 2_000;

/** Runs one job, from its claim to the stored outcome. */
@Injectable()
export class JobRunner {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly handlers: JobHandlerRegistry,
    private readonly leases: LeasesStore,
    private readonly settlement: JobSettlementService,
    private readonly settings: JobSettings,
    private readonly unit: UnitOfWork,
  ) {}

  /** Never throws: an outcome that cannot be stored is handled when the lease expires. */
  async run(running: RunningJob): Promise<void> {
    const { job } = running;
    const handler = this.handlers.find(job.queue);
    if (!handler) return;
    const actor = Actor.system(`job ${job.queue}`);
    const { requestedBy, organizationId } = job;
    const party = {
      ...(requestedBy ? { onBehalfOf: requestedBy, operationId: job.id } : {}),
      ...(organizationId ? { organizationId } : {}),
    };
    const origin = { via: 'job' } as const;
    await runInRequestContext({ requestId: job.id, actor, origin, ...party }, async () => {
      const started = performance.now();
      // Periodic jobs of the server are logged at debug level unless they fail.
      const level = job.requestedBy ? 'log' : 'debug';
      this.logger[level]({ job: job.id, queue: job.queue, attempt: job.attempt }, 'job started');
      const end = await this.execute(running, handler, actor).catch((error: unknown) => {
        this.logger.error(error, `the outcome of job ${job.id} of ${job.queue} could not be written`);
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
      endTurn: async () => {
        await this.leases.endTurn(job);
        running.beginWaiting();
      },
    };
    let settlement: JobSettlement;
    try {
      settlement = settleSuccess(await handler.handle(job, context));
    } catch (error) {
      settlement = this.settlement.decideAfterFailure(running, handler, error);
    }
    const unsaved = progress.close();
    running.isEnding = true;
    return this.retryWrite(running, () => this.settlement.settle(job, settlement, unsaved));
  }

  /** Retries during a database outage until the lease expires. The lease is renewed when the database recovers in time. */
  private async retryWrite(running: RunningJob, attempt: () => Promise<string>): Promise<string> {
    for (let tries = 1; ; tries++)
      try {
        return await attempt();
      } catch (error) {
        if (isDatabaseOutage(error) ? !running.lease.isHeld : tries >= MAX_WRITE_ATTEMPTS) throw error;
        await sleep(backoff(tries, INITIAL_PAUSE_MS, MAX_PAUSE_MS), undefined, { ref: false });
      }
  }
}
