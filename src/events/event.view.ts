import { ObjectType, registerEnumType } from '@nestjs/graphql';
import { type Severity, SEVERITIES } from '../core/events/domain-event.js';
import { PaginatedView } from '../core/listing/page.js';
import {
  EnumField,
  IdField,
  MapField,
  TextField,
  TextsField,
  TimeField,
  WordField,
} from '../core/schema/view-fields.js';
import type { SeenEvent } from './event.entity.js';

export const EVENT_STATUSES = ['unread', 'read'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

export const SeverityEnum = Object.fromEntries(SEVERITIES.map((word) => [word, word])) as { [S in Severity]: S };
registerEnumType(SeverityEnum, { name: 'Severity' });

const OWN = { graphql: true as const };

/** An event; GraphQL knows its fields in camelCase too, as subscribers in the field do. */
@ObjectType('Event')
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

  @IdField({ description: 'The record that it tells of.' })
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

  @WordField(EVENT_STATUSES, { description: 'Whether the caller has read it.' })
  status!: EventStatus;

  @TimeField()
  created_at!: Date;

  @IdField({ ...OWN, nullable: true })
  get organizationID(): string | null {
    return this.organization_id;
  }

  @IdField({ ...OWN, nullable: true })
  get workspaceID(): string | null {
    return this.workspace_id;
  }

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

  /** An event never changes. */
  @TimeField(OWN)
  get updatedAt(): Date {
    return this.created_at;
  }

  @TimeField({ ...OWN, nullable: true })
  get deletedAt(): Date | null {
    return null;
  }

  static fromSeenEvent(this: void, { event, read }: SeenEvent): EventView {
    return Object.assign(new EventView(), {
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
      status: read ? 'read' : 'unread',
      created_at: event.createdAt,
    });
  }
}

export const EventPage = PaginatedView(EventView, 'events', 'EventPage');

/** Which of the events that a call named bear the mark now; the others are not there for the caller. */
export class MarkedView {
  @WordField(EVENT_STATUSES, { rest: true })
  status!: EventStatus;

  @TextsField({ rest: true })
  ids!: string[];
}
