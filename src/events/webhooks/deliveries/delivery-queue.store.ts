import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import { INTERIM_SQL } from '../../../core/events/event-kinds.js';
import type { Severity } from '../../../core/events/domain-event.js';
import { INSTALLATION_FEED } from '../../feed.store.js';
import { PAUSED_UNTIL_SQL } from './endpoint-pauses.store.js';
import type { DeliveryAttempt, SentRequest } from './webhook-delivery.entity.js';

/** Attempts that a delivery remembers; redelivering adds to them. */
const MAX_ATTEMPTS_KEPT = 30;

/** A delivery that is due, with its event; the columns of the event are null for a test. */
export interface DueDelivery {
  id: string;
  subject: string;
  failures: number;
  createdAt: Date;
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
}

/** What is written of an attempt. */
export interface AttemptRecord {
  request: SentRequest;
  attempt: DeliveryAttempt;
  succeeded: boolean;
  /** Null when it is not tried again. */
  retryInMs: number | null;
}

/** An endpoint with work, and the queue that it uses. */
export interface WaitingEndpoint {
  webhookId: string;
  organizationId: string;
  slow: boolean;
  dueAt: Date;
}

/** In the words of the index of events. */
const FEED_SQL = `coalesce(event.organization_id, '${INSTALLATION_FEED}'::uuid)`;
const SLOW_SQL = '(webhook.slow OR webhook.failing_since IS NOT NULL)';
const ACTIVE_SQL = 'webhook.enabled AND webhook.deleted_at IS NULL';
/** A test is sent to a disabled endpoint, too. */
const SENDABLE_SQL = `webhook.deleted_at IS NULL AND (webhook.enabled OR delivery.event_id IS NULL)`;
const NAMES = `webhook.id AS "webhookId", webhook.organization_id AS "organizationId", ${SLOW_SQL} AS slow`;

/** Deliveries on their way: made from the feed by number, taken in order, and written after each attempt. */
@Injectable()
export class DeliveryQueueStore {
  constructor(private readonly unit: UnitOfWork) {}

  /**
   * Makes the deliveries of the next events of an organization and moves its position past them, in one unit of work: no
   * event is left out or given twice, whatever dies. What follows a delivery of its subject that waits, waits with it.
   * @returns how many events were read, and the endpoints with something to send
   */
  async fanOut(organizationId: string, most: number): Promise<{ read: number; endpoints: WaitingEndpoint[] }> {
    const [feed] = await this.unit.manager.query<{ position: string }[]>(
      'SELECT position FROM webhook_feed WHERE organization_id = $1 FOR UPDATE',
      [organizationId],
    );
    if (!feed) return { read: 0, endpoints: [] };
    // Of events that were removed before they were read only their numbers are known.
    const [end] = await this.unit.manager.query<[{ last: string | null; count: number }]>(
      `SELECT coalesce(max(sequence), (SELECT last FROM event_counter WHERE feed = $1)) AS last, count(*)::int AS count FROM (
         SELECT sequence FROM event WHERE ${FEED_SQL} = $1 AND sequence > $2 ORDER BY sequence LIMIT $3) AS batch`,
      [organizationId, feed.position, most],
    );
    if (end.last === null || end.last === feed.position) return { read: 0, endpoints: [] };
    const endpoints = await this.unit.manager.query<WaitingEndpoint[]>(
      `WITH made AS (
         INSERT INTO webhook_delivery
           (id, webhook_id, organization_id, workspace_id, event_id, sequence, subject, kind, next_attempt_at)
         SELECT gen_random_uuid(), webhook.id, webhook.organization_id, webhook.workspace_id, event.id, event.sequence,
                event.acted_upon, event.category || '.' || event.action,
                greatest(now(), (SELECT max(next_attempt_at) FROM webhook_delivery earlier
                                  WHERE earlier.webhook_id = webhook.id AND earlier.subject = event.acted_upon
                                    AND earlier.status = 'pending'))
           FROM event JOIN webhook ON webhook.organization_id = event.organization_id AND ${ACTIVE_SQL}
            AND (webhook.workspace_id IS NULL OR webhook.workspace_id = event.workspace_id)
            AND webhook.starts_after < event.sequence
            AND webhook.events && CASE WHEN ${INTERIM_SQL} THEN ARRAY[event.category || '.' || event.action]
                  ELSE ARRAY['*', event.category || '.*', event.category || '.' || event.action] END
            AND (webhook.severities = '{}' OR event.severity = ANY (webhook.severities))
          WHERE ${FEED_SQL} = $1 AND event.sequence > $2 AND event.sequence <= $3
          ORDER BY event.sequence
         ON CONFLICT (webhook_id, event_id) WHERE event_id IS NOT NULL DO NOTHING
         RETURNING webhook_id, next_attempt_at),
       moved AS (UPDATE webhook_feed SET position = $3 WHERE organization_id = $1)
       SELECT ${NAMES}, greatest(min(made.next_attempt_at), ${PAUSED_UNTIL_SQL}) AS "dueAt"
         FROM made JOIN webhook ON webhook.id = made.webhook_id GROUP BY webhook.id`,
      [organizationId, feed.position, end.last],
    );
    return { read: end.count, endpoints };
  }

  /** Whether an organization has events that its endpoints were not given. */
  async isBehind(organizationId: string): Promise<boolean> {
    return (await this.listBehind(organizationId)).length > 0;
  }

