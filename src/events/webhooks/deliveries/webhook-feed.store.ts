import { Injectable } from '@nestjs/common';
import { sentAhead } from '../../../core/database/pooled-client.js';
import { named } from '../../../core/database/statements.js';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { INTERIM_SQL } from '../../../core/events/event-kinds.js';
import { feedColumn } from '../../feed.store.js';
import { PAUSED_UNTIL_SQL } from './endpoint-pauses.store.js';

const FEED_SQL = feedColumn('event');
const ACTIVE_SQL = 'webhook.enabled AND webhook.deleted_at IS NULL';

const FEEDS_SQL = 'webhook_feed feed JOIN event_counter counter ON counter.feed = feed.organization_id';
const BEHIND_SQL = 'counter.last > feed.position';

/** Runs after every event. */
const IS_BEHIND = named(`SELECT ${BEHIND_SQL} AS behind FROM ${FEEDS_SQL} WHERE feed.organization_id = $1`);

/** SQL of whether a `webhook` subscribes to an `event`. */
const SUBSCRIBES_SQL = `(webhook.workspace_id IS NULL OR webhook.workspace_id = event.workspace_id)
            AND webhook.starts_after < event.sequence
            AND webhook.events && CASE WHEN ${INTERIM_SQL} THEN ARRAY[event.category || '.' || event.action]
                  ELSE ARRAY['*', event.category || '.*', event.category || '.' || event.action] END
            AND (webhook.severities = '{}' OR event.severity = ANY (webhook.severities))`;

/** SQL that creates deliveries for pairs of `webhook` and `event` and queues their endpoints. A delivery waits for earlier ones of its subject. */
const makeSql = (pairs: string): string => `made AS (
         INSERT INTO webhook_delivery
           (id, webhook_id, organization_id, workspace_id, event_id, sequence, subject, kind, next_attempt_at)
         SELECT gen_random_uuid(), webhook.id, webhook.organization_id, webhook.workspace_id, event.id, event.sequence,
                event.acted_upon, event.category || '.' || event.action,
                greatest(now(), (SELECT next_attempt_at FROM webhook_delivery earlier
                                  WHERE earlier.webhook_id = webhook.id AND earlier.subject = event.acted_upon
                                    AND earlier.status = 'pending' ORDER BY earlier.sequence DESC LIMIT 1))
           FROM ${pairs}
          ORDER BY event.sequence
         ON CONFLICT (webhook_id, event_id) WHERE event_id IS NOT NULL DO NOTHING
         RETURNING webhook_id, next_attempt_at),
       due AS (
         INSERT INTO webhook_queue AS queue (webhook_id, organization_id, due_at)
         SELECT webhook.id, webhook.organization_id, greatest(min(made.next_attempt_at), ${PAUSED_UNTIL_SQL})
           FROM made JOIN webhook ON webhook.id = made.webhook_id GROUP BY webhook.id ORDER BY webhook.id
         ON CONFLICT (webhook_id) DO UPDATE SET due_at = least(queue.due_at, excluded.due_at))`;

/**
 * Forces generic plans that use indexes. Planning took a third of the time of these frequent statements, and a plan from when the tables
 * were small would scan them.
 */
const PLAN_ONCE = sentAhead(
  `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)`,
);
const TAKE_FEED = named('SELECT position FROM webhook_feed WHERE organization_id = $1 FOR UPDATE SKIP LOCKED');
/** Falls back to the number of the last event, because unread events may have been removed. */
const FIND_BATCH =
  named(`SELECT coalesce(max(sequence), (SELECT last FROM event_counter WHERE feed = $1)) AS last, count(*)::int AS count FROM (
         SELECT sequence FROM event WHERE ${FEED_SQL} = $1 AND sequence > $2 ORDER BY sequence LIMIT $3) AS batch`);
const FAN_OUT_BATCH = named(`WITH batch AS MATERIALIZED (
         SELECT * FROM event WHERE ${FEED_SQL} = $1 AND event.sequence > $2 AND event.sequence <= $3),
       ${makeSql(`batch AS event JOIN webhook ON webhook.organization_id = $1 AND ${ACTIVE_SQL} AND ${SUBSCRIBES_SQL}
          WHERE NOT EXISTS (SELECT FROM webhook_deferral deferral WHERE deferral.webhook_id = webhook.id)`)}
       UPDATE webhook_feed SET position = $3 WHERE organization_id = $1
       RETURNING EXISTS (SELECT FROM webhook_deferral WHERE organization_id = $1) AS deferred`);

/** An endpoint whose events are deferred. */
export interface DeferredEndpoint {
  id: string;
  organizationId: string;
  /** It is healthy again: its deferral ends when it has caught up. */
  works: boolean;
}

/** The result of a fan-out. */
export interface ReadEvents {
  count: number;
  /** Whether the events were deferred for some endpoints. */
  deferred: boolean;
}

/** Fans out the events of organizations to their endpoints. */
@Injectable()
export class WebhookFeedStore {
  constructor(private readonly unit: UnitOfWork) {}

