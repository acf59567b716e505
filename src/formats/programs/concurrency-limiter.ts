import { type QueueEntry, FairQueue, type FairQueueBounds } from '../../core/workers/fair-queue.js';
import { currentRequester } from '../../core/telemetry/requester.js';

interface WaitingRun extends QueueEntry {
  begin: () => void;
}

/** A few concurrent runs with a fair queue in front of them: callers are refused when both are full. */
export class ConcurrencyLimiter {
  private busy = 0;
  private readonly queue: FairQueue<WaitingRun>;

  constructor(bounds: FairQueueBounds) {
    this.queue = new FairQueue(bounds, 'renderings');
  }

  /** @throws AppError 429 `TOO_BUSY` when too many wait already */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const party = currentRequester();
    await new Promise<void>((begin, reject) => {
      this.queue.push({ party, bytes: 0, begin, reject });
      this.startNext();
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
