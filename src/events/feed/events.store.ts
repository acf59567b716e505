import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { validate } from 'uuid';
import { visible } from '../../core/access/access.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { SEVERITIES } from '../../core/events/domain-event.js';
import type { Condition, Listing } from '../../core/listing/listing.js';
import type { Page } from '../../core/listing/page.js';
import { paginate } from '../../core/listing/paginate.js';
import { ReadMark, RecordedEvent, type SeenEvent } from './event.entity.js';
import { type EventListQuery, NUMBER, wordsOf } from './event.inputs.js';
import { readable } from './event-readers.js';

type Rows = SelectQueryBuilder<RecordedEvent>;

/** Whose events a list is of. */
export type FeedScope =
  /** Those of an organization and, unless it was named, those of the installation. */
  { organizationId: string; installation: boolean } | { workspaceId: string };

const listing: Listing<RecordedEvent> = {
  alias: 'event',
  pageSize: 20,
  order: {
    created_at: { sql: 'event.created_at', type: 'timestamptz', of: (event) => event.createdAt },
    sequence: { sql: 'event.sequence', type: 'bigint', of: (event) => event.sequence },
    category: { sql: 'event.category', type: 'text', of: (event) => event.category },
    action: { sql: 'event.action', type: 'text', of: (event) => event.action },
    severity: { sql: 'event.severity', type: 'text', of: (event) => event.severity },
  },
  defaultOrder: 'created_at desc',
  search: ['event.description'],
  filter: {
    category: among('category'),
    action: among('action'),
    severity: among('severity', SEVERITIES),
    acted_upon: (rows, value) => {
      if (!validate(value)) throw InvalidRequest.at('filter', 'acted_upon must be a UUID');
      rows.andWhere('event.acted_upon = :actedUpon', { actedUpon: value });
    },
    status: (rows, value) => {
      if (value !== 'read' && value !== 'unread') throw InvalidRequest.at('status', 'must be read or unread');
      rows.andWhere(`mark.event_id IS ${value === 'read' ? 'NOT NULL' : 'NULL'}`);
    },
    since: (rows, value) => {
      if (!NUMBER.test(String(value))) throw InvalidRequest.at('since', 'must be the number of an event, in digits');
      rows.andWhere('event.organization_id IS NOT NULL AND event.sequence > :since', { since: String(value) });
    },
  },
};

/** Events as their readers see them, each with the reader's own mark. */
@Injectable()
export class EventsStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** The query's own parameters are conditions like those of its `filter`, which win. */
  page(actor: Actor, scope: FeedScope, query: EventListQuery): Promise<Page<RecordedEvent>> {
    const { category, action, severity, acted_upon, status, since } = query;
    const filterDefaults = Object.fromEntries(
      Object.entries({ category, action, severity, acted_upon, status, since }).filter(([, value]) => value),
    );
    const rows = this.readableBy(actor);
    if ('workspaceId' in scope) rows.andWhere('event.workspace_id = :workspaceId', scope);
    else rows.andWhere(ofOrganization(scope.installation), { organizationId: scope.organizationId });
    return paginate(rows, { ...listing, filterDefaults }, query, this.unit.isOpen);
  }

  find(actor: Actor, id: string): Promise<RecordedEvent | null> {
    return this.readableBy(actor).andWhere('event.id = :id', { id }).getOne();
  }

  /** Those of the ids that are there for the actor. */
  async readable(actor: Actor, ids: string[]): Promise<string[]> {
    const rows = this.readableBy(actor).andWhere('event.id = ANY(:ids)', { ids }).select('event.id', 'id');
    return (await rows.getRawMany<{ id: string }>()).map(({ id }) => id);
  }

  /** Marks for one user; again it changes nothing. */
  async mark(userId: string, ids: string[], read: boolean): Promise<void> {
    const marks = read
      ? 'INSERT INTO event_read (event_id, user_id) SELECT unnest($2::uuid[]), $1 ON CONFLICT DO NOTHING'
      : 'DELETE FROM event_read WHERE user_id = $1 AND event_id = ANY($2)';
    await this.unit.manager.query(marks, [userId, ids]);
  }

  async seesWorkspace(actor: Actor, id: string): Promise<boolean> {
    const rows = await this.unit.manager.query<unknown[]>(
      `SELECT FROM workspace WHERE id = $1 AND deleted_at IS NULL AND ($2::uuid IS NULL OR ${visible('workspace', 'workspace', '$2')})`,
      [id, actor.userId],
    );
    return rows.length > 0;
  }

  /** Roles are asked once for a statement, not once for an event. */
  private readableBy(actor: Actor): Rows {
    const rows = this.unit.manager
      .getRepository(RecordedEvent)
      .createQueryBuilder('event')
      .leftJoinAndMapOne('event.mark', ReadMark, 'mark', 'mark.event_id = event.id AND mark.user_id = :actorId')
      .setParameter('actorId', actor.userId);
    if (actor.isSystem) return rows;
    return rows
      .addCommonTableExpression('SELECT * FROM access_role WHERE user_id = :actorId', 'own_role', {
        materialized: true,
      })
      .andWhere(readable('event', 'own_role', ':actorId'));
  }
}

/** A record of the store as its reader sees it. */
export const seen = (event: RecordedEvent): SeenEvent => ({ event, read: Boolean(event.mark) });

function among(column: string, allowed?: readonly string[]): Condition<RecordedEvent> {
  return (rows, value) => {
    const words = wordsOf(column, value, allowed);
    if (words) rows.andWhere(`event.${column} = ANY(:filter_${column})`, { [`filter_${column}`]: words });
  };
}

const ofOrganization = (installation: boolean): string =>
  installation
    ? '(event.organization_id = :organizationId OR event.organization_id IS NULL)'
    : 'event.organization_id = :organizationId';
