import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { UnitOfWork } from '../../../core/database/unit-of-work.js';
import { toJsonb } from '../../../core/json/jsonb.js';
import { InvalidRequest } from '../../../core/errors/app-error.js';
import { SEVERITIES } from '../../../core/events/domain-event.js';
import { EVENT_ACTIONS, EVENT_CATEGORIES } from '../../../core/events/event-kinds.js';
import type { Listing } from '../../../core/listing/listing.js';
import type { Page } from '../../../core/listing/page.js';
import { paginate } from '../../../core/listing/paginate.js';
import { EntitySelect } from '../../../core/database/entity-select.js';
import { RecordedEvent, type SeenEvent } from '../../event.entity.js';
import { oneOf } from '../../events.store.js';
import { INSTALLATION_FEED } from '../../feed.store.js';
import { FEED_SQL, notifiesSql, READ_SQL } from '../notification-conditions.js';
import { NOTIFICATION_DAYS } from '../notification-preferences.js';
import { PUBLISH_CHANGE_SQL } from '../notification-topic.js';
import type { Recipient } from '../recipient.js';
import type { UnreadCount } from './notification-follower.js';
import { NotificationMark, NotificationPosition } from './notification-mark.entity.js';
import type { NotificationListQuery } from './notification.inputs.js';
import { MAX_UNREAD_COUNTED } from './notification.view.js';

type NotifiedEvent = RecordedEvent & { notified?: NotificationMark | null; reached?: NotificationPosition | null };
type NotificationQuery = SelectQueryBuilder<NotifiedEvent>;

/** SQL that limits events, by index, to the last days of the user's organizations and of the installation. */
const RECENT_SQL = `event.created_at > now() - interval '${NOTIFICATION_DAYS} days' AND (event.organization_id IS NULL
  OR event.organization_id = ANY (ARRAY(SELECT own_role.organization_id FROM own_role)))`;
/** SQL of a digest of all the roles of a group. */
const ROLES_DIGEST_SQL = `md5(string_agg(resource_id::text || role, ',' ORDER BY resource_id, role))`;
/** Marks are kept longer than their notifications. */
const MARK_DAYS = NOTIFICATION_DAYS + 1;

const listing: Listing<NotifiedEvent> = {
  alias: 'event',
  pageSize: 20,
  order: {
    created_at: { sql: 'event.created_at', type: 'timestamptz', getValue: (event) => event.createdAt },
    category: { sql: 'event.category', type: 'text', getValue: (event) => event.category },
    severity: { sql: 'event.severity', type: 'text', getValue: (event) => event.severity },
  },
  defaultOrder: 'created_at desc',
  search: ['event.description'],
  filter: {
    category: oneOf('category', EVENT_CATEGORIES),
    action: oneOf('action', EVENT_ACTIONS),
    severity: oneOf('severity', SEVERITIES),
    unread: (rows, value) => {
      if (typeof value !== 'boolean') throw InvalidRequest.forField('filter', 'unread must be true or false');
      rows.andWhere(value ? `NOT ${READ_SQL}` : READ_SQL);
    },
  },
};

/** Reads notifications, which are computed from events on each request, with the marks of the user. */
@Injectable()
export class NotificationsStore {
  private readonly select = new EntitySelect<NotifiedEvent>();

  constructor(private readonly unit: UnitOfWork) {}

  async page(recipient: Recipient, query: NotificationListQuery): Promise<Page<SeenEvent>> {
    const rows = this.selectNotifications(recipient);
    if (query.organization_id)
      rows.andWhere('event.organization_id = :organization', { organization: query.organization_id });
    const filterDefaults = query.unread === 'true' ? { unread: true } : {};
    const page = await paginate(rows, { ...listing, filterDefaults }, query, {
      getMany: (wanted, options) => this.select.getMany(this.unit.manager, wanted, options),
    });
    return { ...page, items: page.items.map(toSeen) };
  }

  async find(recipient: Recipient, id: string): Promise<SeenEvent | null> {
    const event = await this.selectNotifications(recipient).andWhere('event.id = :id', { id }).getOne();
    return event && toSeen(event);
  }

  /** Returns the ids of which the user is notified. */
  async filterNotified(recipient: Recipient, ids: string[]): Promise<string[]> {
    const rows = this.selectNotifications(recipient).andWhere('event.id = ANY(:ids)', { ids }).select('event.id', 'id');
    return (await rows.getRawMany<{ id: string }>()).map(({ id }) => id);
  }

