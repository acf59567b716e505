import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../core/access/actor.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { EventBus } from '../../../core/events/event-bus.js';
import type { DisabledReason, Webhook } from '../endpoints/webhook.entity.js';
import { WebhookDisabled, WebhookFailing } from '../endpoints/webhook.events.js';
import { WebhooksStore } from '../endpoints/webhooks.store.js';
import { WebhookSettings } from './webhook-settings.js';

/** Knows which endpoints fail and for how long, notifies their owners, and at last disables them. */
@Injectable()
export class EndpointHealthService {
  constructor(
    private readonly webhooks: WebhooksStore,
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
    return true;
  }

  /** Part of the unit of work that writes the attempt. @returns whether the endpoint goes on */
  async recordFailure(actor: Actor, { id }: Webhook, gone: boolean): Promise<boolean> {
    const webhook = await this.webhooks.lock(id);
    if (!webhook?.enabled) return false;
    const now = Date.now();
    const failingSince = webhook.failingSince ?? new Date(now);
    const age = now - failingSince.getTime();
    if (gone) return this.disable(actor, webhook, 'gone');
    if (webhook.noticedAt && age > this.settings.disableAfterMs) return this.disable(actor, webhook, 'failing');
    const notice = !webhook.noticedAt && age > this.settings.noticeAfterMs;
    if (!notice && webhook.failingSince) return true;
    await this.unit.manager.query(
      'UPDATE webhook SET failing_since = $2, noticed_at = coalesce(noticed_at, $3) WHERE id = $1',
      [id, failingSince, notice ? new Date(now) : null],
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
