import { AsyncResource } from 'node:async_hooks';

/** One in this many connections of a pool is kept for organizations that hold none. */
const KEPT_FREE = 5;

interface Waiting {
  grant: () => void;
}

/**
 * Shares the connections of a pool among organizations: those that wait get the next one in the order of how few they
 * hold, and the last of them are kept for organizations that hold none, so that one that uses all it can get does not
 * keep the others waiting.
 */
export class ConnectionShares {
  /** The number of connections of each organization that holds any. */
  private readonly held = new Map<string, number>();
  private readonly waiting = new Map<string, Set<Waiting>>();
  private total = 0;
  private readonly forAnyone: number;

  /** @param size of the pool */
  constructor(private readonly size: number) {
    this.forAnyone = size - Math.floor(size / KEPT_FREE);
  }

  get busy(): number {
    return this.total;
  }

  get waitingCount(): number {
    let count = 0;
    for (const queue of this.waiting.values()) count += queue.size;
    return count;
  }

  /**
   * Calls `granted` once the organization may use a connection, at once where it may.
   * @returns stops the waiting
   */
  take(organization: string, granted: () => void): () => void {
    if (this.waiting.size === 0 && this.mayTake(organization)) {
      this.hold(organization);
      granted();
      return () => undefined;
    }
    // Otherwise it would run in the context of the caller that releases the connection.
    const waiting: Waiting = { grant: AsyncResource.bind(granted) };
    const queue = this.waiting.get(organization) ?? new Set();
    this.waiting.set(organization, queue.add(waiting));
    this.grantNext();
    return () => this.leave(organization, waiting);
  }

  release(organization: string): void {
    const left = (this.held.get(organization) ?? 1) - 1;
    if (left > 0) this.held.set(organization, left);
    else this.held.delete(organization);
    this.total -= 1;
    if (this.waiting.size > 0) this.grantNext();
  }

  private grantNext(): void {
    for (;;) {
      let next: string | undefined;
      for (const organization of this.waiting.keys())
        if (this.mayTake(organization) && (next === undefined || this.countHeld(organization) < this.countHeld(next)))
          next = organization;
      if (next === undefined) return;
      const queue = this.waiting.get(next);
      const [waiting] = queue ?? [];
      if (!queue || !waiting) return;
      // Of those that hold equally many, the one that was served longest ago is first.
      this.waiting.delete(next);
      if (queue.size > 1) this.waiting.set(next, queue);
      queue.delete(waiting);
      this.hold(next);
      waiting.grant();
    }
  }

  private mayTake(organization: string): boolean {
    return this.total < this.forAnyone || (this.total < this.size && !this.held.has(organization));
  }

  private countHeld(organization: string): number {
    return this.held.get(organization) ?? 0;
  }

  private hold(organization: string): void {
    this.held.set(organization, this.countHeld(organization) + 1);
    this.total += 1;
  }

  private leave(organization: string, waiting: Waiting): void {
    const queue = this.waiting.get(organization);
    if (queue?.delete(waiting) && queue.size === 0) this.waiting.delete(organization);
  }
}
