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
  /** Ends the wait when the caller has disconnected. */
  signal?: AbortSignal;
}

/** Requests that wait for the end of a job, wherever it runs. */
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

  /** Notifies all waiting callers that their jobs have not ended, and accepts no further ones. @returns how many waited */
  stop(): number {
    this.isStopped = true;
    const waited = [...this.waiting.values()].reduce((sum, waiters) => sum + waiters.size, 0);
    for (const waiters of this.waiting.values()) for (const settle of [...waiters]) settle(null);
    for (const stop of this.stopListening) stop();
    return waited;
  }

  /**
   * Waits for the end of a job, outside of any unit of work: a job that was enqueued there has not begun.
   * @returns null when it has not ended in time
   * @throws NotFound; what `signal` was aborted with
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
    // A caller that has gone is not notified.
    ended.catch(() => undefined);
    this.poll();
    return { ended, leave };
  }

  /** One statement for all that wait here, for as long as anyone does. */
  private poll(): void {
    this.polling ??= setTimeout(() => {
      this.polling = null;
      if (this.waiting.size === 0) return;
      void this.settleFinished([...this.waiting.keys()]).finally(() => this.poll());
    }, this.settings.pollMs).unref();
  }

  private async settleFinished(ids: string[]): Promise<void> {
    // When the database does not answer, the next look will.
    const finished = await this.unit.runOutside(() => this.jobs.findFinished(ids)).catch(() => []);
    for (const job of finished) for (const settle of [...(this.waiting.get(job.id) ?? [])]) settle(job);
  }
}
