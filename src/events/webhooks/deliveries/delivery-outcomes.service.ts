import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { backoff } from '../../../core/backoff.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { WorkerPresence } from '../../../core/leases/worker-presence.js';
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
 * Stores the outcomes of attempts. Those that arrive during a write are combined in the next one, without a delay for a single outcome.
 * During a database outage it retries for up to `keepOutcomeMs`, so that an event that was acknowledged is not sent again.
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

  /** Resolves when the outcome is stored, or storing it failed; then the delivery is due again after the lease expires. */
  write(outcome: DeliveryOutcome): Promise<void> {
    return new Promise((done) => {
      this.waiting.push({ outcome, done });
      if (!this.isWriting) void this.writeWaiting();
    });
  }

  private async writeWaiting(): Promise<void> {
    this.isWriting = true;
    // Combines outcomes that arrive in the same iteration of the event loop.
    await nextTurn();
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, BATCH_SIZE);
      await this.writeBatch(batch.map(({ outcome }) => outcome));
      for (const { done } of batch) done();
    }
    this.isWriting = false;
  }

  /** After a failure it writes the outcomes one by one, so that an invalid one does not prevent the others. */
  private async writeBatch(outcomes: DeliveryOutcome[]): Promise<void> {
    if (await this.tryToWrite(outcomes, outcomes.length > 1 ? 1 : MAX_TRIES)) return;
    if (outcomes.length > 1) for (const each of outcomes) await this.tryToWrite([each], MAX_TRIES);
  }

  /** Retries during a database outage up to `keepOutcomeMs`, and after other errors up to `maxTries` tries. */
  private async tryToWrite(outcomes: DeliveryOutcome[], maxTries: number): Promise<boolean> {
    const end = performance.now() + this.settings.keepOutcomeMs;
    for (let tries = 1; ; tries++)
      try {
        await this.writeOnce(outcomes);
        return true;
      } catch (error) {
        if (isDatabaseOutage(error) ? performance.now() > end : tries >= maxTries) {
          this.logger.warn(error, `storing the outcomes of ${outcomes.length} deliveries failed`);
          return false;
        }
        await sleep(backoff(tries, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), undefined, { ref: false });
      }
  }

  private async writeOnce(outcomes: DeliveryOutcome[]): Promise<void> {
    const late = await this.unit.run(async () => {
      // Locks endpoints before their deliveries, in the same order as disabling an endpoint does.
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
      // After an error the next failure of the endpoint evaluates it again.
      await this.health
        .evaluate(id, gone)
        .catch((error: unknown) => this.logger.warn(error, `evaluating the failures of the webhook ${id} failed`));
    }
  }
}
