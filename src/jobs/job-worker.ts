import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseOutage } from '../core/errors/database-outage.js';
import { JobHandlerRegistry } from './job-handler.registry.js';
import { type JobNotification, JobNotifications } from './job-notifications.js';
import { JobSettings } from './job-settings.js';
import { LeaseKeeper, type LeaseWatch } from './lease-keeper.service.js';
import { PeriodicJobsService } from './periodic-jobs.service.js';
import { RunningJobsService } from './running-jobs.service.js';
import { WakeSignal } from './wake-signal.js';

const STALE_MS = 10_000;

/** Looks for jobs that are due, when it is woken and from time to time, and keeps the leases of those that run. */
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
    private readonly keeper: LeaseKeeper,
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
    this.leases = this.keeper.watch(this.running);
  }

  /**
   * Takes no more jobs, lets those that run come to an end, and at last gives up what does not, for others to take.
   * @returns how many it gave up
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
        this.logger.warn(error, 'jobs cannot be taken, trying again');
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
