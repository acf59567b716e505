import { Injectable } from '@nestjs/common';
import { JobsStore } from './jobs.store.js';

/** The record of a tick is what keeps it from being made again, so no tick is longer than these records are kept. */
const MAX_INTERVAL_MS = 86_400_000;

interface PeriodicJob {
  queue: string;
  intervalMs: number;
  /** On the clock of `performance.now()`; the database has the last word on whether a tick was made. */
  dueAt: number;
}

/** Makes one job for each tick of what is periodic, over all replicas. Ticks at which no replica ran are left out. */
@Injectable()
export class PeriodicJobsService {
  private readonly periodic: PeriodicJob[] = [];

  constructor(private readonly jobs: JobsStore) {}

  register(queue: string, intervalMs: number): void {
    if (!Number.isInteger(intervalMs) || intervalMs < 1 || intervalMs > MAX_INTERVAL_MS)
      throw new Error(`${queue} must come back within a day`);
    this.periodic.push({ queue, intervalMs, dueAt: 0 });
  }

  async enqueueDue(): Promise<void> {
    for (const each of this.periodic) {
      if (each.dueAt > performance.now()) continue;
      each.dueAt = performance.now() + (await this.jobs.insertPeriodic(each.queue, each.intervalMs));
    }
  }
}
