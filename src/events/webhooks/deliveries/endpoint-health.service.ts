import { Injectable } from '@nestjs/common';
import { Actor } from '../../../core/access/actor.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { EventBus } from '../../../core/events/event-bus.js';
import type { DisabledReason, Webhook } from '../endpoints/webhook.entity.js';
import { WebhookDisabled, WebhookFailing } from '../endpoints/webhook.events.js';
import { WebhooksStore } from '../endpoints/webhooks.store.js';
import { DeferredEndpointsService } from './deferred-endpoints.service.js';
import type { DeliveryOutcome } from './delivery-queue.store.js';
import { EndpointHealthStore, type FailingEndpoint, type WorkingEndpoint } from './endpoint-health.store.js';
import { WebhookSettings } from './webhook-settings.js';

const actor = Actor.system('webhooks');

/** The consequences of attempts for their endpoints. */
export interface HealthChanges {
  /** Endpoints that are deleted or disabled by the server: nothing is retried. */
  stopped: Set<string>;
  /** Endpoints that a user disabled: events are retried when they are enabled again, tests are not. */
  suspended: Set<string>;
  /** Endpoints to evaluate: they are gone, or have been failing so long that the owner is notified or the endpoint disabled. */
  late: Set<string>;
}

/** Tracks failing endpoints, notifies their owners, and finally disables them. */
@Injectable()
export class EndpointHealthService {
  constructor(
    private readonly webhooks: WebhooksStore,
    private readonly health: EndpointHealthStore,
    private readonly settings: WebhookSettings,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
    private readonly deferred: DeferredEndpointsService,
  ) {}

  /**
   * Updates the health of endpoints, in the unit of work that stores the attempts. Successes of healthy endpoints run no statement. All
   * times are those of the database, so that a wrong clock of a process neither disables nor pauses an endpoint.
   */
  async record(outcomes: DeliveryOutcome[]): Promise<HealthChanges> {
    const working = new Map<string, WorkingEndpoint>();
    const failing = new Map<string, FailingEndpoint>();
    for (const { webhook, succeeded, attempt, retryAfterMs = 0 } of outcomes) {
      const { id } = webhook;
      if (succeeded) {
        const slow = attempt.duration_ms > this.settings.slowMs;
        if (webhook.failingSince || webhook.slow !== slow || failing.has(id)) working.set(id, { id, slow });
        failing.delete(id);
      } else {
        const askedMs = Math.max(retryAfterMs, failing.get(id)?.askedMs ?? 0);
        failing.set(id, { id, askedMs, hasWorked: working.has(id) || (failing.get(id)?.hasWorked ?? false) });
        working.delete(id);
      }
    }
    if (working.size > 0) await this.health.recordWorking([...working.values()]);
    const judged = failing.size > 0 ? await this.health.recordFailing([...failing.values()], this.settings) : [];
    const recovered = outcomes.some(({ webhook }) => webhook.failingSince && working.has(webhook.id));
    this.unit.afterCommit(() => {
      remember(outcomes, working);
      if (recovered) this.deferred.fanOutNow();
    });
    const goOn = new Set(judged.map(({ id }) => id));
    const gone = outcomes.filter((outcome) => outcome.gone && goOn.has(outcome.webhook.id));
    return {
      stopped: new Set([...failing.keys()].filter((id) => !goOn.has(id))),
      suspended: new Set(judged.filter(({ suspended }) => suspended).map(({ id }) => id)),
      late: new Set([...judged.filter(({ late }) => late), ...gone.map(({ webhook }) => webhook)].map(({ id }) => id)),
    };
  }

  /** Notifies the owner of a failing endpoint or disables it, by its current state. */
  async evaluate(id: string, gone: boolean): Promise<void> {
    await this.unit.run(async () => {
      const webhook = await this.webhooks.lock(id);
      if (!webhook?.enabled) return;
      if (gone) return this.disable(webhook, 'gone');
      const failingMs = await this.webhooks.readFailingMs(id);
      if (webhook.noticedAt && failingMs > this.settings.disableAfterMs) return this.disable(webhook, 'failing');
      if (webhook.noticedAt || failingMs <= this.settings.noticeAfterMs) return;
      await this.health.recordNotice(id);
      await this.events.publish(new WebhookFailing(actor, webhook));
    });
  }

  private async disable(webhook: Webhook, disabledReason: DisabledReason): Promise<void> {
    await this.webhooks.update(webhook, { enabled: false, disabledAt: new Date(), disabledReason });
    await this.events.publish(new WebhookDisabled(actor, webhook, disabledReason));
  }
}

/** Updates the loaded records as they are stored, so that further successes of the turn run no statement. */
function remember(outcomes: DeliveryOutcome[], working: Map<string, WorkingEndpoint>): void {
  for (const { webhook } of outcomes) {
    const works = working.get(webhook.id);
    if (works) Object.assign(webhook, { failingSince: null, noticedAt: null, slow: works.slow });
  }
}
