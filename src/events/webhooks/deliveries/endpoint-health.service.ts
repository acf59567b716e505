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

/** What follows from attempts for their endpoints. */
export interface HealthVerdict {
  /** Endpoints that nothing is tried again for. */
  stopped: Set<string>;
  /** Endpoints that a user has disabled: events are tried again once they are enabled, tests are not. */
  suspended: Set<string>;
  /** Endpoints to be judged: they are gone, or have been failing for so long that its owner is to be notified. */
  late: Set<string>;
}

/** Knows which endpoints fail and for how long, notifies their owners, and at last disables them. */
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
   * Part of the unit of work that writes the attempts. Writes only what changes: successes of endpoints that work cost no statement.
   * All times are those of the database, so that a clock of one process that jumps neither disables an endpoint nor keeps anything
   * from it.
   */
  async record(outcomes: DeliveryOutcome[]): Promise<HealthVerdict> {
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
      if (recovered) this.deferred.giveNow();
    });
    const goOn = new Set(judged.map(({ id }) => id));
    const gone = outcomes.filter((outcome) => outcome.gone && goOn.has(outcome.webhook.id));
    return {
      stopped: new Set([...failing.keys()].filter((id) => !goOn.has(id))),
      suspended: new Set(judged.filter(({ suspended }) => suspended).map(({ id }) => id)),
      late: new Set([...judged.filter(({ late }) => late), ...gone.map(({ webhook }) => webhook)].map(({ id }) => id)),
    };
  }

  /** Notifies the owner of an endpoint that fails, or disables it, as it is now. */
  async judge(id: string, gone: boolean): Promise<void> {
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

/** The records at hand as they are written, so that a further success of the turn writes nothing. */
function remember(outcomes: DeliveryOutcome[], working: Map<string, WorkingEndpoint>): void {
  for (const { webhook } of outcomes) {
    const works = working.get(webhook.id);
    if (works) Object.assign(webhook, { failingSince: null, noticedAt: null, slow: works.slow });
  }
}
