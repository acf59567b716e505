/** The time in which this process sends to one endpoint, and nobody else does. */
export class EndpointTurn {
  private isOver = false;
  /** It counts among the endpoints that may be sent to at once. */
  holdsSlot = true;

  constructor(
    readonly webhookId: string,
    readonly slow: boolean,
    /** When the lease is over, on the clock of `performance.now()`. */
    public leaseEnds: number,
    /** When other endpoints are to have their turn. */
    private readonly endsAt: number,
    /** Aborts the calls of this process when it shuts down. */
    readonly signal: AbortSignal,
    private readonly mayReleaseSlot: () => boolean,
  ) {}

  /** Whether another delivery may begin. */
  get goesOn(): boolean {
    const now = performance.now();
    return !this.isOver && now < this.endsAt && now < this.leaseEnds;
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
