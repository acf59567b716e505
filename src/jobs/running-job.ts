import { setMaxListeners } from 'node:events';
import { type AbortReason, JobAborted } from './job-aborted.js';
import type { Job } from './job.js';

/** A job while this replica runs it. */
export class RunningJob {
  private readonly aborter = new AbortController();
  /** Its end is being written, so that its lease is not missed any more. */
  isEnding = false;

  constructor(
    readonly job: Job,
    /** When the lease is over, on the clock of `performance.now()`. */
    public leaseEnds: number,
  ) {
    setMaxListeners(0, this.aborter.signal);
  }

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** Why it was aborted first, if it was. */
  get abortReason(): AbortReason | null {
    return this.signal.aborted ? (this.signal.reason as JobAborted).reason : null;
  }

  abort(why: AbortReason): void {
    this.aborter.abort(new JobAborted(why));
  }
}
