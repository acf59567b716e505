import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseOutage } from '../core/database/database-outage.js';
import { WakeSignal } from './wake-signal.js';
import type { Job } from './job.js';
import { JobHandlerRegistry } from './job-handler.registry.js';
import { type JobNotification, JobNotifications } from './job-notifications.js';
import { JobRunner } from './job-runner.js';
import { JobSettings } from './job-settings.js';
import { LeasesStore } from './leases.store.js';
import { OverdueJobsService } from './overdue-jobs.service.js';
import { PeriodicJobsService } from './periodic-jobs.service.js';
import { RunningJob } from './running-job.js';

const STALE_MS = 10_000;

/** Takes jobs that are due, runs them and keeps their leases. */
@Injectable()
export class JobWorker {
  private readonly id = randomUUID();
  private readonly logger = new Logger('Jobs');
  private readonly wakeSignal = new WakeSignal();
  private readonly running = new Map<RunningJob, Promise<void>>();
  private readonly busy = new Set<string>();
  private readonly stopListening: (() => void)[] = [];
  private claimLoop: Promise<void> | null = null;
  private heartbeatTimer: NodeJS.Timeout | null = null;
  private stopping = false;
  private claimedAt = -Infinity;
  private isFailing = false;

  constructor(
    private readonly handlers: JobHandlerRegistry,
    private readonly leases: LeasesStore,
    private readonly runner: JobRunner,
    private readonly overdue: OverdueJobsService,
    private readonly periodic: PeriodicJobsService,
    private readonly notices: JobNotifications,
    private readonly settings: JobSettings,
  ) {}

  /** Whether it takes jobs: false before it started, and while the database does not let it. */
  isAlive(): boolean {
    return performance.now() - this.claimedAt < this.settings.pollMs + STALE_MS;
  }

  /** How many jobs it runs. */
  get runningCount(): number {
    return this.running.size;
  }

  /** Looks for work now. */
  wake(): void {
    this.wakeSignal.notify();
  }

  start(): void {
    this.stopListening.push(
      this.notices.subscribe((notice) => this.handleNotification(notice)),
      this.notices.onReconnect(() => this.handleReconnect()),
    );
    this.claimLoop = this.claimUntilStopped();
    this.heartbeat();
  }

  /**
   * Takes no more jobs, lets those that run come to an end, and at last gives up what does not, for others to take.
   * @returns how many it gave up
   */
  async stop(): Promise<number> {
    this.stopping = true;
    this.wakeSignal.notify();
    await this.claimLoop;
    await this.waitForRunning(this.settings.drainMs);
    const left = this.running.size;
    for (const running of this.running.keys()) running.abort('shutting down');
    await this.waitForRunning(this.settings.graceMs);
    for (const { job } of this.running.keys())
      await this.leases.requeue(job).catch((error: unknown) => this.logger.warn(error, 'a job could not be given up'));
    if (this.heartbeatTimer) clearTimeout(this.heartbeatTimer);
    for (const stop of this.stopListening) stop();
    return left;
  }

  private async claimUntilStopped(): Promise<void> {
    while (!this.stopping) {
      const taken = await this.claimDue();
      if (taken === 0) await this.wakeSignal.wait(this.settings.pollMs);
    }
  }

  private async claimDue(): Promise<number> {
    try {
      await this.periodic.enqueueDue();
      const places = this.freeCapacity();
      const leaseEnds = performance.now() + this.settings.leaseMs;
      const jobs = places.size > 0 ? await this.leases.claim(this.id, places, this.settings.leaseMs) : [];
      for (const job of jobs) this.run(job, leaseEnds);
      this.claimedAt = performance.now();
      this.isFailing = false;
      return jobs.length;
    } catch (error) {
      if (!this.isFailing && !this.stopping && !isDatabaseOutage(error))
        this.logger.warn(error, 'jobs cannot be taken, trying again');
      this.isFailing = true;
      return 0;
    }
  }

  private run(job: Job, leaseEnds: number): void {
    const running = new RunningJob(job, leaseEnds);
    if (job.cancelRequested) running.abort('cancelled');
    const done = this.runner.run(running).finally(() => {
      this.running.delete(running);
      this.wakeSignal.notify();
    });
    this.running.set(running, done);
  }

  private freeCapacity(): Map<string, number> {
    const places = this.handlers.places();
    for (const { job } of this.running.keys()) places.set(job.queue, (places.get(job.queue) ?? 0) - 1);
    return new Map([...places].filter(([, free]) => free > 0));
  }

  private handleNotification(notice: JobNotification): void {
    if (notice.kind === 'ready' && (notice.queue === null || this.handlers.find(notice.queue)))
      this.wakeSignal.notify();
    if (notice.kind !== 'cancel') return;
    for (const running of this.running.keys()) if (running.job.id === notice.id) running.abort('cancelled');
  }

  private handleReconnect(): void {
    this.wakeSignal.notify();
    void this.runExclusively('renew', () => this.renewLeases());
  }

  private heartbeat(): void {
    const now = performance.now();
    for (const running of this.running.keys()) if (running.leaseEnds <= now) running.abort('lease lost');
    void this.runExclusively('renew', () => this.renewLeases());
    void this.runExclusively('recover', () => this.overdue.recover());
    this.heartbeatTimer = setTimeout(() => this.heartbeat(), this.settings.heartbeatMs);
  }

  /** One statement for all that runs here: which of it is still held, and which is to be cancelled. */
  private async renewLeases(): Promise<void> {
    const asked = [...this.running.keys()].filter((running) => running.abortReason !== 'lease lost');
    if (asked.length === 0) return;
    const leaseEnds = performance.now() + this.settings.leaseMs;
    const held = await this.leases.renew(
      this.id,
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

  /** A statement that hangs must neither hold up the watch over the leases nor be sent again and again. */
  private async runExclusively(name: string, work: () => Promise<void>): Promise<void> {
    if (this.busy.has(name)) return;
    this.busy.add(name);
    await work()
      .catch((error: unknown) => {
        if (!isDatabaseOutage(error)) this.logger.warn(error, `jobs: ${name} failed, trying again`);
      })
      .finally(() => this.busy.delete(name));
  }

  private async waitForRunning(withinMs: number): Promise<void> {
    if (this.running.size === 0) return;
    const patience = new AbortController();
    const late = sleep(withinMs, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.running.values()), late]);
    patience.abort();
  }
}