  /**
   * Creates deliveries for the next events of an organization, queues their endpoints and advances its position, in the open unit of
   * work, so that a crash neither skips nor repeats an event. Failing endpoints are left to `fanOutDeferred`.
   * @returns null while another process does so
   */
  async fanOut(organizationId: string, most: number): Promise<ReadEvents | null> {
    await this.unit.sendAhead(PLAN_ONCE, []);
    const [feed] = await this.unit.manager.query<{ position: string }[]>(TAKE_FEED, [organizationId]);
    if (!feed) return null;
    const [end] = await this.unit.manager.query<[{ last: string | null; count: number }]>(FIND_BATCH, [
      organizationId,
      feed.position,
      most,
    ]);
    if (end.last === null || end.last === feed.position) return { count: 0, deferred: false };
    const [[moved]] = await this.unit.manager.query<[[{ deferred: boolean }], number]>(FAN_OUT_BATCH, [
      organizationId,
      feed.position,
      end.last,
    ]);
    return { count: end.count, deferred: moved.deferred };
  }

  /**
   * Locks and returns deferred endpoints that are behind or healthy again, ordered by id after `after`. Skips those that another
   * transaction has locked.
   */
  async lockDeferred(after: string, most: number): Promise<DeferredEndpoint[]> {
    return this.unit.manager.query(
      `SELECT webhook.id, webhook.organization_id AS "organizationId", webhook.failing_since IS NULL AS works
         FROM webhook_deferral deferral JOIN webhook ON webhook.id = deferral.webhook_id
         JOIN webhook_feed feed ON feed.organization_id = webhook.organization_id
        WHERE deferral.webhook_id > $1 AND ${ACTIVE_SQL} AND (deferral.after < feed.position OR webhook.failing_since IS NULL)
        ORDER BY deferral.webhook_id LIMIT $2
          FOR UPDATE OF deferral SKIP LOCKED FOR KEY SHARE OF webhook SKIP LOCKED`,
      [after, most],
    );
  }

  /**
   * Creates deliveries for the deferred events of endpoints, up to `most` for each, in the open unit of work.
   * @returns whether it created any, and whether any endpoint is still behind
   */
  async fanOutDeferred(endpoints: DeferredEndpoint[], most: number): Promise<{ created: boolean; left: boolean }> {
    if (endpoints.length === 0) return { created: false, left: false };
    const ready = endpoints.filter(({ works }) => works);
    // Locks the positions, so that no events arrive between the last event of an endpoint and the end of its deferral.
    if (ready.length > 0)
      await this.unit.manager.query(
        'SELECT FROM webhook_feed WHERE organization_id = ANY ($1) ORDER BY organization_id FOR UPDATE',
        [ready.map(({ organizationId }) => organizationId)],
      );
    const [done] = await this.unit.manager.query<[{ created: boolean; left: boolean }]>(
      `WITH behind AS MATERIALIZED (
         SELECT deferral.webhook_id AS id, deferral.organization_id, deferral.after, feed.position, least(feed.position, deferral.after + $3) AS through,
                endpoint.works AND feed.position <= deferral.after + $3 AS ends
           FROM unnest($1::uuid[], $2::boolean[]) AS endpoint (id, works) JOIN webhook_deferral deferral ON deferral.webhook_id = endpoint.id
           JOIN webhook_feed feed ON feed.organization_id = deferral.organization_id),
       ${makeSql(`behind JOIN webhook ON webhook.id = behind.id CROSS JOIN LATERAL (
            SELECT event.* FROM event WHERE ${FEED_SQL} = behind.organization_id
               AND event.sequence > behind.after AND event.sequence <= behind.through
             ORDER BY event.sequence LIMIT $3) AS event
          WHERE ${SUBSCRIBES_SQL}`)},
       moved AS (
         UPDATE webhook_deferral deferral SET after = behind.through FROM behind WHERE deferral.webhook_id = behind.id AND NOT behind.ends),
       ended AS (DELETE FROM webhook_deferral deferral USING behind WHERE deferral.webhook_id = behind.id AND behind.ends)
       SELECT EXISTS (SELECT FROM made) AS created, EXISTS (SELECT FROM behind WHERE through < position) AS left`,
      [endpoints.map(({ id }) => id), endpoints.map(({ works }) => works), most],
    );
    return done;
  }

  /** Reports whether an organization has events that are not fanned out; null when it never had an endpoint. */
  async isBehind(organizationId: string): Promise<boolean | null> {
    const [row] = await this.unit.manager.query<{ behind: boolean }[]>(IS_BEHIND, [organizationId]);
    return row?.behind ?? null;
  }

  /** Lists the organizations with events that are not fanned out. */
  async listBehind(): Promise<string[]> {
    const rows = await this.unit.manager.query<{ id: string }[]>(
      `SELECT feed.organization_id AS id FROM ${FEEDS_SQL} WHERE ${BEHIND_SQL}`,
    );
    return rows.map(({ id }) => id);
  }
}
