import { Injectable } from '@nestjs/common';
import { named } from '../../../core/database/statements.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import type { Severity } from '../../../core/events/domain-event.js';
import { PAUSED_UNTIL_SQL } from './endpoint-pauses.store.js';
import { SENDABLE_SQL } from './endpoint-queue.store.js';
import type { Webhook } from '../endpoints/webhook.entity.js';
import type { SentMessage } from './message-id.js';
import type { DeliveryAttempt, SentRequest } from './webhook-delivery.entity.js';

/** The maximum number of deliveries that a scrape counts. */
const MAX_COUNTED = 100_000;
/** The maximum number of attempts in the log of a delivery, including those of redeliveries. */
const MAX_ATTEMPTS_KEPT = 30;

/** Changes only when personal data are erased from the event: events are immutable otherwise. */
const EVENT_DIGEST = `md5(event.description || event.metadata::text)`;

const LIST_DUE = named(`SELECT due.* FROM unnest($1::uuid[]) AS endpoint (id) CROSS JOIN LATERAL (
         WITH candidate AS MATERIALIZED (
           SELECT delivery.* FROM webhook_delivery delivery JOIN webhook ON webhook.id = delivery.webhook_id
            WHERE delivery.webhook_id = endpoint.id AND delivery.status = 'pending' AND delivery.next_attempt_at <= now() AND ${SENDABLE_SQL}
              AND coalesce(${PAUSED_UNTIL_SQL} <= now(), true)
            ORDER BY delivery.next_attempt_at, delivery.sequence LIMIT $2)
         SELECT c.id, c.webhook_id AS "webhookId", c.subject, c.failures, c.created_at AS "createdAt", c.event_id AS "eventId", c.sequence,
                CASE WHEN c.request IS NOT NULL THEN jsonb_build_object('id', c.request -> 'headers' -> 'webhook-id', 'body', c.request -> 'body') END AS "lastSent",
                event.user_id AS "userId", event.operation_id AS "operationId", event.category, event.action, event.severity,
                event.description, event.metadata, event.created_at AS "happenedAt", ${EVENT_DIGEST} AS "eventDigest"
           FROM candidate c LEFT JOIN event ON event.id = c.event_id
          WHERE coalesce(c.sequence < (
            SELECT other.sequence FROM webhook_delivery other WHERE other.webhook_id = c.webhook_id AND other.subject = c.subject
               AND other.status = 'pending' AND other.id <> ALL (ARRAY(SELECT id FROM candidate)) ORDER BY other.sequence LIMIT 1), true)
          ORDER BY c.sequence, c.id) AS due`);

/** Finds each row by its id (`LATERAL`): a plan from when the table was small would scan it for every statement. */
const RECORD = named(`WITH outcome AS MATERIALIZED (
         SELECT * FROM unnest($2::uuid[], $3::uuid[], $4::boolean[], $5::float8[], $6::jsonb[], $7::jsonb[])
             AS o (id, webhook, succeeded, retry_ms, request, attempt)
          WHERE o.succeeded OR EXISTS (SELECT FROM webhook_queue queue WHERE queue.webhook_id = o.webhook AND queue.worker = $1)
          ORDER BY o.id),
       held AS MATERIALIZED (
         SELECT outcome.* FROM outcome CROSS JOIN LATERAL (
           SELECT FROM webhook_delivery delivery WHERE delivery.id = outcome.id OFFSET 0 FOR NO KEY UPDATE OF delivery) AS locked)
       UPDATE webhook_delivery delivery SET
         status = CASE WHEN o.succeeded THEN 'delivered' WHEN o.retry_ms IS NULL THEN 'failed' ELSE 'pending' END,
         failures = delivery.failures + CASE WHEN o.succeeded THEN 0 ELSE 1 END,
         next_attempt_at = now() + o.retry_ms * interval '1 millisecond', request = o.request,
         attempts = CASE WHEN jsonb_array_length(delivery.attempts) < ${MAX_ATTEMPTS_KEPT} THEN delivery.attempts
                         ELSE delivery.attempts - 0 END || jsonb_build_array(o.attempt),
         updated_at = now()
       FROM held o WHERE delivery.id = o.id`);

/**
 * Leaves nothing of what was sent where the event was erased or removed meanwhile. A separate statement after `RECORD`, which holds the
 * deliveries: an erasure that was running before has ended, and later ones find what is stored.
 */
const FORGET_ERASED = named(`UPDATE webhook_delivery delivery SET
         request = jsonb_set(delivery.request, '{body}', '"[erased]"'),
         attempts = jsonb_set(jsonb_set(delivery.attempts, '{-1,response_body}', '"[erased]"'), '{-1,response_headers}', '{}')
       FROM unnest($1::uuid[], $2::uuid[], $3::text[]) AS sent (id, event_id, digest)
       WHERE delivery.id = sent.id AND delivery.request IS NOT NULL
         AND NOT EXISTS (SELECT FROM event WHERE event.id = sent.event_id AND ${EVENT_DIGEST} = sent.digest)`);

/** A delivery that is due, with its event; the columns of the event are null for a test. */
export interface DueDelivery {
  id: string;
  webhookId: string;
  subject: string;
  failures: number;
  createdAt: Date;
  lastSent: SentMessage | null;
  eventId: string | null;
  sequence: string;
  userId: string | null;
  operationId: string | null;
  category: string | null;
  action: string | null;
  severity: Severity | null;
  description: string | null;
  metadata: Record<string, unknown> | null;
  happenedAt: Date | null;
  eventDigest: string | null;
}

