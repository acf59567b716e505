/** The maximum number of unauthenticated sockets, in total and per network. */
const MAX_PENDING = 500;
const MAX_PENDING_PER_NETWORK = 50;

/** Counts open sockets whose connection_init is outstanding or whose token is being verified. */
export class PendingSockets {
  private total = 0;
  private readonly byNetwork = new Map<string, number>();

  /** @returns a function that releases the slot and may be called repeatedly; undefined when no slot is free */
  take(network: string): (() => void) | undefined {
    const own = this.byNetwork.get(network) ?? 0;
    if (this.total >= MAX_PENDING || own >= MAX_PENDING_PER_NETWORK) return undefined;
    this.add(network, 1);
    let isTaken = true;
    return () => {
      if (isTaken) this.add(network, -1);
      isTaken = false;
    };
  }

  private add(network: string, count: 1 | -1): void {
    this.total += count;
    const own = (this.byNetwork.get(network) ?? 0) + count;
    if (own > 0) this.byNetwork.set(network, own);
    else this.byNetwork.delete(network);
  }
}
