import { setImmediate } from 'node:timers/promises';

/** Divides long work on this thread: whoever takes a turn between two steps lets others in once `share` milliseconds have gone by. */
export class Turns {
  private since = performance.now();

  constructor(private readonly share = 10) {}

  async take(): Promise<void> {
    if (performance.now() - this.since < this.share) return;
    await setImmediate();
    this.since = performance.now();
  }
}
