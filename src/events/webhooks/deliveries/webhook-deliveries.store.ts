import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { newId } from '../../../core/database/base.entity.js';
import { EntitySelect } from '../../../core/database/entity-select.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import type { ListQuery } from '../../../core/listing/list-query.js';
import { equalsFilter, type Listing, wordFilter } from '../../../core/listing/listing.js';
import type { Page } from '../../../core/listing/page.js';
import { paginate } from '../../../core/listing/paginate.js';
import type { Webhook } from '../endpoints/webhook.entity.js';
import { DELIVERY_STATUSES, WebhookDelivery } from './webhook-delivery.entity.js';

const LOG_DAYS = 30;
const DELETE_BATCH = 5_000;
export const TEST_KIND = 'webhook.test';

const listing: Listing<WebhookDelivery> = {
  alias: 'delivery',
  pageSize: 20,
  order: {
    created_at: { sql: 'delivery.created_at', type: 'timestamptz', getValue: (delivery) => delivery.createdAt },
  },
  defaultOrder: 'created_at desc',
  search: ['delivery.kind'],
  filter: {
    status: wordFilter('status', 'delivery.status', DELIVERY_STATUSES),
    kind: equalsFilter('kind', 'delivery.kind'),
  },
};

const AGAIN = `status = 'pending', failures = 0, next_attempt_at = now(), updated_at = now()`;

const HAS_EVENT = 'EXISTS (SELECT FROM event WHERE event.id = webhook_delivery.event_id)';

/** Deliveries of a span of time, made at its beginning or later and before its end: those that failed, or also those delivered. */
export interface RecoveredSpan {
  since: Date;
  until: Date | null;
  all: boolean;
}

const IN_SPAN = `webhook_id = $1 AND created_at >= $2 AND ($3::timestamptz IS NULL OR created_at < $3)
  AND (status = 'failed' OR ($4 AND status = 'delivered')) AND event_id IS NOT NULL`;

/** The log of deliveries, as those see it who administer the endpoint. */
@Injectable()
export class WebhookDeliveriesStore {
  private readonly select = new EntitySelect<WebhookDelivery>();

  constructor(private readonly unit: UnitOfWork) {}

  page(webhookId: string, query: ListQuery): Promise<Page<WebhookDelivery>> {
    return paginate(this.ofWebhook(webhookId), listing, query, {
      getMany: (page, options) => this.select.getMany(this.unit.manager, page, options),
    });
  }

  find(webhookId: string, id: string): Promise<WebhookDelivery | null> {
    return this.ofWebhook(webhookId).andWhere('delivery.id = :id', { id }).getOne();
  }

  async insertTest({ id: webhookId, organizationId, workspaceId }: Webhook): Promise<WebhookDelivery> {
    const id = newId();
    await this.unit.manager.query(
      `INSERT INTO webhook_delivery (id, webhook_id, organization_id, workspace_id, subject, kind, next_attempt_at)
       VALUES ($1, $2, $3, $4, $1, $5, now())`,
      [id, webhookId, organizationId, workspaceId, TEST_KIND],
    );
    return this.ofWebhook(webhookId).andWhere('delivery.id = :id', { id }).getOneOrFail();
  }

  /** When the last delivery was made, after a time, of those to be recovered whose events were removed; null when there is none. */
  async findLastRemoved(webhookId: string, { since, until, all }: RecoveredSpan): Promise<Date | null> {
    const [row] = await this.unit.manager.query<{ createdAt: Date }[]>(
      `SELECT created_at AS "createdAt" FROM webhook_delivery
        WHERE created_at > $2 AND ${IN_SPAN} AND NOT ${HAS_EVENT} ORDER BY created_at DESC LIMIT 1`,
      [webhookId, since, until, all],
    );
    return row?.createdAt ?? null;
  }

  /** Whether the event of a delivery is still there, or it never had one. */
  async hasEvent(id: string): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `SELECT FROM webhook_delivery WHERE id = $1 AND (event_id IS NULL OR ${HAS_EVENT})`,
      [id],
    );
    return rows.length > 0;
  }

  /** Puts one on its way again; one that is on its way is sent now, after what waits before it of the same subject. */
  async resend(webhookId: string, id: string): Promise<void> {
    await this.unit.run(async () => {
      const [rows] = await this.unit.manager.query<[{ subject: string }[]]>(
        `UPDATE webhook_delivery SET ${AGAIN} WHERE webhook_id = $1 AND id = $2 RETURNING subject`,
        [webhookId, id],
      );
      await this.hasten(
        webhookId,
        rows.map(({ subject }) => subject),
      );
    });
  }

  /** Puts those of a span of time on their way again that failed, or also those that were delivered. */
  async recover(webhookId: string, { since, until, all }: RecoveredSpan): Promise<number> {
    return this.unit.run(async () => {
      const [rows, count] = await this.unit.manager.query<[{ subject: string }[], number]>(
        `UPDATE webhook_delivery SET ${AGAIN} WHERE ${IN_SPAN} AND ${HAS_EVENT} RETURNING subject`,
        [webhookId, since, until, all],
      );
      await this.hasten(webhookId, [...new Set(rows.map(({ subject }) => subject))]);
      return count;
    });
  }

  /** Forgets what is older than the log reaches, in transactions of one batch each. @throws what the signal was aborted with */
  async deleteOld(signal: AbortSignal): Promise<void> {
    for (let count = DELETE_BATCH; count === DELETE_BATCH;) {
      signal.throwIfAborted();
      [, count] = await this.unit.manager.query<[unknown, number]>(
        `DELETE FROM webhook_delivery WHERE id IN (
           SELECT id FROM webhook_delivery WHERE created_at < now() - interval '${LOG_DAYS} days' AND status <> 'pending' LIMIT ${DELETE_BATCH})`,
      );
    }
  }

  /** What waits of these subjects is due now: what comes first in the order of a subject keeps nothing waiting for hours. */
  private async hasten(webhookId: string, subjects: string[]): Promise<void> {
    await this.unit.manager.query(
      `UPDATE webhook_delivery SET next_attempt_at = now(), updated_at = now() WHERE id IN (
         SELECT id FROM webhook_delivery WHERE webhook_id = $1 AND subject = ANY ($2) AND status = 'pending' AND next_attempt_at > now()
          ORDER BY id FOR NO KEY UPDATE)`,
      [webhookId, subjects],
    );
  }

  private ofWebhook(webhookId: string): SelectQueryBuilder<WebhookDelivery> {
    return this.unit.manager
      .getRepository(WebhookDelivery)
      .createQueryBuilder('delivery')
      .where('delivery.webhook_id = :webhookId', { webhookId });
  }
}
