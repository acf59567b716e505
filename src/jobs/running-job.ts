import { setMaxListeners } from 'node:events';
import { type AbortReason, JobAborted } from './job-aborted.js';
import type { Job } from './job.js';
import type { Lease } from './lease.js';

/** A job while this replica runs it. */
export class RunningJob {
  private readonly aborter = new AbortController();
  /** Its end is being written, so that its lease is not missed any more. */
  isEnding = false;

  constructor(
    readonly job: Job,
    readonly lease: Lease,
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
