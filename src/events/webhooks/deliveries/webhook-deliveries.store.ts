import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { NIL } from 'uuid';
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
/** The maximum number of deliveries that one transaction deletes or queues again. */
const BATCH = 5_000;
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

/** A period from `since` (inclusive) to `until` (exclusive), of failed deliveries or with `all` also delivered ones. */
export interface RecoveredSpan {
  since: Date;
  until: Date | null;
  all: boolean;
}

/** The keyset position of a delivery in the order of creation. */
interface Place {
  createdAt: Date;
  id: string;
}

const IN_SPAN = `webhook_id = $1 AND created_at >= $2 AND ($3::timestamptz IS NULL OR created_at < $3)
  AND (status = 'failed' OR ($4 AND status = 'delivered')) AND event_id IS NOT NULL`;

/** The log of deliveries. */
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

  /** Returns the creation time of the last delivery of the period whose event was removed, or null. */
  async findLastRemoved(webhookId: string, { since, until, all }: RecoveredSpan): Promise<Date | null> {
    const [row] = await this.unit.manager.query<{ createdAt: Date }[]>(
      `SELECT created_at AS "createdAt" FROM webhook_delivery
        WHERE created_at > $2 AND ${IN_SPAN} AND NOT ${HAS_EVENT} ORDER BY created_at DESC LIMIT 1`,
      [webhookId, since, until, all],
    );
    return row?.createdAt ?? null;
  }

  /** Reports whether a delivery can be sent again: its event still exists, or it is a test. */
  async hasEvent(id: string): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `SELECT FROM webhook_delivery WHERE id = $1 AND (event_id IS NULL OR ${HAS_EVENT})`,
      [id],
    );
    return rows.length > 0;
  }

  /** Queues a delivery again, due immediately after earlier pending deliveries of its subject. */
  async resend(webhookId: string, id: string): Promise<void> {
    await this.unit.run(async () => {
      const [rows] = await this.unit.manager.query<[{ subject: string }[]]>(
        `UPDATE webhook_delivery SET ${AGAIN} WHERE webhook_id = $1 AND id = $2 RETURNING subject`,
        [webhookId, id],
      );
      await this.makeSubjectsDue(
        webhookId,
        rows.map(({ subject }) => subject),
      );
    });
  }

  /**
   * Queues the deliveries of a period again, in one transaction per batch, so that rows are locked only briefly. An interrupted call is
   * completed by repeating it.
   * @returns the number of deliveries
   */
  async recover(webhookId: string, span: RecoveredSpan): Promise<number> {
    let recovered = 0;
    let after: Place | undefined = { createdAt: span.since, id: NIL };
    while (after) {
      const place: Place = after;
      const rows = await this.unit.run(() => this.recoverSome(webhookId, span, place));
      recovered += rows.length;
      after = rows.length === BATCH ? rows.at(-1) : undefined;
    }
    return recovered;
  }

  /** Queues the next batch in order, in the open unit of work. */
  private async recoverSome(webhookId: string, { since, until, all }: RecoveredSpan, after: Place): Promise<Place[]> {
    const rows = await this.unit.manager.query<(Place & { subject: string })[]>(
      `WITH recovered AS (
         SELECT id, subject, created_at FROM webhook_delivery
          WHERE ${IN_SPAN} AND ${HAS_EVENT} AND (created_at, id) > ($5, $6) ORDER BY created_at, id LIMIT ${BATCH} FOR NO KEY UPDATE
       ), queued AS (
         UPDATE webhook_delivery SET ${AGAIN} FROM recovered WHERE webhook_delivery.id = recovered.id)
       SELECT id, subject, created_at AS "createdAt" FROM recovered ORDER BY created_at, id`,
      [webhookId, since, until, all, after.createdAt, after.id],
    );
    await this.makeSubjectsDue(webhookId, [...new Set(rows.map(({ subject }) => subject))]);
    return rows;
  }

  /** Deletes deliveries older than `LOG_DAYS`, in one transaction per batch. @throws the reason of the signal when it is aborted */
  async deleteOld(signal: AbortSignal): Promise<void> {
    for (let count = BATCH; count === BATCH;) {
      signal.throwIfAborted();
      [, count] = await this.unit.manager.query<[unknown, number]>(
        `DELETE FROM webhook_delivery WHERE id IN (
           SELECT id FROM webhook_delivery WHERE created_at < now() - interval '${LOG_DAYS} days' AND status <> 'pending' LIMIT ${BATCH})`,
      );
    }
  }

  /** Makes all pending deliveries of these subjects due, so that no earlier delivery delays a later one for hours. */
  private async makeSubjectsDue(webhookId: string, subjects: string[]): Promise<void> {
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
