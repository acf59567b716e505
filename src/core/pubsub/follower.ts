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
    while (!this.ended) {
      if (!this.hasNews) await new Promise<void>((resolve) => (this.resume = resolve));
      await this.pace();
      if (this.ended) break;
      this.hasNews = false;
      const value = await this.takeOrEnd();
      if (value !== null) return { done: false, value };
    }
    return { done: true, value: undefined };
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
