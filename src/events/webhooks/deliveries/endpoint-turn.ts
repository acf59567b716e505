import type { Lease } from '../../../jobs/lease.js';

/** The time in which this process sends to one endpoint, and nobody else does. */
export class EndpointTurn {
  private isOver = false;
  /** It counts among the endpoints that may be sent to at once. */
  holdsSlot = true;

  constructor(
    readonly webhookId: string,
    readonly slow: boolean,
    readonly lease: Lease,
    /** When other endpoints are to have their turn, on the clock of `performance.now()`. */
    private readonly endsAt: number,
    /** Aborts the calls of this process when it shuts down. */
    readonly signal: AbortSignal,
    private readonly mayReleaseSlot: () => boolean,
  ) {}

  /** Whether another delivery may begin. */
  get goesOn(): boolean {
    return !this.isOver && this.lease.isHeld && performance.now() < this.endsAt;
  }

  /** Begins no more deliveries; what was begun is ended. */
  end(): void {
    this.isOver = true;
  }

  /** It waits for an answer from outside: another endpoint may be sent to in its slot. */
  readonly releaseSlot = (): void => {
    if (this.holdsSlot && this.mayReleaseSlot()) this.holdsSlot = false;
  };
}
