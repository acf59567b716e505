import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { NotFound } from '../core/errors/app-error.js';
import { type FinishedJob, isFinishedJob } from './job.js';
import { JobNotifications } from './job-notifications.js';
import { JobSettings } from './job-settings.js';
import { JobsStore } from './jobs.store.js';

type Settle = (job: FinishedJob | null) => void;

export interface WaitOptions {
  timeoutMs: number;
  /** Aborts the wait, for instance when the client disconnects. */
  signal?: AbortSignal;
}

/** Lets requests wait for the end of jobs on any replica. */
@Injectable()
export class JobWaiter {
  private readonly waiting = new Map<string, Set<Settle>>();
  private readonly stopListening: (() => void)[] = [];
  private polling: NodeJS.Timeout | null = null;
  private isStopped = false;

  constructor(
    private readonly jobs: JobsStore,
    private readonly notices: JobNotifications,
    private readonly settings: JobSettings,
    private readonly unit: UnitOfWork,
  ) {}

  start(): void {
    this.stopListening.push(
      this.notices.subscribe((notice) => {
        if (notice.kind === 'ended' && this.waiting.has(notice.id)) void this.settleFinished([notice.id]);
      }),
      this.notices.onReconnect(() => void this.settleFinished([...this.waiting.keys()])),
    );
  }

  /** Rejects all pending and future waits on shutdown. @returns the number of pending waits */
  stop(): number {
    this.isStopped = true;
    const waited = [...this.waiting.values()].reduce((sum, waiters) => sum + waiters.size, 0);
    for (const waiters of this.waiting.values()) for (const settle of [...waiters]) settle(null);
    for (const stop of this.stopListening) stop();
    return waited;
  }

  /**
   * Waits for the end of a job. Not for use inside a unit of work, because a job enqueued there starts after the
   * commit.
   * @returns null on a timeout
   * @throws NotFound
   * @throws the reason of `signal`
   */
  async waitUntilFinished(id: string, { timeoutMs, signal }: WaitOptions): Promise<FinishedJob | null> {
    if (this.unit.isOpen) throw new Error('a job cannot end before the transaction that waits for it');
    signal?.throwIfAborted();
    const wait = this.addWaiter(id, timeoutMs, signal);
    try {
      const job = await this.jobs.find(id);
      if (!job) throw new NotFound('operation', id);
      if (isFinishedJob(job)) return job;
      return await wait.ended;
    } finally {
      wait.leave();
    }
  }

  private addWaiter(
    id: string,
    timeoutMs: number,
    signal?: AbortSignal,
  ): { ended: Promise<FinishedJob | null>; leave(): void } {
    let leave = (): void => undefined;
    const ended = new Promise<FinishedJob | null>((resolve, reject) => {
      const giveUp = () => reject(signal?.reason as Error);
      const timer = setTimeout(resolve, this.isStopped ? 0 : timeoutMs, null);
      const waiters = this.waiting.get(id) ?? new Set();
      this.waiting.set(id, waiters.add(resolve));
      signal?.addEventListener('abort', giveUp, { once: true });
      leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
        waiters.delete(resolve);
        if (waiters.size === 0 && this.waiting.get(id) === waiters) this.waiting.delete(id);
      };
    });
    // A client that has disconnected is not notified.
    ended.catch(() => undefined);
    this.poll();
    return { ended, leave };
  }

  /** Polls with one statement for all waits, while there are any. */
  private poll(): void {
    this.polling ??= setTimeout(() => {
      this.polling = null;
      if (this.waiting.size === 0) return;
      void this.settleFinished([...this.waiting.keys()]).finally(() => this.poll());
    }, this.settings.pollMs).unref();
  }

  private async settleFinished(ids: string[]): Promise<void> {
    // During a database outage, the next poll will find the job.
    const finished = await this.unit.runOutside(() => this.jobs.findFinished(ids)).catch(() => []);
    for (const job of finished) for (const settle of [...(this.waiting.get(job.id) ?? [])]) settle(job);
  }
}
