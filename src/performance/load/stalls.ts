/** A time without any response, while requests were waiting. Milliseconds since the start of the run. */
export interface Stall {
  at: number;
  length: number;
}

/** The shortest time without a response that is recorded, in milliseconds. */
const LEAST_MS = 250;
const MAX_STALLS = 1_000;

/** Records the times in which requests waited for responses and none arrived. */
export class StallRecorder {
  readonly stalls: Stall[] = [];
  private waiting = 0;
  private since = 0;

  /** A request begins to wait. */
  begin(now: number): void {
    if (this.waiting === 0) this.since = now;
    this.waiting += 1;
  }

  /** A request has its response, or has failed, which is no stall of the server. */
  end(now: number, isResponse: boolean): void {
    const length = now - this.since;
    if (isResponse && length >= LEAST_MS && this.stalls.length < MAX_STALLS)
      this.stalls.push({ at: this.since, length });
    this.waiting -= 1;
    this.since = now;
  }
}

/** A time without a response is a stall from half a second on, if it is much longer than a usual response takes. */
const STALL_MS = 500;
const STALL_OF_MEDIAN = 5;

/** Returns the stalls among the times without a response. @param median the usual latency in milliseconds */
export function findStalls(times: readonly Stall[], median: number): Stall[] {
  const least = Math.max(STALL_MS, STALL_OF_MEDIAN * median);
  return times.filter(({ length }) => length >= least);
}

export const secondsOfStalls = (stalls: readonly Stall[]): number =>
  stalls.reduce((sum, { length }) => sum + length, 0) / 1_000;
