import { Injectable } from '@nestjs/common';
import { JobsStore } from './jobs.store.js';

/** The stored job of a tick prevents a duplicate, so no interval may exceed the retention of finished jobs. */
const MAX_INTERVAL_MS = 86_400_000;

interface PeriodicJob {
  queue: string;
  intervalMs: number;
  /** By `performance.now()`; the database decides whether the tick's job exists. */
  dueAt: number;
}

/** Enqueues one job per tick of each periodic queue across all replicas. Ticks without a running replica are skipped. */
@Injectable()
export class PeriodicJobsService {
  private readonly periodic: PeriodicJob[] = [];

  constructor(private readonly jobs: JobsStore) {}

  register(queue: string, intervalMs: number): void {
    if (!Number.isInteger(intervalMs) || intervalMs < 1 || intervalMs > MAX_INTERVAL_MS)
      throw new Error(`the interval of ${queue} must be at most a day`);
    this.periodic.push({ queue, intervalMs, dueAt: 0 });
  }

  async enqueueDue(): Promise<void> {
    for (const each of this.periodic) {
      if (each.dueAt > performance.now()) continue;
      each.dueAt = performance.now() + (await this.jobs.insertPeriodic(each.queue, each.intervalMs));
    }
  }
}
