/** A token bucket with a capacity of `burst` messages, refilled by `perSecond` messages a second. */
export class MessageAllowance {
  private available: number;
  private refilledAt = performance.now();

  constructor(
    private readonly burst: number,
    private readonly perSecond: number,
  ) {
    this.available = burst;
  }

  /** Takes one message; returns false when none is left. */
  take(): boolean {
    const now = performance.now();
    this.available = Math.min(this.burst, this.available + ((now - this.refilledAt) / 1000) * this.perSecond);
    this.refilledAt = now;
    if (this.available < 1) return false;
    this.available -= 1;
    return true;
  }
}
