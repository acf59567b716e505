import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Metrics } from '../core/telemetry/metrics.service.js';
import { type QueueBacklog, JobsStore } from './jobs.store.js';

/** The waiting and running jobs, read from the database when it is scraped: each replica reports the whole queue. */
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

  /** Once for a scrape; it reports the rest when the database does not answer. */
  private readBacklog(): Promise<QueueBacklog[]> {
    this.pendingBacklog ??= this.jobs
      .readBacklog()
      .catch(() => [])
      .finally(() => (this.pendingBacklog = null));
    return this.pendingBacklog;
  }
}
