import { Injectable } from '@nestjs/common';
import type { WebhookSecrets } from '../endpoints/webhook-secrets.service.js';
import type { Webhook } from '../endpoints/webhook.entity.js';
import type { WebhookMessage } from '../formats/webhook-message.js';
import { DeliveryOutcomesService } from './delivery-outcomes.service.js';
import type { DueDelivery } from './delivery-queue.store.js';
import type { EndpointTurn } from './endpoint-turn.js';
import { WebhookSender } from './webhook-sender.service.js';
import { nextDelayMs, WebhookSettings } from './webhook-settings.js';

/** A finished attempt. */
export interface FinishedAttempt {
  succeeded: boolean;
  /** Resolves when the outcome is stored; never rejects. */
  written: Promise<void>;
}

/** Makes an attempt: sends the request and stores the outcome. */
@Injectable()
export class DeliveryAttemptsService {
  constructor(
    private readonly sender: WebhookSender,
    private readonly outcomes: DeliveryOutcomesService,
    private readonly settings: WebhookSettings,
  ) {}

  /** Resolves after the response or the timeout. */
  async attempt(
    webhook: Webhook,
    secrets: WebhookSecrets,
    delivery: DueDelivery,
    message: WebhookMessage,
    turn: EndpointTurn,
  ): Promise<FinishedAttempt> {
    const timer = setTimeout(turn.releaseSlot, this.settings.slotMs);
    const { request, attempt, succeeded, gone, retryAfterMs } = await this.sender
      .send(webhook, secrets, message, delivery.lastSent, turn.signal)
      .finally(() => clearTimeout(timer));
    const retryInMs = succeeded || gone ? null : nextDelayMs(delivery.failures + 1, retryAfterMs, this.settings);
    const outcome = { webhook, delivery, request, attempt, succeeded, gone, retryInMs, retryAfterMs };
    return { succeeded, written: this.outcomes.write(outcome) };
  }
}
