import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { JobContext } from '../../../jobs/job-handler.registry.js';
import type { WebhookSecrets } from '../endpoints/webhook-secrets.service.js';
import type { Webhook } from '../endpoints/webhook.entity.js';
import type { WebhookMessage } from '../formats/webhook-message.js';
import { DeliveryQueueStore, type DueDelivery } from './delivery-queue.store.js';
import { EndpointHealthService } from './endpoint-health.service.js';
import { WebhookSender } from './webhook-sender.service.js';
import { nextDelayMs, WebhookSettings } from './webhook-settings.js';

/** One attempt from the call to what is written of it. */
@Injectable()
export class DeliveryAttemptsService {
  constructor(
    private readonly sender: WebhookSender,
    private readonly queue: DeliveryQueueStore,
    private readonly health: EndpointHealthService,
    private readonly settings: WebhookSettings,
    private readonly unit: UnitOfWork,
  ) {}

  /** @returns whether it was delivered */
  async attempt(
    webhook: Webhook,
    secrets: WebhookSecrets,
    delivery: DueDelivery,
    message: WebhookMessage,
    { signal, releaseSlot, assertLeased, actor }: JobContext,
  ): Promise<boolean> {
    const timer = setTimeout(releaseSlot, this.settings.slotMs);
    const { request, attempt, succeeded, gone, retryAfterMs } = await this.sender
      .send(webhook, secrets, message, signal)
      .finally(() => clearTimeout(timer));
    const delayMs = succeeded || gone ? null : nextDelayMs(delivery.failures + 1, retryAfterMs, this.settings);
    await this.unit.run(async () => {
      // The endpoint before its deliveries: what disables it locks them in this order.
      const goesOn = succeeded
        ? await this.health.recordSuccess(webhook, attempt.duration_ms)
        : await this.health.recordFailure(actor, webhook, { gone, retryAfterMs });
      const retryInMs = goesOn ? delayMs : null;
      await this.queue.record(webhook.id, delivery, { request, attempt, succeeded, retryInMs });
      await assertLeased();
    });
    return succeeded;
  }
}
