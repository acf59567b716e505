/** Events a second that are taken of one cluster, and how much of a second may come at once. */
const EVENTS_PER_SECOND = 2_000;
const BURST_MS = 1_000;

/** Spreads the events of one cluster over time, so that it cannot keep this process busy with its changes. */
export class EventPace {
  /** When the events that were taken so far would have come at the rate that is allowed. */
  private until = 0;

  /** Takes one. @returns milliseconds to pause before the next */
  take(now = performance.now()): number {
    this.until = Math.max(this.until, now) + 1_000 / EVENTS_PER_SECOND;
    return Math.max(0, this.until - now - BURST_MS);
  }
}
