import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseOutage } from '../core/errors/database-outage.js';
import { JobHandlerRegistry } from './job-handler.registry.js';
import { type JobNotification, JobNotifications } from './job-notifications.js';
import { JobSettings } from './job-settings.js';
import type { LeaseWatch } from '../core/leases/lease-keeper.service.js';
import { PeriodicJobsService } from './periodic-jobs.service.js';
import { RunningJobsService } from './running-jobs.service.js';
import { WakeSignal } from './wake-signal.js';

const STALE_MS = 10_000;

/** Claims due jobs on notification and by polling, and keeps the leases of running ones. */
@Injectable()
export class JobWorker {
  private readonly logger = new Logger('Jobs');
  private readonly wakeSignal = new WakeSignal();
  private readonly stopListening: (() => void)[] = [];
  private claimLoop: Promise<void> | null = null;
  private leases: LeaseWatch | null = null;
  private stopping = false;
  private claimedAt = -Infinity;
  private isFailing = false;

  constructor(
    private readonly handlers: JobHandlerRegistry,
    private readonly running: RunningJobsService,
    private readonly periodic: PeriodicJobsService,
    private readonly notices: JobNotifications,
    private readonly settings: JobSettings,
  ) {}

  /** Whether it claims jobs: false before the start, and while the database is unavailable. */
  isAlive(): boolean {
    return performance.now() - this.claimedAt < this.settings.pollMs + STALE_MS;
  }

  /** The number of running jobs. */
  get runningCount(): number {
    return this.running.size;
  }

  /** Polls immediately. */
  wake(): void {
    this.wakeSignal.notify();
  }

  start(): void {
    this.stopListening.push(
      this.notices.subscribe((notice) => this.handleNotification(notice)),
      this.notices.onReconnect(() => this.handleReconnect()),
    );
    this.claimLoop = this.claimUntilStopped();
    this.leases = this.running.keepLeases();
  }

  /**
   * Stops claiming jobs, waits for running ones, and releases those that do not end in time to other replicas.
   * @returns the number released
   */
  async stop(): Promise<number> {
    this.stopping = true;
    this.wakeSignal.notify();
    await this.claimLoop;
    const left = await this.running.drain();
    this.leases?.stop();
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
      const count = await this.running.claim(() => this.wakeSignal.notify());
      this.claimedAt = performance.now();
      this.isFailing = false;
      return count;
    } catch (error) {
      if (!this.isFailing && !this.stopping && !isDatabaseOutage(error))
        this.logger.warn(error, 'jobs could not be claimed, trying again');
      this.isFailing = true;
      return 0;
    }
  }

  private handleNotification(notice: JobNotification): void {
    if (notice.kind === 'ready' && (notice.queue === null || this.handlers.find(notice.queue)))
      this.wakeSignal.notify();
    if (notice.kind !== 'cancel') return;
    this.running.cancel(notice.id);
  }

  private handleReconnect(): void {
    this.wakeSignal.notify();
    this.leases?.renew();
  }
}
