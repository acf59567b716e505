import { Injectable } from '@nestjs/common';
import { named } from '../../../core/database/statements.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { PAUSED_UNTIL_SQL } from './endpoint-pauses.store.js';

/** SQL of whether a `delivery` may be sent to its `webhook`: tests are sent to disabled endpoints as well. */
export const SENDABLE_SQL = `webhook.deleted_at IS NULL AND (webhook.enabled OR delivery.event_id IS NULL)`;
const SLOW_SQL = '(webhook.slow OR webhook.failing_since IS NOT NULL)';

const CLAIM = named(`WITH due AS MATERIALIZED (
         SELECT queue.webhook_id, queue.due_at, ${SLOW_SQL} AS slow
           FROM webhook_queue queue JOIN webhook ON webhook.id = queue.webhook_id
          WHERE queue.worker IS NULL AND queue.due_at <= now()),
       chosen AS (
         (SELECT webhook_id, slow FROM due WHERE NOT slow ORDER BY due_at LIMIT $2)
         UNION ALL (SELECT webhook_id, slow FROM due WHERE slow ORDER BY due_at LIMIT $3)),
       free AS (
         SELECT queue.webhook_id, chosen.slow FROM webhook_queue queue JOIN chosen USING (webhook_id)
          WHERE queue.worker IS NULL FOR UPDATE OF queue SKIP LOCKED),
       taken AS (
         UPDATE webhook_queue queue SET worker = $1, lease_until = now() + $4 * interval '1 millisecond', due_at = NULL
           FROM free WHERE queue.webhook_id = free.webhook_id RETURNING queue.webhook_id AS id, free.slow)
       SELECT id, slow FROM taken`);

const RELEASE = named(`WITH ended AS (SELECT * FROM unnest($2::uuid[], $3::float8[]) AS e (id, rest_ms)),
       held AS (
         SELECT queue.webhook_id, ended.rest_ms FROM webhook_queue queue JOIN ended ON ended.id = queue.webhook_id
          WHERE queue.worker = $1 ORDER BY queue.webhook_id FOR UPDATE OF queue),
       next AS (
         SELECT webhook.id, held.rest_ms, ${PAUSED_UNTIL_SQL} AS paused_until, (
           SELECT min(delivery.next_attempt_at) FROM webhook_delivery delivery
            WHERE delivery.webhook_id = webhook.id AND delivery.status = 'pending' AND ${SENDABLE_SQL}) AS at
           FROM held JOIN webhook ON webhook.id = held.webhook_id),
       released AS (
         UPDATE webhook_queue queue SET worker = NULL, lease_until = NULL,
           due_at = CASE WHEN coalesce(queue.due_at, next.at) IS NOT NULL THEN
             greatest(least(queue.due_at, next.at), next.paused_until, now() + next.rest_ms * interval '1 millisecond') END
           FROM next WHERE queue.webhook_id = next.id AND queue.worker = $1 RETURNING queue.due_at)
       SELECT greatest(0, extract(epoch FROM min(due_at) - now()) * 1000)::float8 AS next FROM released`);

/** An endpoint that this process has claimed. */
export interface ClaimedEndpoint {
  id: string;
  slow: boolean;
}

/** An endpoint to release. */
export interface EndedTurn {
  id: string;
  /** The minimum delay before its next turn. */
  restMs: number;
}

/** The queue of endpoints with pending deliveries, each claimed by one process at a time under a lease. Queries run as the system. */
@Injectable()
export class EndpointQueueStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** Claims due endpoints, longest waiting first: up to `room.quick` healthy ones, and up to `room.slow` failing or slow ones. */
  claim(worker: string, room: { quick: number; slow: number }, leaseMs: number): Promise<ClaimedEndpoint[]> {
    return this.unit.manager.query(CLAIM, [worker, room.quick, room.slow, leaseMs]);
  }

  /**
   * Releases held endpoints. Each is due at its next delivery, or earlier if new events made it due meanwhile.
   * @returns the milliseconds until the first of them is due, or null
   */
  async release(worker: string, ended: EndedTurn[]): Promise<number | null> {
    const [row] = await this.unit.manager.query<[{ next: number | null }]>(RELEASE, [
      worker,
      ended.map(({ id }) => id),
      ended.map(({ restMs }) => restMs),
    ]);
    return row.next;
  }

  /** Makes the endpoints due whose leases of other processes have expired. @returns the number of endpoints */
  async releaseExpired(worker: string): Promise<number> {
    const [, count] = await this.unit.manager.query<[unknown, number]>(
      `UPDATE webhook_queue SET worker = NULL, lease_until = NULL, due_at = now()
        WHERE worker IS NOT NULL AND worker <> $1 AND lease_until < now()`,
      [worker],
    );
    return count;
  }

  /** Makes an endpoint due immediately. */
  async makeDue(webhookId: string): Promise<void> {
    await this.unit.runAsSystem('the queue of webhooks', () =>
      this.unit.manager.query(
        `INSERT INTO webhook_queue (webhook_id, organization_id, due_at) SELECT id, organization_id, now() FROM webhook WHERE id = $1
         ON CONFLICT (webhook_id) DO UPDATE SET due_at = excluded.due_at`,
        [webhookId],
      ),
    );
  }

  /** Makes endpoints due whose pending deliveries no queue entry covers, such as those of an earlier version of the server. */
  async makeMissedDue(): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO webhook_queue AS queue (webhook_id, organization_id, due_at)
       SELECT webhook.id, webhook.organization_id, now() FROM webhook
        WHERE webhook.deleted_at IS NULL
          AND NOT EXISTS (SELECT FROM webhook_queue q WHERE q.webhook_id = webhook.id AND (q.worker IS NOT NULL OR q.due_at IS NOT NULL))
          AND EXISTS (SELECT FROM webhook_delivery delivery WHERE delivery.webhook_id = webhook.id AND delivery.status = 'pending'
                         AND delivery.next_attempt_at <= now() AND ${SENDABLE_SQL})
        ORDER BY webhook.id
       ON CONFLICT (webhook_id) DO UPDATE SET due_at = least(queue.due_at, excluded.due_at)`,
    );
  }
}
