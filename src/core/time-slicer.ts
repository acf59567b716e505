import { setImmediate } from 'node:timers/promises';

/** Divides long work on this thread: whoever takes a turn between two steps lets others in once `share` milliseconds have gone by. */
export class TimeSlicer {
  private startedAt = performance.now();

  constructor(private readonly sliceMs = 10) {}

  async yieldToEventLoop(): Promise<void> {
    if (performance.now() - this.startedAt < this.sliceMs) return;
    await setImmediate();
    this.startedAt = performance.now();
  }
}
