import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { INTERIM_SQL } from '../../../core/events/event-kinds.js';
import { feedColumn } from '../../feed.store.js';
import { PAUSED_UNTIL_SQL } from './endpoint-pauses.store.js';

const FEED_SQL = feedColumn('event');
const ACTIVE_SQL = 'webhook.enabled AND webhook.deleted_at IS NULL';

/** How far the events of each organization were given to its endpoints. */
@Injectable()
export class WebhookFeedStore {
  constructor(private readonly unit: UnitOfWork) {}

  /**
   * Makes the deliveries of the next events of an organization, lets their endpoints be due and moves its position past them, in one
   * unit of work: no event is left out or given twice, whatever dies. What follows a delivery of its subject that waits, waits with it.
   * @returns how many events were read; null while another process reads them
   */
  async fanOut(organizationId: string, most: number): Promise<number | null> {
    const [feed] = await this.unit.manager.query<{ position: string }[]>(
      'SELECT position FROM webhook_feed WHERE organization_id = $1 FOR UPDATE SKIP LOCKED',
      [organizationId],
    );
    if (!feed) return null;
    // Of events that were removed before they were read only their numbers are known.
    const [end] = await this.unit.manager.query<[{ last: string | null; count: number }]>(
      `SELECT coalesce(max(sequence), (SELECT last FROM event_counter WHERE feed = $1)) AS last, count(*)::int AS count FROM (
         SELECT sequence FROM event WHERE ${FEED_SQL} = $1 AND sequence > $2 ORDER BY sequence LIMIT $3) AS batch`,
      [organizationId, feed.position, most],
    );
    if (end.last === null || end.last === feed.position) return 0;
    await this.unit.manager.query(
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
       due AS (
         INSERT INTO webhook_queue AS queue (webhook_id, organization_id, due_at)
         SELECT webhook.id, webhook.organization_id, greatest(min(made.next_attempt_at), ${PAUSED_UNTIL_SQL})
           FROM made JOIN webhook ON webhook.id = made.webhook_id GROUP BY webhook.id ORDER BY webhook.id
         ON CONFLICT (webhook_id) DO UPDATE SET due_at = least(queue.due_at, excluded.due_at))
       UPDATE webhook_feed SET position = $3 WHERE organization_id = $1`,
      [organizationId, feed.position, end.last],
    );
    return end.count;
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
}