  /** Counts unread notifications, up to `MAX_UNREAD_COUNTED`. */
  async countUnread({ userId, categories, muted, silences }: Recipient): Promise<UnreadCount> {
    const [row] = await this.unit.manager.query<
      [{ unread: number; ends: Record<string, string> | null; roles: Record<string, string> | null }]
    >(
      `WITH own_role AS MATERIALIZED (SELECT * FROM roles_of($1)), unread AS (
         SELECT FROM event
           LEFT JOIN notification_mark notified ON notified.user_id = $1 AND notified.event_id = event.id
           LEFT JOIN notification_position reached ON reached.user_id = $1 AND reached.feed = ${FEED_SQL}
          WHERE ${RECENT_SQL} AND ${notifiesSql({ user: '$1', categories: '$2::text[]', muted: '$3::uuid[]', silences: '$4::jsonb' })}
            AND NOT ${READ_SQL} LIMIT ${MAX_UNREAD_COUNTED})
       SELECT (SELECT count(*)::int FROM unread) AS unread,
              (SELECT json_object_agg(counter.feed, counter.last::text) FROM event_counter counter
                WHERE counter.feed = '${INSTALLATION_FEED}' OR counter.feed IN (SELECT organization_id FROM own_role)) AS ends,
              (SELECT json_object_agg(held.organization_id, held.digest)
                 FROM (SELECT organization_id, ${ROLES_DIGEST_SQL} AS digest FROM own_role GROUP BY 1) held) AS roles`,
      [userId, categories, muted, toJsonb(silences)],
    );
    const ends = Object.entries(row.ends ?? {}).map(([feed, last]) => [feed, BigInt(last)] as const);
    return { unread: row.unread, ends: new Map(ends), roles: new Map(Object.entries(row.roles ?? {})) };
  }

  /** Returns a digest of the roles of each of these users in an organization, without users who have none. */
  async digestRoles(organizationId: string, users: string[]): Promise<Map<string, string>> {
    const rows = await this.unit.manager.query<{ id: string; digest: string }[]>(
      `SELECT user_id AS id, ${ROLES_DIGEST_SQL} AS digest FROM roles_in($1, $2) GROUP BY user_id`,
      [organizationId, users],
    );
    return new Map(rows.map(({ id, digest }) => [id, digest]));
  }

  /** Marks notifications for a user. Idempotent. */
  async mark(userId: string, ids: string[], read: boolean): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO notification_mark (user_id, event_id, read) SELECT $1, unnest($2::uuid[]), $3
       ON CONFLICT (user_id, event_id) DO UPDATE SET read = excluded.read`,
      [userId, ids, read],
    );
    await this.unit.manager.query(PUBLISH_CHANGE_SQL, [userId]);
  }

  /** Marks all notifications up to these numbers as read, and deletes the user's marks. */
  async markAllRead(userId: string, ends: { feed: string; last: bigint }[]): Promise<void> {
    await this.unit.manager.query(
      `INSERT INTO notification_position AS reached (user_id, feed, position)
       SELECT $1, end_of.feed, end_of.last FROM unnest($2::uuid[], $3::bigint[]) AS end_of (feed, last) ORDER BY 2
       ON CONFLICT (user_id, feed) DO UPDATE SET position = greatest(reached.position, excluded.position)`,
      [userId, ends.map(({ feed }) => feed), ends.map(({ last }) => last.toString())],
    );
    await this.unit.manager.query('DELETE FROM notification_mark WHERE user_id = $1', [userId]);
    await this.unit.manager.query(PUBLISH_CHANGE_SQL, [userId]);
  }

  async deleteOldMarks(): Promise<void> {
    await this.unit.manager.query(
      `DELETE FROM notification_mark WHERE created_at < now() - interval '${MARK_DAYS} days'`,
    );
  }

  private selectNotifications({ userId, categories, muted, silences }: Recipient): NotificationQuery {
    const rows: NotificationQuery = this.unit.manager
      .getRepository<NotifiedEvent>(RecordedEvent)
      .createQueryBuilder('event');
    const own = 'notified.event_id = event.id AND notified.user_id = :userId';
    const reached = `reached.feed = ${FEED_SQL} AND reached.user_id = :userId`;
    return rows
      .leftJoinAndMapOne('event.notified', NotificationMark, 'notified', own)
      .leftJoinAndMapOne('event.reached', NotificationPosition, 'reached', reached)
      .addCommonTableExpression('SELECT * FROM roles_of(:userId)', 'own_role', { materialized: true })
      .where(RECENT_SQL)
      .andWhere(
        notifiesSql({
          user: ':userId',
          categories: ':categories',
          muted: ':muted',
          silences: 'CAST(:silences AS jsonb)',
        }),
      )
      .setParameters({ userId, categories, muted, silences: toJsonb(silences) });
  }
}

function toSeen({ notified, reached, ...event }: NotifiedEvent): SeenEvent {
  const read = notified?.read ?? BigInt(event.sequence) <= BigInt(reached?.position ?? 0);
  return { event, read };
}
