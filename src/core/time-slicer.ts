import { setImmediate } from 'node:timers/promises';

/** Keeps long work on the event loop from blocking it: between two steps it yields once `share` milliseconds have passed. */
export class TimeSlicer {
  private startedAt = performance.now();

  constructor(private readonly sliceMs = 10) {}

  async yieldToEventLoop(): Promise<void> {
    if (performance.now() - this.startedAt < this.sliceMs) return;
    await setImmediate();
    this.startedAt = performance.now();
  }
}
