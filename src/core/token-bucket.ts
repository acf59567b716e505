/** A token bucket with a capacity of `burst` tokens, refilled by `perSecond` tokens a second. */
export class TokenBucket {
  /** The time at which the bucket would be full again. */
  private fullAt = 0;

  constructor(
    private readonly burst: number,
    private readonly perSecond: number,
  ) {}

  /** Takes a token, also one that is not there yet. @returns whole milliseconds until it is; 0 if it is */
  take(now = performance.now()): number {
    this.fullAt = Math.max(this.fullAt, now) + 1_000 / this.perSecond;
    return Math.max(0, Math.floor(this.fullAt - now - (this.burst * 1_000) / this.perSecond));
  }
}
