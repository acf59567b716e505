import { retryDuringOutage } from '../errors/database-outage.js';

/**
 * What one subscriber is sent, made when the subscriber takes it: one who does not read holds no values. It outlasts an
 * outage of the database, and ends with the error when reading fails otherwise, as when a right has gone.
 */
export abstract class Follower<T> implements AsyncIterableIterator<T, undefined> {
  private hasNews = true;
  private ended = false;
  private resume?: () => void;

  /** @param leave called once, when nothing more is wanted */
  constructor(private readonly leave: () => void) {}

  /** Says that there may be something to take. */
  wake(): void {
    this.hasNews = true;
    this.resume?.();
  }

  /** @throws what `take` throws, and ends then */
  async next(): Promise<IteratorResult<T, undefined>> {
    const [value] = await this.nextBatch(1);
    return value === undefined ? { done: true, value: undefined } : { done: false, value };
  }

  /** What there is to send, waiting for the first; at most so many, and none once it has ended. @throws what `take` throws, and ends then */
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

  /** What the subscriber is sent next; null when there is nothing until `wake` is called again. */
  protected abstract take(): Promise<T | null>;

  /** What can be taken without waiting, at most so many, where that is cheaper than one after another. */
  protected takeReady(_most: number): T[] {
    return [];
  }

  /** Waits until the subscriber may be sent something again. */
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
