import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../core/access/actor.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { EventBus } from '../../../core/events/event-bus.js';
import type { DisabledReason, Webhook } from '../endpoints/webhook.entity.js';
import { WebhookDisabled, WebhookFailing } from '../endpoints/webhook.events.js';
import { WebhooksStore } from '../endpoints/webhooks.store.js';
import { EndpointPausesStore } from './endpoint-pauses.store.js';
import { pauseMs, WebhookSettings } from './webhook-settings.js';

/** What an endpoint said of its failure. */
export interface Failure {
  /** That the address is not there any more. */
  gone: boolean;
  retryAfterMs?: number;
}

/** Knows which endpoints fail and for how long, notifies their owners, and at last disables them. */
@Injectable()
export class EndpointHealthService {
  constructor(
    private readonly webhooks: WebhooksStore,
    private readonly pauses: EndpointPausesStore,
    private readonly settings: WebhookSettings,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** Writes only what changes: a success of an endpoint that works costs no statement. */
  async recordSuccess(webhook: Webhook, durationMs: number): Promise<true> {
    const slow = durationMs > this.settings.slowMs;
    if (!webhook.failingSince && webhook.slow === slow) return true;
    Object.assign(webhook, { failingSince: null, noticedAt: null, slow });
    await this.unit.manager.query(
      'UPDATE webhook SET failing_since = NULL, noticed_at = NULL, slow = $2 WHERE id = $1',
      [webhook.id, slow],
    );
    await this.pauses.end(webhook.id);
    return true;
  }

  /**
   * Part of the unit of work that writes the attempt. All times are those of the database, so that a clock of one process that
   * jumps neither disables an endpoint nor keeps anything from it.
   * @returns whether the endpoint goes on
   */
  async recordFailure(actor: Actor, { id }: Webhook, { gone, retryAfterMs }: Failure): Promise<boolean> {
    const webhook = await this.webhooks.lock(id);
    if (!webhook?.enabled) return false;
    if (gone) return this.disable(actor, webhook, 'gone');
    const failingMs = webhook.failingSince ? await this.webhooks.readFailingMs(id) : 0;
    if (webhook.noticedAt && failingMs > this.settings.disableAfterMs) return this.disable(actor, webhook, 'failing');
    await this.pauses.begin(webhook, pauseMs(failingMs, retryAfterMs, this.settings));
    const notice = !webhook.noticedAt && failingMs > this.settings.noticeAfterMs;
    if (!notice && webhook.failingSince) return true;
    await this.unit.manager.query(
      `UPDATE webhook SET failing_since = coalesce(failing_since, now()), noticed_at = CASE WHEN $2 THEN now() ELSE noticed_at END
        WHERE id = $1`,
      [id, notice],
    );
    if (notice) await this.events.publish(new WebhookFailing(actor, webhook));
    return true;
  }

  private async disable(actor: Actor, webhook: Webhook, disabledReason: DisabledReason): Promise<false> {
    await this.webhooks.update(webhook, { enabled: false, disabledAt: new Date(), disabledReason });
    await this.events.publish(new WebhookDisabled(actor, webhook, disabledReason));
    return false;
  }
}
