import { AppError } from '../../core/errors/app-error.js';

/** A few places at work and a queue before them: whoever comes when both are full is sent away. */
export class Slots {
  private busy = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly size: number,
    private readonly queue: number,
  ) {}

  /** @throws AppError 429 `TOO_BUSY` when too many wait already */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    if (this.busy >= this.size) await this.wait();
    else this.busy += 1;
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.busy -= 1;
    }
  }

  private wait(): Promise<void> {
    if (this.waiting.length < this.queue) return new Promise((resolve) => this.waiting.push(resolve));
    throw new AppError(429, 'TOO_BUSY', 'Too busy', 'Too many files are being rendered at this moment.', {
      remedy: 'Try again in a few seconds.',
      headers: { 'Retry-After': '5' },
    });
  }
}