/** The stored result of an attempt. */
export interface AttemptRecord {
  delivery: DueDelivery;
  request: SentRequest;
  attempt: DeliveryAttempt;
  succeeded: boolean;
  /** The delay of the next attempt; null when there is none. */
  retryInMs: number | null;
}

/** The outcome of an attempt. */
export interface DeliveryOutcome extends AttemptRecord {
  webhook: Webhook;
  /** The receiver responded 410 Gone. */
  gone: boolean;
  retryAfterMs?: number;
}

/** Pending deliveries of all endpoints. */
export interface DeliveryBacklog {
  pending: number;
  /** How many seconds the longest waiting endpoint has been due. */
  oldest: number;
  /** The number of enabled endpoints that are failing. */
  failing: number;
}

/** The queue of pending deliveries. */
@Injectable()
export class DeliveryQueueStore {
  constructor(private readonly unit: UnitOfWork) {}

  /**
   * Lists the due deliveries of endpoints without a pause. Deliveries after a waiting delivery of the same subject are left out, to keep
   * the order.
   * @param most the maximum for each endpoint
   */
  listDue(webhookIds: string[], most: number): Promise<DueDelivery[]> {
    return this.unit.manager.query(LIST_DUE, [webhookIds, most]);
  }

  /**
   * Stores attempts. Later deliveries of the same subject wait after a failure, and become due after a success. A success is stored
   * whichever process holds the endpoint now; a failure only by the process that holds it.
   */
  async record(worker: string, records: AttemptRecord[]): Promise<void> {
    const rows = records.map(({ delivery, request, attempt, succeeded, retryInMs }) => ({
      ...{ id: delivery.id, webhook: delivery.webhookId, subject: delivery.subject, sequence: delivery.sequence },
      ...{ succeeded, retry_ms: retryInMs, request: toJsonb(request), attempt: toJsonb(attempt) },
      moves: retryInMs !== null || delivery.failures > 0,
    }));
    await this.unit.manager.query(RECORD, [
      worker,
      ...(['id', 'webhook', 'succeeded', 'retry_ms', 'request', 'attempt'] as const).map((field) =>
        rows.map((each) => each[field]),
      ),
    ]);
    const sent = records.map(({ delivery }) => delivery).filter(({ eventId }) => eventId !== null);
    if (sent.length > 0)
      await this.unit.manager.query(
        FORGET_ERASED,
        (['id', 'eventId', 'eventDigest'] as const).map((field) => sent.map((each) => each[field])),
      );
    const moving = rows.filter(({ moves }) => moves);
    if (moving.length > 0) await this.moveFollowing(moving);
  }

  private async moveFollowing(
    moving: { webhook: string; subject: string; sequence: string; retry_ms: number | null }[],
  ): Promise<void> {
    await this.unit.manager.query(
      `WITH moved AS MATERIALIZED (
         SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::float8[]) AS m (webhook, subject, sequence, wait_ms)),
       held AS (
         SELECT later.id, moved.wait_ms FROM webhook_delivery later JOIN moved
             ON later.webhook_id = moved.webhook AND later.subject = moved.subject AND later.sequence > moved.sequence
          WHERE later.status = 'pending' ORDER BY later.id FOR NO KEY UPDATE OF later)
       UPDATE webhook_delivery later SET next_attempt_at = now() + held.wait_ms * interval '1 millisecond', updated_at = now()
         FROM held WHERE later.id = held.id`,
      [
        ...(['webhook', 'subject', 'sequence'] as const).map((field) => moving.map((each) => each[field])),
        moving.map(({ retry_ms }) => retry_ms ?? 0),
      ],
    );
  }

  async readBacklog(): Promise<DeliveryBacklog> {
    const [backlog] = await this.unit.manager.query<[DeliveryBacklog]>(
      `SELECT (SELECT count(*)::int FROM (SELECT FROM webhook_delivery WHERE status = 'pending' LIMIT ${MAX_COUNTED}) AS waiting) AS pending,
              (SELECT greatest(0, coalesce(extract(epoch FROM now() - min(due_at)), 0))::float8 FROM webhook_queue WHERE worker IS NULL) AS oldest,
              (SELECT count(*)::int FROM webhook_deferral deferral JOIN webhook ON webhook.id = deferral.webhook_id
                WHERE webhook.enabled AND webhook.deleted_at IS NULL AND webhook.failing_since IS NOT NULL) AS failing`,
    );
    return backlog;
  }

  /** Fails pending deliveries whose events were removed. */
  async failRemoved(webhookIds: string[]): Promise<void> {
    const attempt: DeliveryAttempt = {
      at: new Date().toISOString(),
      duration_ms: 0,
      status: null,
      error: 'the event is no longer kept',
      response_headers: {},
      response_body: '',
    };
    await this.unit.manager.query(
      `UPDATE webhook_delivery delivery SET status = 'failed', next_attempt_at = NULL, attempts = attempts || $2::jsonb,
         updated_at = now()
        WHERE webhook_id = ANY ($1) AND status = 'pending' AND event_id IS NOT NULL
          AND NOT EXISTS (SELECT FROM event WHERE event.id = delivery.event_id)`,
      [webhookIds, toJsonb([attempt])],
    );
  }

  /** Fails the pending deliveries of an endpoint that was disabled or deleted; `recover` sends them again. */
  async failPending(webhookId: string): Promise<void> {
    await this.unit.manager.query(
      `UPDATE webhook_delivery SET status = 'failed', next_attempt_at = NULL, updated_at = now()
        WHERE id IN (
          SELECT id FROM webhook_delivery WHERE webhook_id = $1 AND status = 'pending' ORDER BY id FOR NO KEY UPDATE)`,
      [webhookId],
    );
  }
}
