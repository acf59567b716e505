import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { validate } from 'uuid';
import { visibleSql } from '../core/authorization/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { EntitySelect } from '../core/database/entity-select.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { InvalidRequest } from '../core/errors/app-error.js';
import { SEVERITIES } from '../core/events/domain-event.js';
import { parseFilter } from '../core/listing/list-filters.js';
import type { FilterCondition, Listing } from '../core/listing/listing.js';
import type { Page } from '../core/listing/page.js';
import { paginate } from '../core/listing/paginate.js';
import { ReadMark, RecordedEvent, type SeenEvent } from './event.entity.js';
import { type EventListQuery, EVENT_NUMBER } from './event.inputs.js';
import { readableSql } from './event-readers.js';
import { happenedInSql } from './workspace-events.js';
import { EVENT_ACTIONS, EVENT_CATEGORIES } from '../core/events/event-kinds.js';
import { parseWords } from '../core/listing/words.js';

type EventQuery = SelectQueryBuilder<RecordedEvent>;

/** The feeds of a list. */
export type FeedScope =
  /** The feed of an organization and, unless the request names it, that of the installation. */
  { organizationId: string; installation: boolean } | { workspaceId: string };

const listing: Listing<RecordedEvent> = {
  alias: 'event',
  pageSize: 20,
  order: {
    created_at: { sql: 'event.created_at', type: 'timestamptz', getValue: (event) => event.createdAt },
    sequence: { sql: 'event.sequence', type: 'bigint', getValue: (event) => event.sequence },
    category: { sql: 'event.category', type: 'text', getValue: (event) => event.category },
    action: { sql: 'event.action', type: 'text', getValue: (event) => event.action },
    severity: { sql: 'event.severity', type: 'text', getValue: (event) => event.severity },
  },
  defaultOrder: 'created_at desc',
  search: ['event.description'],
  filter: {
    category: oneOf('category', EVENT_CATEGORIES),
    action: oneOf('action', EVENT_ACTIONS),
    severity: oneOf('severity', SEVERITIES),
    acted_upon: (rows, value) => {
      if (!validate(value)) throw InvalidRequest.forField('filter', 'acted_upon must be a UUID');
      rows.andWhere('event.acted_upon = :actedUpon', { actedUpon: value });
    },
    status: (rows, value) => {
      if (value !== 'read' && value !== 'unread') throw InvalidRequest.forField('status', 'must be read or unread');
      rows.andWhere(`mark.event_id IS ${value === 'read' ? 'NOT NULL' : 'NULL'}`);
    },
    since: (rows, value) => {
      rows.andWhere('event.organization_id IS NOT NULL AND event.sequence > :since', { since: toEventNumber(value) });
    },
  },
};

/** Returns `since` of the filter, otherwise of the query parameter: the number after which a list starts. @throws InvalidRequest */
export function findSince({ filter, since }: EventListQuery): bigint | undefined {
  const given = parseFilter(listing, filter)['since'] ?? (since || undefined);
  return given === undefined ? undefined : BigInt(toEventNumber(given));
}

function toEventNumber(given: unknown): string {
  if (EVENT_NUMBER.test(String(given))) return String(given);
  throw InvalidRequest.forField('since', 'must be the number of an event, in digits');
}

/** Reads events that the actor may read, with the actor's marks. */
@Injectable()
export class EventsStore {
  private readonly select = new EntitySelect<RecordedEvent>();

  constructor(private readonly unit: UnitOfWork) {}

  /** Applies the query parameters as conditions; those of `filter` override them. */
  page(actor: Actor, scope: FeedScope, query: EventListQuery): Promise<Page<RecordedEvent>> {
    const { category, action, severity, acted_upon, status, since } = query;
    const filterDefaults = Object.fromEntries(
      Object.entries({ category, action, severity, acted_upon, status, since }).filter(([, value]) => value),
    );
    const rows = this.selectReadable(actor);
    if ('workspaceId' in scope) rows.andWhere(happenedInSql(':workspaceId'), scope);
    else rows.andWhere(inOrganization(scope.installation), { organizationId: scope.organizationId });
    return paginate(rows, { ...listing, filterDefaults }, query, {
      getMany: (page, options) => this.select.getMany(this.unit.manager, page, options),
    });
  }

