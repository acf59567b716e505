import { Injectable, Optional } from '@nestjs/common';
import { roleRank } from '../core/access/roles.js';
import { runAsSystem } from '../core/database/row-security.js';
import { named } from '../core/database/statements.js';
import type { Statement } from '../core/database/open-transaction.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { eventMessageSql, publishEventSql } from '../core/events/event-notification.js';
import { PostgresPubSub } from '../core/pubsub/postgres-pubsub.js';
import { SharedMessage } from '../core/pubsub/shared-message.js';
import { RecordedEvent, type SeenEvent } from './event.entity.js';
import { readersSql } from './event-readers.js';

/** The feed of events outside of organizations; every other feed has the id of its organization. */
export const INSTALLATION_FEED = '00000000-0000-0000-0000-000000000000';

/** An event without its number. */
export interface NewEvent {
  id: string;
  organization_id: string | null;
  workspace_id: string | null;
  user_id: string | null;
  system_actor: string | null;
  acted_upon: string;
  operation_id: string | null;
  category: string;
  action: string;
  severity: string;
  description: string;
  metadata: Record<string, unknown>;
}

/** An event that is sent to many followers. */
class SharedEvent extends SharedMessage implements SeenEvent {
  constructor(
    readonly event: RecordedEvent,
    readonly read: boolean,
  ) {
    super();
  }
}

/** Consecutive events of one feed, with the users who may read each. */
export interface FeedBatch {
  /** When the rights were checked, as of `performance.now()`, which is monotonic. */
  at: number;
  /** The batch has the events after `from` up to `through`. `from` is higher than requested when events were removed. */
  from: bigint;
  through: bigint;
  /** The users whose rights were checked. */
  users: ReadonlySet<string>;
  events: {
    readers: ReadonlySet<string>;
    readBy: ReadonlySet<string>;
    /** The event with each read status, shared by all users with that status. */
    read: SharedEvent;
    unread: SharedEvent;
  }[];
  /** The events of the whole batch by user, because most followers of a user are at the same position. */
  seenBy: Map<string, readonly SeenEvent[]>;
}

interface ReaderColumns {
  readers: string[] | null;
  readBy: string[];
}

/** The number of the last event of a feed. */
export interface FeedEnd {
  feed: string;
  last: bigint;
}

/** SQL of the feed of an event, as in the index `event_feed`: under row-level security PostgreSQL uses no index for `coalesce`. */
export const feedColumn = (alias: string): string =>
  `(CASE WHEN ${alias}.organization_id IS NULL THEN '${INSTALLATION_FEED}'::uuid ELSE ${alias}.organization_id END)`;

const NOTICE = {
  organizationId: 'organization_id',
  sequence: 'sequence',
  category: 'category',
  action: 'action',
  actedUpon: 'acted_upon',
};

const appendSql = (result: string): string => named(`SELECT ${result} FROM append_events($1)`);

const APPEND = appendSql(publishEventSql(NOTICE));
const APPEND_FOR_LATER = appendSql(`${eventMessageSql(NOTICE)} AS message`);

/** The feeds: a log of events for each organization, read by number. */
@Injectable()
export class FeedStore {
  constructor(
    private readonly unit: UnitOfWork,
    @Optional() private readonly pubsub?: PostgresPubSub,
  ) {}

  /**
   * Appends the events of a unit of work in one statement. The commit notifies all replicas. The counters stay locked until then, so that
   * numbers become visible in order; they are locked in the order of their ids, which avoids deadlocks.
   */
  appendStatement(events: NewEvent[]): Statement {
    const values = [JSON.stringify(events)];
    const { pubsub } = this;
    if (!pubsub?.publishesAfterCommit) return { text: APPEND, values };
    return {
      text: APPEND_FOR_LATER,
      values,
      onCommitted: (rows) => pubsub.publishCommitted(rows.map(({ message }) => message as string)),
    };
  }

  /** Reads up to `most` events of a feed after a number, with the rights and the read status of each of the users. */
  readAfter(feed: string, from: bigint, users: ReadonlySet<string>, most: number): Promise<FeedBatch> {
    // Runs as the system, because it reads for many users at once; the statement checks the rights of each.
    return runAsSystem('reading a feed', () => this.readBatch(feed, from, users, most));
  }

