import { ObjectType } from '@nestjs/graphql';
import { type Severity, SEVERITIES } from '../core/events/domain-event.js';
import { PaginatedView } from '../core/listing/page.js';
import { type RevisedRecord, withRevision } from '../core/schema/record.view.js';
import {
  EnumField,
  IdField,
  MapField,
  TextField,
  TextsField,
  TimeField,
  WordField,
  graphqlEnum,
} from '../core/schema/view-fields.js';
import type { SeenEvent } from './event.entity.js';

export const EVENT_STATUSES = ['unread', 'read'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

const statusOf = ({ read }: SeenEvent): EventStatus => (read ? 'read' : 'unread');

/** The revision of an event for a user; only its read status changes. */
export const eventRevision = (seen: SeenEvent): RevisedRecord => ({ id: seen.event.id, revision: statusOf(seen) });

export const SeverityEnum = graphqlEnum('Severity', SEVERITIES, 'How severe an event is.');
const EventStatusEnum = graphqlEnum('EventStatus', EVENT_STATUSES, 'Whether the caller has read an event.');

const OWN = { graphql: true as const };

/** An event. GraphQL also has camelCase aliases of fields that existing subscribers select. */
@ObjectType('Event', { description: 'Something that happened.' })
export class EventView {
  @IdField()
  id!: string;

  @TextField({ nullable: true, description: 'Its number in the organization, in digits.' })
  sequence!: string | null;

  @IdField({ nullable: true })
  organization_id!: string | null;

  @IdField({ nullable: true })
  workspace_id!: string | null;

  @IdField({ nullable: true, description: 'Who did it; null when the system did.' })
  user_id!: string | null;

  @IdField({ description: 'The record that it is about.' })
  acted_upon!: string;

  @IdField({ nullable: true })
  operation_id!: string | null;

  @TextField()
  category!: string;

  @TextField()
  action!: string;

  @EnumField(SeverityEnum)
  severity!: Severity;

  @TextField()
  description!: string;

  @MapField()
  metadata!: Record<string, unknown>;

  @EnumField(EventStatusEnum, { description: 'Whether the caller has read it.' })
  status!: EventStatus;

  @TimeField()
  created_at!: Date;

  @IdField({ ...OWN, nullable: true })
  get userID(): string | null {
    return this.user_id;
  }

  @IdField(OWN)
  get actedUpon(): string {
    return this.acted_upon;
  }

  @IdField({ ...OWN, nullable: true })
  get operationID(): string | null {
    return this.operation_id;
  }

  @TimeField(OWN)
  get createdAt(): Date {
    return this.created_at;
  }

  /** Equal to `created_at`, because events are immutable. */
  @TimeField(OWN)
  get updatedAt(): Date {
    return this.created_at;
  }

  @TimeField({ ...OWN, nullable: true })
  get deletedAt(): Date | null {
    return null;
  }

  static fromSeenEvent(this: void, seen: SeenEvent): EventView {
    const { event } = seen;
    const status = statusOf(seen);
    return Object.assign(withRevision(new EventView(), eventRevision(seen)), {
      id: event.id,
      sequence: event.organizationId === null ? null : event.sequence,
      organization_id: event.organizationId,
      workspace_id: event.workspaceId,
      user_id: event.userId,
      acted_upon: event.actedUpon,
      operation_id: event.operationId,
      category: event.category,
      action: event.action,
      severity: event.severity,
      description: event.description,
      metadata: event.metadata,
      status,
      created_at: event.createdAt,
    });
  }
}

export const EventPage = PaginatedView(EventView, 'events', 'EventPage');

/** The ids whose status was set; ids that the caller may not read are left out. */
export class MarkedView {
  @WordField(EVENT_STATUSES, { rest: true })
  status!: EventStatus;

  @TextsField({ rest: true })
  ids!: string[];
}
