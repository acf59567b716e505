import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Job } from './job.js';
import { JobHandlerRegistry } from './job-handler.registry.js';
import { JobRunner } from './job-runner.js';
import { JobSettings } from './job-settings.js';
import { LeasesStore, type QueueCapacity } from './leases.store.js';
import { RunningJob } from './running-job.js';
import { WorkerPresence } from './worker-presence.js';

/** The jobs that this process runs, and its leases on them. */
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
  ) {}

  get size(): number {
    return this.running.size;
  }

  /**
   * Claims as many due jobs as there is capacity for, and runs them.
   * @param onEnded called at the end of each
   * @returns how many it claimed
   */
  async claim(onEnded: () => void): Promise<number> {
    const capacities = this.findCapacity();
    const leaseEnds = performance.now() + this.settings.leaseMs;
    const jobs =
      capacities.length > 0 ? await this.leases.claim(this.presence.id, capacities, this.settings.leaseMs) : [];
    for (const job of jobs) this.run(job, leaseEnds, onEnded);
    return jobs.length;
  }

  cancel(id: string): void {
    for (const running of this.running.keys()) if (running.job.id === id) running.abort('cancelled');
  }

  /** Aborts the jobs whose leases are over, which another process may run by now. */
  abortExpired(): void {
    const now = performance.now();
    for (const running of this.running.keys()) if (running.leaseEnds <= now) running.abort('lease lost');
  }

  /** One statement for all that runs here: which of it is still held, and which is to be cancelled. */
  async renewLeases(): Promise<void> {
    const asked = [...this.running.keys()].filter((running) => running.abortReason !== 'lease lost');
    if (asked.length === 0) return;
    const leaseEnds = performance.now() + this.settings.leaseMs;
    const held = await this.leases.renew(
      this.presence.id,
      asked.map(({ job }) => job),
      this.settings.leaseMs,
    );
    const renewed = new Map(held.map((lease) => [`${lease.id} ${lease.attempt}`, lease]));
    for (const running of asked) {
      const lease = renewed.get(`${running.job.id} ${running.job.attempt}`);
      if (lease) running.leaseEnds = leaseEnds;
      if (lease?.cancelRequested) running.abort('cancelled');
      if (!lease && !running.isEnding) running.abort('lease lost');
    }
  }

  /**
   * Lets the jobs come to an end, aborts those that do not in time, and at last gives them up for others to take.
   * @returns how many were aborted
   */
  async drain(): Promise<number> {
    await this.waitForEnd(this.settings.drainMs);
    const left = this.running.size;
    for (const running of this.running.keys()) running.abort('shutting down');
    await this.waitForEnd(this.settings.graceMs);
    for (const { job } of this.running.keys())
      await this.leases.requeue(job).catch((error: unknown) => this.logger.warn(error, 'a job could not be given up'));
    return left;
  }

  private run(job: Job, leaseEnds: number, onEnded: () => void): void {
    const running = new RunningJob(job, leaseEnds);
    if (job.cancelRequested) running.abort('cancelled');
    const done = this.runner.run(running).finally(() => {
      this.running.delete(running);
      onEnded();
    });
    this.running.set(running, done);
  }

  private findCapacity(): QueueCapacity[] {
    const counts = new Map<string, number>();
    for (const { job } of this.running.keys()) counts.set(job.queue, (counts.get(job.queue) ?? 0) + 1);
    return this.handlers.list().flatMap<QueueCapacity>(({ queue, concurrency, reserve = 0 }) => {
      const free = concurrency - (counts.get(queue) ?? 0);
      if (free > 0) return [{ queue, slots: free, isReserve: false }];
      // One at a time: the next has to see that it runs.
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
