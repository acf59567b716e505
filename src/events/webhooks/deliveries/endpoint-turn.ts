import type { Lease } from '../../../core/leases/lease.js';

/** The period in which this process exclusively sends to an endpoint. */
export class EndpointTurn {
  private isOver = false;
  /** Whether it occupies one of the slots of this process. */
  holdsSlot = true;

  constructor(
    readonly webhookId: string,
    readonly slow: boolean,
    readonly lease: Lease,
    /** The end of the turn, as of `performance.now()`. */
    private readonly endsAt: number,
    /** Aborts the calls of this process when it shuts down. */
    readonly signal: AbortSignal,
    private readonly mayReleaseSlot: () => boolean,
  ) {}

  /** Whether another delivery may start. */
  get canContinue(): boolean {
    return !this.isOver && this.lease.isHeld && performance.now() < this.endsAt;
  }

  /** Starts no more deliveries; running ones finish. */
  end(): void {
    this.isOver = true;
  }

  /** Frees its slot for another endpoint while it waits for a slow response. */
  readonly releaseSlot = (): void => {
    if (this.holdsSlot && this.mayReleaseSlot()) this.holdsSlot = false;
  };
}
