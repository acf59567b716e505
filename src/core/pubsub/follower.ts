import { retryDuringOutage } from '../errors/database-outage.js';

/**
 * The iterator of one subscription. Each value is read when the subscriber requests it, so slow subscribers hold no
 * values in memory. It survives a database outage, and ends with the error when a read fails otherwise, for instance
 * after a permission was revoked.
 */
export abstract class Follower<T> implements AsyncIterableIterator<T, undefined> {
  private hasNews = true;
  private ended = false;
  private resume?: () => void;

  /** @param leave called once, when the subscription ends */
  constructor(private readonly leave: () => void) {}

  /** Signals that a value may be available. */
  wake(): void {
    this.hasNews = true;
    this.resume?.();
  }

  /** @throws the error of `take`, which ends the iterator */
  async next(): Promise<IteratorResult<T, undefined>> {
    const [value] = await this.nextBatch(1);
    return value === undefined ? { done: true, value: undefined } : { done: false, value };
  }

  /**
   * Waits for a value and returns up to `most` available ones; an empty list at the end.
   * @throws the error of `take`, which ends the iterator
   */
  async nextBatch(most: number): Promise<T[]> {
    while (!this.ended) {
      if (!this.hasNews) await new Promise<void>((resolve) => (this.resume = resolve));
      const pause = this.pace();
      if (pause) await pause;
      if (this.ended) break;
      this.hasNews = false;
      const ready = this.takeReady(most);
      if (ready.length > 0) return ready;
      const value = await this.takeOrEnd();
      if (value !== null) return [value];
    }
    return [];
  }

  return(): Promise<IteratorResult<T, undefined>> {
    if (!this.ended) {
      this.ended = true;
      this.leave();
      this.wake();
    }
    return Promise.resolve({ done: true, value: undefined });
  }

  async throw(error: unknown): Promise<IteratorResult<T, undefined>> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  protected get hasEnded(): boolean {
    return this.ended;
  }

  /** Reads the next value; null when there is none until the next `wake`. */
  protected abstract take(): Promise<T | null>;

  /** Takes up to `_most` values that are available without waiting, where that is cheaper than single reads. */
  protected takeReady(_most: number): T[] {
    return [];
  }

  /** Waits until the subscriber may receive the next value; limits the rate. */
  protected pace(): Promise<void> | void {}

  private async takeOrEnd(): Promise<T | null> {
    try {
      return await retryDuringOutage(
        () => this.take(),
        () => !this.ended,
      );
    } catch (error) {
      await this.return();
      throw error;
    }
  }
}
