import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { backoff } from '../../../core/backoff.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { WorkerPresence } from '../../../jobs/worker-presence.js';
import { type DeliveryOutcome, DeliveryQueueStore } from './delivery-queue.store.js';
import { EndpointHealthService } from './endpoint-health.service.js';
import { WebhookMetrics } from './webhook-metrics.js';
import { WebhookSettings } from './webhook-settings.js';

const BATCH_SIZE = 100;
const MAX_TRIES = 4;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

interface Waiting {
  outcome: DeliveryOutcome;
  done: () => void;
}

/**
 * Writes what came of attempts, as many at once as have come while others were written: endpoints that answer at the same time cost
 * one transaction, and one that answers alone waits for nobody. An answer that was received is kept until it is written, however
 * long the database is away, so that nothing is sent again that was answered in time.
 */
@Injectable()
export class DeliveryOutcomesService {
  private readonly logger = new Logger('Webhooks');
  private waiting: Waiting[] = [];
  private isWriting = false;

  constructor(
    private readonly queue: DeliveryQueueStore,
    private readonly health: EndpointHealthService,
    private readonly presence: WorkerPresence,
    private readonly settings: WebhookSettings,
    private readonly unit: UnitOfWork,
    private readonly metrics: WebhookMetrics,
  ) {}

  /** Resolves once it is written; what cannot be written is left to the end of the lease. */
  write(outcome: DeliveryOutcome): Promise<void> {
    return new Promise((done) => {
      this.waiting.push({ outcome, done });
      if (!this.isWriting) void this.writeWaiting();
    });
  }

  private async writeWaiting(): Promise<void> {
    this.isWriting = true;
    // Answers that arrive in the same turn of the event loop are written together.
    await nextTurn();
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH_SIZE);
      await this.writeBatch(batch.map(({ outcome }) => outcome));
      for (const { done } of batch) done();
    }
    this.isWriting = false;
  }

  /** One that cannot be written does not keep others from it. */
  private async writeBatch(outcomes: DeliveryOutcome[]): Promise<void> {
    if (await this.tryToWrite(outcomes, outcomes.length > 1 ? 1 : MAX_TRIES)) return;
    if (outcomes.length > 1) for (const each of outcomes) await this.tryToWrite([each], MAX_TRIES);
  }

  /** While the database is away this goes on for long; any other failure is tried again so many times. */
  private async tryToWrite(outcomes: DeliveryOutcome[], maxTries: number): Promise<boolean> {
    const end = performance.now() + this.settings.keepOutcomeMs;
    for (let tries = 1; ; tries++)
      try {
        await this.writeOnce(outcomes);
        return true;
      } catch (error) {
        if (isDatabaseOutage(error) ? performance.now() > end : tries >= maxTries) {
          this.logger.warn(error, `the outcomes of ${outcomes.length} deliveries could not be written`);
          return false;
        }
        await sleep(backoff(tries, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), undefined, { ref: false });
      }
  }

  private async writeOnce(outcomes: DeliveryOutcome[]): Promise<void> {
    const late = await this.unit.run(async () => {
      // The endpoints before their deliveries: what disables one locks them in this order.
      const { stopped, suspended, late } = await this.health.record(outcomes);
      const isLast = ({ webhook: { id }, delivery }: DeliveryOutcome): boolean =>
        stopped.has(id) || (suspended.has(id) && delivery.eventId === null);
      const records = outcomes.map((each) => (isLast(each) ? { ...each, retryInMs: null } : each));
      await this.queue.record(this.presence.id, records);
      this.unit.afterCommit(() => this.metrics.count(records));
      return late;
    });
    for (const id of late) {
      const gone = outcomes.some((outcome) => outcome.webhook.id === id && outcome.gone);
      // What is not judged now is at the next failure.
      await this.health
        .judge(id, gone)
        .catch((error: unknown) => this.logger.warn(error, `the failures of the webhook ${id} could not be evaluated`));
    }
  }
}
