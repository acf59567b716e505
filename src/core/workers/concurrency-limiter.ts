import { currentRequester } from '../telemetry/requester.js';
import { FairQueue, type FairQueueBounds, type QueueEntry, tooBusy } from './fair-queue.js';

interface WaitingRun extends QueueEntry {
  begin: () => void;
}

/** A few concurrent runs with a fair queue in front of them: callers are refused when both are full. */
export class ConcurrencyLimiter {
  private busy = 0;
  private readonly queue: FairQueue<WaitingRun>;

  /** @param noun names a run in errors, such as "rendering" */
  constructor(
    bounds: FairQueueBounds,
    private readonly noun: string,
  ) {
    this.queue = new FairQueue(bounds, noun);
  }

  /**
   * @param patience the longest wait in milliseconds; by default until it is the caller's turn
   * @throws AppError 429 `TOO_BUSY` when too many wait already, or the wait is too long
   */
  async run<T>(work: () => Promise<T>, patience?: number): Promise<T> {
    const party = currentRequester();
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((begin, reject) => {
      const waiting: WaitingRun = { party, bytes: 0, begin, reject };
      this.queue.push(waiting);
      this.startNext();
      if (patience === undefined) return;
      timer = setTimeout(() => {
        if (this.queue.remove(waiting)) reject(tooBusy(`Too many ${this.noun}s are running`));
      }, patience);
    }).finally(() => {
      clearTimeout(timer);
    });
    try {
      return await work();
    } finally {
      this.busy -= 1;
      this.queue.complete({ party });
      this.startNext();
    }
  }

  private startNext(): void {
    const waiting = this.queue.takeNext(this.busy);
    if (!waiting) return;
    this.busy += 1;
    waiting.begin();
  }
}