  private async readBatch(feed: string, from: bigint, users: ReadonlySet<string>, most: number): Promise<FeedBatch> {
    const columns = this.unit.manager.connection
      .getMetadata(RecordedEvent)
      .columns.filter(({ isSelect }) => isSelect)
      .map(({ databaseName, propertyName }) => `batch.${databaseName} AS "${propertyName}"`);
    const rows = await this.unit.manager.query<(RecordedEvent & ReaderColumns)[]>(
      `WITH batch AS MATERIALIZED (
         SELECT * FROM event WHERE ${feedColumn('event')} = $1 AND sequence > $2 ORDER BY sequence LIMIT $3
       ), asked_role AS MATERIALIZED (
         SELECT * FROM roles_in($1, $4)
       ), reader AS (
         SELECT id, array_agg(user_id) AS users FROM (${readersSql('batch', 'asked_role', '$4::uuid[]')}) AS pair GROUP BY id
       )
       SELECT ${columns.join(', ')}, reader.users AS readers,
              ARRAY(SELECT m.user_id FROM event_read m WHERE m.event_id = batch.id AND m.user_id = ANY($4)) AS "readBy"
         FROM batch LEFT JOIN reader USING (id) ORDER BY batch.sequence`,
      [feed, from.toString(), most, [...users]],
    );
    const events = rows.map(({ readers: may, readBy, ...event }) => ({
      readers: new Set(may),
      readBy: new Set(readBy),
      read: new SharedEvent(event, true),
      unread: new SharedEvent(event, false),
    }));
    const [first, last] = [events[0], events.at(-1)].map((each) => each && BigInt(each.unread.event.sequence));
    // A gap before the first event means that events were removed.
    return {
      at: performance.now(),
      from: first === undefined ? from : first - 1n,
      through: last ?? from,
      users,
      events,
      seenBy: new Map(),
    };
  }

  /** Returns the ends of the feeds that the user may follow: those of their organizations and of the installation. */
  async findEndsForUser(userId: string): Promise<FeedEnd[]> {
    return this.queryEnds(
      `SELECT organizations_of($1, ${roleRank('member')}) UNION SELECT '${INSTALLATION_FEED}'::uuid`,
      userId,
    );
  }

  async findEnd(feed: string): Promise<bigint> {
    const [end] = await this.queryEnds('SELECT $1::uuid', feed);
    return end?.last ?? 0n;
  }

  /** Lists the organizations of users, or one of them, with the time of joining as the database writes it. */
  listMemberships(users: string[], only?: string): Promise<{ feed: string; userId: string; since: string }[]> {
    return this.unit.manager.query(
      `SELECT organization_id AS feed, user_id AS "userId", created_at::text AS since FROM organization_member
        WHERE user_id = ANY($1) AND ($2::uuid IS NULL OR organization_id = $2)`,
      [users, only ?? null],
    );
  }

  private async queryEnds(feeds: string, parameter: string): Promise<FeedEnd[]> {
    const rows = await this.unit.manager.query<{ feed: string; last: string }[]>(
      `SELECT f.feed, coalesce(counter.last, 0) AS last
         FROM (${feeds}) AS f (feed) LEFT JOIN event_counter counter ON counter.feed = f.feed`,
      [parameter],
    );
    return rows.map(({ feed, last }) => ({ feed, last: BigInt(last) }));
  }
}

/** Returns the events of a batch after a number that the user may read. */
export function toSeenEvents(batch: FeedBatch, userId: string, position: bigint): readonly SeenEvent[] {
  const all = batch.seenBy.get(userId) ?? listSeenEvents(batch, userId);
  batch.seenBy.set(userId, all);
  return position <= batch.from ? all : all.filter(({ event }) => BigInt(event.sequence) > position);
}

const listSeenEvents = ({ events }: FeedBatch, userId: string): SeenEvent[] =>
  events
    .filter(({ readers }) => readers.has(userId))
    .map(({ read, unread, readBy }) => (readBy.has(userId) ? read : unread));