  /** The organizations with events that their endpoints were not given; of one when it is named. */
  async listBehind(organizationId: string | null = null): Promise<string[]> {
    const rows = await this.unit.manager.query<{ id: string }[]>(
      `SELECT feed.organization_id AS id FROM webhook_feed feed JOIN event_counter counter ON counter.feed = feed.organization_id
        WHERE counter.last > feed.position AND ($1::uuid IS NULL OR feed.organization_id = $1)`,
      [organizationId],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Endpoints with something to send that is due by now; of one when it is named, also what is due later.
   * @param restMs at the earliest after so long, so that other endpoints have a turn
   */
  listWaiting(webhookId: string | null = null, restMs = 0): Promise<WaitingEndpoint[]> {
    return this.unit.manager.query(
      `SELECT ${NAMES}, greatest(due.at, ${PAUSED_UNTIL_SQL}, now() + $2 * interval '1 millisecond') AS "dueAt"
         FROM webhook CROSS JOIN LATERAL (
           SELECT min(delivery.next_attempt_at) AS at FROM webhook_delivery delivery
            WHERE delivery.webhook_id = webhook.id AND delivery.status = 'pending' AND ${SENDABLE_SQL}) AS due
        WHERE webhook.deleted_at IS NULL AND due.at IS NOT NULL
          AND CASE WHEN $1::uuid IS NULL THEN greatest(due.at, ${PAUSED_UNTIL_SQL}) <= now() ELSE webhook.id = $1 END`,
      [webhookId, restMs],
    );
  }

  /** What may be sent now, outside of a pause: of each subject nothing that comes after a delivery which waits for another time. */
  listDue(webhookId: string, most: number): Promise<DueDelivery[]> {
    return this.unit.manager.query(
      `WITH candidate AS MATERIALIZED (
         SELECT delivery.* FROM webhook_delivery delivery JOIN webhook ON webhook.id = delivery.webhook_id
          WHERE delivery.webhook_id = $1 AND delivery.status = 'pending' AND delivery.next_attempt_at <= now() AND ${SENDABLE_SQL}
            AND coalesce(${PAUSED_UNTIL_SQL} <= now(), true)
          ORDER BY delivery.next_attempt_at, delivery.sequence LIMIT $2)
       SELECT c.id, c.subject, c.failures, c.created_at AS "createdAt", c.event_id AS "eventId", c.sequence,
              event.user_id AS "userId", event.operation_id AS "operationId", event.category, event.action, event.severity,
              event.description, event.metadata, event.created_at AS "happenedAt"
         FROM candidate c LEFT JOIN event ON event.id = c.event_id
        WHERE NOT EXISTS (
          SELECT FROM webhook_delivery earlier WHERE earlier.webhook_id = $1 AND earlier.subject = c.subject
             AND earlier.status = 'pending' AND earlier.sequence < c.sequence AND earlier.id NOT IN (SELECT id FROM candidate))
        ORDER BY c.sequence, c.id`,
      [webhookId, most],
    );
  }

  /** Writes an attempt, and lets what follows of the same subject wait with it or go on. */
  async record(webhookId: string, delivery: DueDelivery, { request, attempt, succeeded, retryInMs }: AttemptRecord) {
    const status = succeeded ? 'delivered' : retryInMs === null ? 'failed' : 'pending';
    await this.unit.manager.query(
      `UPDATE webhook_delivery SET status = $2, failures = failures + $3::int,
         next_attempt_at = now() + $4::float8 * interval '1 millisecond', request = $5,
         attempts = CASE WHEN jsonb_array_length(attempts) < ${MAX_ATTEMPTS_KEPT} THEN attempts ELSE attempts - 0 END || $6::jsonb,
         updated_at = now()
       WHERE id = $1`,
      [delivery.id, status, succeeded ? 0 : 1, retryInMs, toJsonb(request), toJsonb([attempt])],
    );
    if (retryInMs !== null || delivery.failures > 0)
      await this.unit.manager.query(
        `UPDATE webhook_delivery SET next_attempt_at = now() + $4::float8 * interval '1 millisecond', updated_at = now()
          WHERE webhook_id = $1 AND subject = $2 AND status = 'pending' AND sequence > $3`,
        [webhookId, delivery.subject, delivery.sequence, retryInMs ?? 0],
      );
  }

  /** Ends what waits for an endpoint although its event was removed. @returns how many */
  async failRemoved(webhookId: string): Promise<number> {
    const attempt: DeliveryAttempt = {
      at: new Date().toISOString(),
      duration_ms: 0,
      status: null,
      error: 'the event is kept no more',
      response_headers: {},
      response_body: '',
    };
    const [, count] = await this.unit.manager.query<[unknown, number]>(
      `UPDATE webhook_delivery delivery SET status = 'failed', next_attempt_at = NULL, attempts = attempts || $2::jsonb,
         updated_at = now()
        WHERE webhook_id = $1 AND status = 'pending' AND event_id IS NOT NULL
          AND NOT EXISTS (SELECT FROM event WHERE event.id = delivery.event_id)`,
      [webhookId, toJsonb([attempt])],
    );
    return count;
  }

  /** Ends what waits for an endpoint that nothing is sent to any more; `recover` sends it again. */
  async failPending(webhookId: string): Promise<void> {
    await this.unit.manager.query(
      `UPDATE webhook_delivery SET status = 'failed', next_attempt_at = NULL, updated_at = now()
        WHERE webhook_id = $1 AND status = 'pending'`,
      [webhookId],
    );
  }
}
