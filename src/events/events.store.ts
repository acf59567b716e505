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

/** Whose events a list is of. */
export type FeedScope =
  /** Those of an organization and, unless it was named, those of the installation. */
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

/** The number after which a list begins, of its filter or else of its query; undefined without one. @throws InvalidRequest */
export function findSince({ filter, since }: EventListQuery): bigint | undefined {
  const given = parseFilter(listing, filter)['since'] ?? (since || undefined);
  return given === undefined ? undefined : BigInt(toEventNumber(given));
}

function toEventNumber(given: unknown): string {
  if (EVENT_NUMBER.test(String(given))) return String(given);
  throw InvalidRequest.forField('since', 'must be the number of an event, in digits');
}

/** Events as their readers see them, each with the reader's own mark. */
@Injectable()
export class EventsStore {
  private readonly select = new EntitySelect<RecordedEvent>();

  constructor(private readonly unit: UnitOfWork) {}

  /** The query's own parameters are conditions like those of its `filter`, which win. */
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

  /** Those of the ids that are there for the actor. */
  async filterReadable(actor: Actor, ids: string[]): Promise<string[]> {
    const rows = this.selectReadable(actor).andWhere('event.id = ANY(:ids)', { ids }).select('event.id', 'id');
    return (await rows.getRawMany<{ id: string }>()).map(({ id }) => id);
  }

  /** Marks for one user; again it changes nothing. */
  async mark(userId: string, ids: string[], read: boolean): Promise<void> {
    const marks = read
      ? 'INSERT INTO event_read (event_id, user_id) SELECT unnest($2::uuid[]), $1 ON CONFLICT DO NOTHING'
      : 'DELETE FROM event_read WHERE user_id = $1 AND event_id = ANY($2)';
    await this.unit.manager.query(marks, [userId, ids]);
  }

  async canSeeWorkspace(actor: Actor, id: string): Promise<boolean> {
    return (await this.findFeedOfWorkspace(actor, id)) !== null;
  }

  /** The organization of a workspace that the actor sees; else null. */
  async findFeedOfWorkspace(actor: Actor, id: string): Promise<string | null> {
    const [row] = await this.unit.manager.query<{ feed: string }[]>(
      `SELECT organization_id AS feed FROM workspace WHERE id = $1 AND deleted_at IS NULL AND ($2::uuid IS NULL OR ${visibleSql('workspace', 'workspace', '$2')})`,
      [id, actor.userId],
    );
    return row?.feed ?? null;
  }

  /** Roles are asked once for a statement, not once for an event. */
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

/** A record of the store as its reader sees it. */
export const toSeenEvent = (event: RecordedEvent): SeenEvent => ({ event, read: Boolean(event.mark) });

/** Narrows by a column that holds one of a few words, to one of them or several. */
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
