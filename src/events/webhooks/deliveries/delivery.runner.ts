import { Injectable } from '@nestjs/common';
import type { JobContext } from '../../../jobs/job-handler.registry.js';
import type { Job } from '../../../jobs/job.js';
import { WebhookSecretsService } from '../endpoints/webhook-secrets.service.js';
import type { Webhook } from '../endpoints/webhook.entity.js';
import { WebhooksStore } from '../endpoints/webhooks.store.js';
import type { WebhookMessage } from '../formats/webhook-message.js';
import { DeliveryQueueStore, type DueDelivery } from './delivery-queue.store.js';
import type { DeliveryPayload } from './delivery-wakes.service.js';
import { DeliveryAttemptsService } from './delivery-attempts.service.js';
import { WebhookSettings } from './webhook-settings.js';

const BATCH_SIZE = 200;
/** Subjects of one endpoint that are sent side by side. */
const PARALLEL = 8;

/** Sends what is due to one endpoint, for a while. Only one job does so for an endpoint at a time. */
@Injectable()
export class DeliveryRunner {
  constructor(
    private readonly webhooks: WebhooksStore,
    private readonly secrets: WebhookSecretsService,
    private readonly queue: DeliveryQueueStore,
    private readonly attempts: DeliveryAttemptsService,
    private readonly settings: WebhookSettings,
  ) {}

  /** @returns whether other endpoints are to have a turn before this one has another */
  async run({ payload: { webhookId } }: Job<DeliveryPayload>, context: JobContext): Promise<boolean> {
    const end = performance.now() + this.settings.turnMs;
    while (performance.now() < end) {
      context.signal.throwIfAborted();
      const webhook = await this.webhooks.findForSending(webhookId);
      const due = webhook ? await this.queue.listDue(webhookId, BATCH_SIZE) : [];
      if (!webhook || due.length === 0) return true;
      if (due.some(isRemoved)) {
        await this.queue.failRemoved(webhookId);
        continue;
      }
      if (!(await this.sendAll(webhook, due, end, context))) return true;
      // Events since then are found when the endpoint is woken again.
      if (due.length < BATCH_SIZE) return false;
    }
    return false;
  }

  /** @returns false when an attempt failed: what else is due is tried by a later job */
  private async sendAll(webhook: Webhook, due: DueDelivery[], end: number, context: JobContext): Promise<boolean> {
    const secrets = await this.secrets.open(webhook);
    const subjects = [...groupBySubject(due).values()].values();
    let healthy = true;
    const worker = async (): Promise<void> => {
      for (const deliveries of subjects)
        for (const delivery of deliveries) {
          if (!healthy || performance.now() > end) return;
          const message = toMessage(webhook, delivery);
          const sent = await this.attempts.attempt(webhook, secrets, delivery, message, context);
          healthy &&= sent;
          if (!sent) break;
        }
    };
    // One probe is enough for an endpoint that has been failing.
    const workers = webhook.failingSince ? 1 : PARALLEL;
    await Promise.all(Array.from({ length: workers }, worker));
    return healthy;
  }
}

function groupBySubject(due: DueDelivery[]): Map<string, DueDelivery[]> {
  const groups = new Map<string, DueDelivery[]>();
  for (const delivery of due) groups.set(delivery.subject, [...(groups.get(delivery.subject) ?? []), delivery]);
  return groups;
}

/** Of a test there is no event, of any other delivery there was one. */
const isRemoved = ({ eventId, category }: DueDelivery): boolean => eventId !== null && category === null;

/** The event, or what a test says in its place. */
function toMessage(webhook: Webhook, delivery: DueDelivery): WebhookMessage {
  return {
    id: delivery.eventId ?? delivery.id,
    sequence: delivery.eventId ? delivery.sequence : null,
    organizationId: webhook.organizationId,
    workspaceId: webhook.workspaceId,
    userId: delivery.userId,
    actedUpon: delivery.subject,
    operationId: delivery.operationId,
    category: delivery.category ?? 'webhook',
    action: delivery.action ?? 'test',
    severity: delivery.severity ?? 'informational',
    description: delivery.description ?? 'Test of a webhook',
    metadata: delivery.metadata ?? {},
    createdAt: delivery.happenedAt ?? delivery.createdAt,
  };
}