  find(actor: Actor, id: string): Promise<RecordedEvent | null> {
    return this.selectReadable(actor).andWhere('event.id = :id', { id }).getOne();
  }

  /** Returns the ids of events that the actor may read. */
  async filterReadable(actor: Actor, ids: string[]): Promise<string[]> {
    const rows = this.selectReadable(actor).andWhere('event.id = ANY(:ids)', { ids }).select('event.id', 'id');
    return (await rows.getRawMany<{ id: string }>()).map(({ id }) => id);
  }

  /** Marks events for a user. Idempotent. */
  async mark(userId: string, ids: string[], read: boolean): Promise<void> {
    const marks = read
      ? 'INSERT INTO event_read (event_id, user_id) SELECT unnest($2::uuid[]), $1 ON CONFLICT DO NOTHING'
      : 'DELETE FROM event_read WHERE user_id = $1 AND event_id = ANY($2)';
    await this.unit.manager.query(marks, [userId, ids]);
  }

  /** The actor's roles in an organization and in its workspaces, as their ranks by the id of the record. */
  async findRoles(actor: Actor, organizationId: string): Promise<Map<string, number>> {
    const rows = await this.unit.manager.query<{ id: string; rank: number }[]>(
      `SELECT resource_id AS id, max(role) AS rank FROM roles_in($1, ARRAY[$2]::uuid[])
        WHERE resource_type IN ('organization', 'workspace') GROUP BY resource_id`,
      [organizationId, actor.userId],
    );
    return new Map(rows.map(({ id, rank }) => [id, rank]));
  }

  async canSeeWorkspace(actor: Actor, id: string): Promise<boolean> {
    return (await this.findFeedOfWorkspace(actor, id)) !== null;
  }

  /** Returns the organization of a workspace that the actor may see, otherwise null. */
  async findFeedOfWorkspace(actor: Actor, id: string): Promise<string | null> {
    const [row] = await this.unit.manager.query<{ feed: string }[]>(
      `SELECT organization_id AS feed FROM workspace WHERE id = $1 AND deleted_at IS NULL AND ($2::uuid IS NULL OR ${visibleSql('workspace', 'workspace', '$2')})`,
      [id, actor.userId],
    );
    return row?.feed ?? null;
  }

  /** Joins the actor's roles as a materialized CTE, so that they are read once per statement instead of once per event. */
  private selectReadable(actor: Actor): EventQuery {
    const rows = this.unit.manager
      .getRepository(RecordedEvent)
      .createQueryBuilder('event')
      .leftJoinAndMapOne('event.mark', ReadMark, 'mark', 'mark.event_id = event.id AND mark.user_id = :actorId')
      .setParameter('actorId', actor.userId);
    if (actor.isSystem) return rows;
    return rows
      .addCommonTableExpression('SELECT * FROM roles_of(:actorId)', 'own_role', { materialized: true })
      .andWhere(readableSql('event', 'own_role', ':actorId'));
  }
}

/** Adds the read status of the actor. */
export const toSeenEvent = (event: RecordedEvent): SeenEvent => ({ event, read: Boolean(event.mark) });

/** A filter condition that matches one or several of the allowed values of a column. */
export function oneOf(column: string, allowed: readonly string[]): FilterCondition<RecordedEvent> {
  return (rows, value) => {
    const words = parseWords(column, value, allowed);
    if (words) rows.andWhere(`event.${column} = ANY(:filter_${column})`, { [`filter_${column}`]: words });
  };
}

const inOrganization = (installation: boolean): string =>
  installation
    ? '(event.organization_id = :organizationId OR event.organization_id IS NULL)'
    : 'event.organization_id = :organizationId';
