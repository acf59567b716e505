import { setTimeout as pause } from 'node:timers/promises';
import { JobAborted } from '../../jobs/job-aborted.js';

/** Why a run ends early. */
export class RunEnded extends Error {
  constructor(readonly why: 'cancelled' | 'timeout') {
    super(why === 'cancelled' ? 'The deployment was cancelled' : 'The deployment exceeded its time limit');
    this.name = 'RunEnded';
  }
}

/** The time limit and the cancellation of a run. */
export class RunClock {
  private readonly end: number;

  constructor(
    timeoutMs: number,
    private readonly signal?: AbortSignal,
    private readonly cancellable = true,
  ) {
    this.end = performance.now() + timeoutMs;
  }

  /**
   * @throws RunEnded when the run was cancelled, interrupted or has timed out
   * @throws JobAborted when another worker has taken over the job, so that nothing may be undone
   */
  check(): void {
    if (this.signal?.aborted) {
      const { reason } = this.signal as { reason: unknown };
      if (reason instanceof JobAborted && reason.reason !== 'cancelled') throw reason;
      if (this.cancellable) throw new RunEnded('cancelled');
    }
    if (performance.now() >= this.end) throw new RunEnded('timeout');
  }

  /**
   * Polls until the result is not undefined, or returns undefined after the timeout. The interval grows from 50 ms to one second.
   * @throws RunEnded when the whole run ends before
   */
  async poll<T>(withinMs: number, ask: () => Promise<T | undefined>): Promise<T | undefined> {
    const last = performance.now() + withinMs;
    for (let wait = 50; ; wait = Math.min(wait * 1.5, 1_000)) {
      this.check();
      const answer = await ask();
      if (answer !== undefined || performance.now() >= last) return answer;
      await pause(Math.min(wait, Math.max(1, last - performance.now())), undefined, {
        signal: this.cancellable ? this.signal : undefined,
      }).catch(() => undefined);
    }
  }
}
