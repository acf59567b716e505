import { setTimeout as pause } from 'node:timers/promises';
import { JobAborted } from '../../jobs/job-aborted.js';

/** Why a run ends before its work is done. */
export class RunEnded extends Error {
  constructor(readonly why: 'cancelled' | 'timeout') {
    super(why === 'cancelled' ? 'The deployment was cancelled' : 'The deployment exceeded its time limit');
    this.name = 'RunEnded';
  }
}

/** How long a run may go on: until it is cancelled or interrupted, or its time is over. */
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
   * @throws RunEnded when the run is to end here
   * @throws JobAborted when another worker goes on with it, so that nothing may be undone
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
   * Asks again and again until the answer is not undefined, or until the time given is over, which answers undefined.
   * The time between two questions grows from 50 ms to one second.
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
