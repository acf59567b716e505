import { setImmediate } from 'node:timers/promises';

/** Divides long work on this thread: between two steps it yields to other work once `share` milliseconds have passed. */
export class TimeSlicer {
  private startedAt = performance.now();

  constructor(private readonly sliceMs = 10) {}

  async yieldToEventLoop(): Promise<void> {
    if (performance.now() - this.startedAt < this.sliceMs) return;
    await setImmediate();
    this.startedAt = performance.now();
  }
}
