import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { WebhookSecretsService } from '../endpoints/webhook-secrets.service.js';
import type { Webhook } from '../endpoints/webhook.entity.js';
import { WebhooksStore } from '../endpoints/webhooks.store.js';
import type { WebhookMessage } from '../formats/webhook-message.js';
import { DeliveryAttemptsService } from './delivery-attempts.service.js';
import { DeliveryQueueStore, type DueDelivery } from './delivery-queue.store.js';
import type { EndpointTurn } from './endpoint-turn.js';

/** The maximum number of deliveries loaded for an endpoint; a failing endpoint mostly needs only the first. */
const MOST_DUE = 50;
const MOST_DUE_WHEN_SLOW = 8;
/** The number of subjects of an endpoint that are sent in parallel. */
const PARALLEL = 8;

/** The deliveries to one endpoint in one turn. */
export interface EndpointWork {
  webhook: Webhook;
  due: DueDelivery[];
  /** Whether more deliveries may be due. */
  more: boolean;
}

/** Loads due deliveries and sends them. */
@Injectable()
export class DeliveryRunner {
  private readonly logger = new Logger('Webhooks');

  constructor(
    private readonly webhooks: WebhooksStore,
    private readonly secrets: WebhookSecretsService,
    private readonly queue: DeliveryQueueStore,
    private readonly attempts: DeliveryAttemptsService,
  ) {}

  /** Loads due deliveries by endpoint, without endpoints that have none. Never throws: after an error the endpoints are due again later. */
  async load(turns: EndpointTurn[], slow: boolean): Promise<Map<string, EndpointWork>> {
    try {
      return await this.loadDue(
        turns.map(({ webhookId }) => webhookId),
        slow,
      );
    } catch (error) {
      if (!isDatabaseOutage(error)) this.logger.warn(error, 'loading deliveries failed and will be retried');
      return new Map();
    }
  }

  /** Never throws: deliveries without a stored outcome are due again later. */
  async send({ webhook, due }: EndpointWork, turn: EndpointTurn): Promise<void> {
    try {
      await this.sendSubjects(webhook, due, turn);
    } catch (error) {
      if (!turn.signal.aborted) this.logger.error(error, `deliveries to the webhook ${webhook.id} failed`);
    }
  }

  /** Also fails deliveries whose events were removed. */
  private async loadDue(webhookIds: string[], slow: boolean): Promise<Map<string, EndpointWork>> {
    const most = slow ? MOST_DUE_WHEN_SLOW : MOST_DUE;
    const due = await this.queue.listDue(webhookIds, most);
    const removed = due.filter(isRemoved);
    if (removed.length > 0) {
      await this.queue.failRemoved(removed.map(({ webhookId }) => webhookId));
      return this.loadDue(webhookIds, slow);
    }
    const byEndpoint = groupBy(due, 'webhookId');
    const webhooks = byEndpoint.size > 0 ? await this.webhooks.findForSending([...byEndpoint.keys()]) : [];
    return new Map(
      webhooks.map((webhook) => {
        const own = byEndpoint.get(webhook.id) ?? [];
        return [webhook.id, { webhook, due: own, more: own.length === most }];
      }),
    );
  }

  /** Sends subjects in parallel, and the deliveries of a subject in order, each after the previous outcome is stored. A failure ends the turn. */
  private async sendSubjects(webhook: Webhook, due: DueDelivery[], turn: EndpointTurn): Promise<void> {
    const secrets = await this.secrets.open(webhook);
    const subjects = groupBy(due, 'subject').values();
    const writes: Promise<void>[] = [];
    const worker = async (): Promise<void> => {
      for (const deliveries of subjects) {
        let written = Promise.resolve();
        for (const delivery of deliveries) {
          await written;
          if (!turn.canContinue) return;
          const message = toMessage(webhook, delivery);
          const attempt = await this.attempts.attempt(webhook, secrets, delivery, message, turn);
          ({ written } = attempt);
          writes.push(written);
          if (!attempt.succeeded) return turn.end();
        }
      }
    };
    // A failing endpoint gets a single probe.
    const workers = webhook.failingSince ? 1 : PARALLEL;
    const ends = await Promise.allSettled(Array.from({ length: workers }, worker));
    await Promise.all(writes);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
}

function groupBy(due: DueDelivery[], field: 'webhookId' | 'subject'): Map<string, DueDelivery[]> {
  const groups = new Map<string, DueDelivery[]>();
  for (const delivery of due) {
    const group = groups.get(delivery[field]);
    if (group) group.push(delivery);
    else groups.set(delivery[field], [delivery]);
  }
  return groups;
}

/** Reports whether the event was removed. Tests have no event. */
const isRemoved = ({ eventId, category }: DueDelivery): boolean => eventId !== null && category === null;

/** Builds the message of an event or a test. */
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
