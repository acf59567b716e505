import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '../core/telemetry/metrics.service.js';
import { type QueueBacklog, JobsStore } from './jobs.store.js';

/** Metrics of waiting and running jobs, read from the database on each scrape: every replica reports all jobs. */
@Injectable()
export class JobMetrics {
  private pendingBacklog: Promise<QueueBacklog[]> | null = null;

  constructor(
    private readonly jobs: JobsStore,
    { registry }: Metrics,
  ) {
    const gauge = (name: string, help: string, value: (backlog: QueueBacklog) => number): void => {
      const made: Gauge = new Gauge({
        name,
        help,
        labelNames: ['queue', 'status'],
        registers: [registry],
        collect: async () => {
          const backlog = await this.readBacklog();
          made.reset();
          for (const each of backlog) made.set({ queue: each.queue, status: each.status }, value(each));
        },
      });
    };
    gauge('armature_jobs', 'Unfinished jobs, by queue and status.', ({ count }) => count);
    gauge(
      'armature_jobs_oldest_seconds',
      'Seconds since the oldest unfinished job became due, by queue and status.',
      ({ oldest }) => oldest,
    );
  }

  /** Queries once per scrape; without the database, the other metrics are still reported. */
  private readBacklog(): Promise<QueueBacklog[]> {
    this.pendingBacklog ??= this.jobs
      .readBacklog()
      .catch(() => [])
      .finally(() => (this.pendingBacklog = null));
    return this.pendingBacklog;
  }
}
