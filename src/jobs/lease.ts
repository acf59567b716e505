/**
 * The claim of this process on something, for a limited time. The time counts from before the statement that takes or renews it, so
 * that it is over here before others see it so.
 */
export class Lease {
  private endsAt: number;

  /** @param askedAt when the statement was sent, on the clock of `performance.now()` */
  constructor(askedAt: number, ms: number) {
    this.endsAt = askedAt + ms;
  }

  get isHeld(): boolean {
    return performance.now() < this.endsAt;
  }

  renew(askedAt: number, ms: number): void {
    this.endsAt = askedAt + ms;
  }
}
