/** The maximum of unauthenticated sockets: of all callers, and of one network. */
const MAX_PENDING = 500;
const MAX_PENDING_PER_NETWORK = 50;

/** Counts the sockets that are open and wait for their connection_init, or for its token to be looked up. */
export class PendingSockets {
  private total = 0;
  private readonly byNetwork = new Map<string, number>();

  /** @returns how to give the slot back, which may be called again; undefined when there is none */
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
