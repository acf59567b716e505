/** The maximum rate of events of one cluster, and the burst in milliseconds. */
const EVENTS_PER_SECOND = 2_000;
const BURST_MS = 1_000;

/** Limits the rate of events of one cluster, so that its changes do not occupy this process. */
export class EventRateLimiter {
  /** The time at which the events so far would have arrived at the maximum rate. */
  private until = 0;

  /** Counts an event. @returns milliseconds to pause before the next */
  take(now = performance.now()): number {
    this.until = Math.max(this.until, now) + 1_000 / EVENTS_PER_SECOND;
    return Math.max(0, this.until - now - BURST_MS);
  }
}
