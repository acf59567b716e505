import { setMaxListeners } from 'node:events';
import { type AbortReason, JobAborted } from './job-aborted.js';
import type { Job } from './job.js';
import type { Lease } from '../core/leases/lease.js';

/** A job that this replica runs. */
export class RunningJob {
  private readonly aborter = new AbortController();
  /** Its outcome is being stored, so losing the lease no longer aborts it. */
  isEnding = false;
  /** It has made its changes, and only waits for their outcome. */
  isWaiting = false;

  /** @param onFree called when another job may take its place */
  constructor(
    readonly job: Job,
    readonly lease: Lease,
    private readonly onFree: () => void,
  ) {
    setMaxListeners(0, this.aborter.signal);
  }

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** The first reason why it was aborted, if it was. */
  get abortReason(): AbortReason | null {
    return this.signal.aborted ? (this.signal.reason as JobAborted).reason : null;
  }

  /** Gives its place to another job. */
  beginWaiting(): void {
    this.isWaiting = true;
    this.onFree();
  }

  abort(why: AbortReason): void {
    this.aborter.abort(new JobAborted(why));
  }
}
