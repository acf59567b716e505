import { Injectable } from '@nestjs/common';
import type { Actor } from '../../../core/access/actor.js';
import { AppError, Conflict, InvalidRequest, NotFound } from '../../../core/errors/app-error.js';
import type { ListQuery } from '../../../core/listing/list-query.js';
import type { Page } from '../../../core/listing/page.js';
import type { WebhookOwner } from '../endpoints/webhook-owners.service.js';
import type { Webhook } from '../endpoints/webhook.entity.js';
import type { Recovery } from '../endpoints/webhook.inputs.js';
import { WebhooksService } from '../endpoints/webhooks.service.js';
import { EndpointPausesStore } from './endpoint-pauses.store.js';
import { EndpointWakesService } from './endpoint-wakes.service.js';
import { WebhookDeliveriesStore } from './webhook-deliveries.store.js';
import type { WebhookDelivery } from './webhook-delivery.entity.js';

/** Lists deliveries, sends tests and redelivers. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    private readonly webhooks: WebhooksService,
    private readonly deliveries: WebhookDeliveriesStore,
    private readonly pauses: EndpointPausesStore,
    private readonly wakes: EndpointWakesService,
  ) {}

  async list(actor: Actor, owner: WebhookOwner, webhookId: string, query: ListQuery): Promise<Page<WebhookDelivery>> {
    const webhook = await this.webhooks.get(actor, owner, webhookId);
    return this.deliveries.page(webhook.id, query);
  }

  async get(actor: Actor, owner: WebhookOwner, webhookId: string, id: string): Promise<WebhookDelivery> {
    const webhook = await this.webhooks.get(actor, owner, webhookId);
    return this.getDelivery(webhook.id, id);
  }

  /** Sends a test event, also to a disabled endpoint. */
  async test(actor: Actor, owner: WebhookOwner, webhookId: string): Promise<WebhookDelivery> {
    const webhook = await this.webhooks.getForSending(actor, owner, webhookId);
    const delivery = await this.deliveries.insertTest(webhook);
    await this.sendNow(webhook.id);
    return delivery;
  }

  async redeliver(actor: Actor, owner: WebhookOwner, webhookId: string, id: string): Promise<WebhookDelivery> {
    const webhook = await this.webhooks.getForSending(actor, owner, webhookId);
    await this.getDelivery(webhook.id, id);
    assertEnabled(webhook);
    if (!(await this.deliveries.hasEvent(id)))
      throw eventsRemoved(
        'the event of the delivery is no longer kept',
        'Read the current state of the record instead.',
      );
    await this.deliveries.resend(webhook.id, id);
    await this.sendNow(webhook.id);
    return this.getDelivery(webhook.id, id);
  }

  /** @throws AppError REPLAY_EXPIRED when events of the period were removed; its extension `since` is the start of the remaining ones */
  async recover(
    actor: Actor,
    owner: WebhookOwner,
    webhookId: string,
    { since, until, status }: Recovery,
  ): Promise<number> {
    const webhook = await this.webhooks.getForSending(actor, owner, webhookId);
    assertEnabled(webhook);
    const span = {
      since: new Date(since),
      until: until === undefined ? null : new Date(until),
      all: status === 'all',
    };
    if (span.until && span.until <= span.since)
      throw InvalidRequest.forField('/until', 'must be after since', 'Send a time after since, or leave until out.');
    const removed = await this.deliveries.findLastRemoved(webhook.id, span);
    if (removed) throw spanExpired(removed);
    const recovered = await this.deliveries.recover(webhook.id, span);
    await this.sendNow(webhook.id);
    return recovered;
  }

  private async sendNow(webhookId: string): Promise<void> {
    await this.pauses.end(webhookId);
    await this.wakes.wake(webhookId);
  }

  private async getDelivery(webhookId: string, id: string): Promise<WebhookDelivery> {
    const delivery = await this.deliveries.find(webhookId, id);
    if (!delivery) throw new NotFound('delivery', id);
    return delivery;
  }
}

function assertEnabled({ enabled }: Webhook): void {
  if (!enabled)
    throw new Conflict('WEBHOOK_DISABLED', 'the webhook is disabled', {
      remedy: 'Enable it by PUT with {"enabled": true}, then send again.',
    });
}

function spanExpired(removed: Date): AppError {
  const since = removed.toISOString();
  return eventsRemoved(
    `events of this time span are no longer kept: those up to ${since} were removed`,
    `Read the current state of what the endpoint follows, then recover what is left with since ${since}.`,
    { since },
  );
}

const eventsRemoved = (detail: string, remedy: string, extensions = {}): AppError =>
  new AppError(410, 'REPLAY_EXPIRED', 'No longer kept', detail, { remedy, extensions });
