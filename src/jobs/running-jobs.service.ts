import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Lease } from '../core/leases/lease.js';
import { LeaseKeeper, type LeaseWatch } from '../core/leases/lease-keeper.service.js';
import { WorkerPresence } from '../core/leases/worker-presence.js';
import type { Job } from './job.js';
import { JobHandlerRegistry } from './job-handler.registry.js';
import { JobRunner } from './job-runner.js';
import { JobSettings } from './job-settings.js';
import { LeasesStore, type QueueCapacity } from './leases.store.js';
import { OverdueJobsService } from './overdue-jobs.service.js';
import { RunningJob } from './running-job.js';

/** How many jobs of a queue may wait without a place of their own. */
const MAX_WAITING = 50;

/** The jobs that this process runs, with their leases. */
@Injectable()
export class RunningJobsService {
  private readonly logger = new Logger('Jobs');
  private readonly running = new Map<RunningJob, Promise<void>>();

  constructor(
    private readonly handlers: JobHandlerRegistry,
    private readonly leases: LeasesStore,
    private readonly runner: JobRunner,
    private readonly settings: JobSettings,
    private readonly presence: WorkerPresence,
    private readonly overdue: OverdueJobsService,
    private readonly keeper: LeaseKeeper,
  ) {}

  get size(): number {
    return this.running.size;
  }

  /**
   * Claims and runs as many due jobs as there is capacity for.
   * @param onFree called when another job may take the place of one: it has ended, or only waits
   * @returns the number claimed
   */
  async claim(onFree: () => void): Promise<number> {
    const capacities = this.findCapacity();
    const askedAt = performance.now();
    const jobs =
      capacities.length > 0 ? await this.leases.claim(this.presence.id, capacities, this.settings.leaseMs) : [];
    for (const job of jobs) this.run(job, new Lease(askedAt, this.settings.leaseMs), onFree);
    return jobs.length;
  }

  cancel(id: string): void {
    for (const running of this.running.keys()) if (running.job.id === id) running.abort('cancelled');
  }

  /** Keeps the leases of the running jobs, and takes over the jobs of other workers that died. */
  keepLeases(): LeaseWatch {
    return this.keeper.watch<RunningJob>({
      table: 'job',
      key: { id: 'uuid', attempt: 'int' },
      hasWorker: true,
      heldSql: `status = 'running'`,
      returning: 'cancel_requested',
      times: this.settings,
      listHeld: () => [...this.running.keys()].filter((running) => running.abortReason !== 'lease lost'),
      keyOf: ({ job }) => [job.id, job.attempt],
      onRenewed: (running, isCancelled) => isCancelled && running.abort('cancelled'),
      lose: (running) => running.isEnding || running.abort('lease lost'),
      takeOver: () => this.overdue.recover(),
    });
  }

  /**
   * Waits for the jobs to end, aborts those that do not in time, and releases them to other workers.
   * @returns the number aborted
   */
  async drain(): Promise<number> {
    await this.waitForEnd(this.settings.drainMs);
    const left = this.running.size;
    for (const running of this.running.keys()) running.abort('shutting down');
    await this.waitForEnd(this.settings.graceMs);
    for (const { job } of this.running.keys())
      await this.leases.requeue(job).catch((error: unknown) => this.logger.warn(error, 'a job could not be released'));
    return left;
  }

  private run(job: Job, lease: Lease, onFree: () => void): void {
    const running = new RunningJob(job, lease, onFree);
    if (job.cancelRequested) running.abort('cancelled');
    const done = this.runner.run(running).finally(() => {
      this.running.delete(running);
      onFree();
    });
    this.running.set(running, done);
  }

  private findCapacity(): QueueCapacity[] {
    const waiting = new Map<string, number>();
    const working = new Map<string, number>();
    for (const { job, isWaiting } of this.running.keys()) {
      const counts = isWaiting ? waiting : working;
      counts.set(job.queue, (counts.get(job.queue) ?? 0) + 1);
    }
    return this.handlers.list().flatMap<QueueCapacity>(({ queue, concurrency, reserve = 0 }) => {
      const taken = (working.get(queue) ?? 0) + Math.max(0, (waiting.get(queue) ?? 0) - MAX_WAITING);
      const free = concurrency - taken;
      if (free > 0) return [{ queue, slots: free, isReserve: false }];
      // One at a time, because the next claim depends on who has a running job.
      return free + reserve > 0 ? [{ queue, slots: 1, isReserve: true }] : [];
    });
  }

  private async waitForEnd(withinMs: number): Promise<void> {
    if (this.running.size === 0) return;
    const patience = new AbortController();
    const late = sleep(withinMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.running.values()), late]);
    patience.abort();
  }
}
