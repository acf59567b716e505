/**
 * A lease of this process. Its time starts before the statement that acquires or renews it, so that it expires here
 * before it expires in the database.
 */
export class Lease {
  private endsAt: number;

  /** @param askedAt `performance.now()` when the statement was sent */
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
