import { type Entry, FairQueue, type FairQueueBounds } from '../fair-queue.js';
import { currentParty } from '../party.js';

interface Waiting extends Entry {
  begin: () => void;
}

/** A few places at work and a fair queue before them: whoever comes when both are full is sent away. */
export class Slots {
  private busy = 0;
  private readonly queue: FairQueue<Waiting>;

  constructor(bounds: FairQueueBounds) {
    this.queue = new FairQueue(bounds, 'renderings');
  }

  /** @throws AppError 429 `TOO_BUSY` when too many wait already */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    const party = currentParty();
    await new Promise<void>((begin, reject) => {
      this.queue.push({ party, bytes: 0, begin, reject });
      this.next();
    });
    try {
      return await work();
    } finally {
      this.busy -= 1;
      this.queue.done({ party });
      this.next();
    }
  }

  private next(): void {
    const waiting = this.queue.next(this.busy);
    if (!waiting) return;
    this.busy += 1;
    waiting.begin();
  }
}
