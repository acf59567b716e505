import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { Metrics } from '../../../core/telemetry/metrics.service.js';
import { type DeliveryBacklog, DeliveryQueueStore, type DeliveryOutcome } from './delivery-queue.store.js';

type MeasuredOutcome = Pick<DeliveryOutcome, 'delivery' | 'succeeded' | 'retryInMs'>;

/**
 * Metrics of the attempts of this process, and of the backlog of the installation. A scrape reads the backlog from the database, so that
 * all replicas report the same.
 */
@Injectable()
export class WebhookMetrics {
  private readonly attempts: Counter;
  private readonly delays: Histogram;
  private pendingBacklog: Promise<DeliveryBacklog | null> | null = null;

  constructor(
    private readonly queue: DeliveryQueueStore,
    private readonly unit: UnitOfWork,
    { registry }: Metrics,
  ) {
    const registers = [registry];
    this.attempts = new Counter({
      name: 'armature_webhook_attempts_total',
      help: 'Attempts to deliver an event to a webhook, by outcome: delivered, retried (to be tried again) or failed (for good).',
      labelNames: ['outcome'],
      registers,
    });
    this.delays = new Histogram({
      name: 'armature_webhook_delay_seconds',
      help: 'Time from an event to its delivery to a webhook at the first attempt, in seconds.',
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300],
      registers,
    });
    const gauge = (name: string, help: string, value: (backlog: DeliveryBacklog) => number): void => {
      const made: Gauge = new Gauge({
        name,
        help,
        registers,
        collect: async () => {
          const backlog = await this.readBacklog();
          if (backlog) made.set(value(backlog));
        },
      });
    };
    gauge('armature_webhook_deliveries_pending', 'Deliveries that wait, 100,000 at most.', ({ pending }) => pending);
    gauge(
      'armature_webhook_oldest_due_seconds',
      'How long the endpoint that waits for its turn the longest has been due.',
      ({ oldest }) => oldest,
    );
    gauge(
      'armature_webhook_endpoints_failing',
      'Enabled webhooks whose last attempt failed.',
      ({ failing }) => failing,
    );
  }

  count(outcomes: MeasuredOutcome[]): void {
    for (const { delivery, succeeded, retryInMs } of outcomes) {
      this.attempts.inc({ outcome: succeeded ? 'delivered' : retryInMs === null ? 'failed' : 'retried' });
      if (succeeded && delivery.failures === 0 && delivery.happenedAt)
        this.delays.observe(Math.max(0, Date.now() - delivery.happenedAt.getTime()) / 1_000);
    }
  }

  /** Reads the backlog once per scrape; after a database error the metrics keep their last values. */
  private readBacklog(): Promise<DeliveryBacklog | null> {
    this.pendingBacklog ??= this.unit
      .runAsSystem('metrics of webhooks', () => this.queue.readBacklog())
      .catch(() => null)
      .finally(() => (this.pendingBacklog = null));
    return this.pendingBacklog;
  }
}
