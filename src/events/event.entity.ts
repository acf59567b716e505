import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Severity } from '../core/events/domain-event.js';

/** A stored event. Immutable. */
@Entity('event')
@Index('event_feed', { synchronize: false })
@Index('event_created', ['createdAt', 'id'])
@Index('event_organization', ['organizationId', 'createdAt', 'id'])
@Index('event_workspace', ['workspaceId', 'createdAt', 'id'], { where: 'workspace_id IS NOT NULL' })
@Index('event_subject', ['actedUpon', 'createdAt', 'id'])
@Index('event_change_set', ['changeSet'], { where: 'change_set IS NOT NULL' })
export class RecordedEvent {
  @PrimaryColumn('uuid')
  id!: string;

  /** The number of the event in its feed, without gaps. */
  @Column('bigint')
  sequence!: string;

  /** Null for events of the installation. */
  @ForeignKey('Organization')
  @Column('uuid', { nullable: true })
  organizationId!: string | null;

  /** The workspace in which it happened. */
  @Column('uuid', { nullable: true })
  workspaceId!: string | null;

  /** The user who caused it; null for the system. */
  @ForeignKey('User')
  @Column('uuid', { nullable: true })
  userId!: string | null;

  /** The reason of the system actor. */
  @Column('text', { nullable: true })
  systemActor!: string | null;

  /** The record that it is about. */
  @Column('uuid')
  actedUpon!: string;

  @Column('uuid', { nullable: true })
  operationId!: string | null;

  @Column('text')
  category!: string;

  @Column('text')
  action!: string;

  @Column('text')
  severity!: Severity;

  @Column('text')
  description!: string;

  @Column('jsonb', { default: {} })
  metadata!: Record<string, unknown>;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt!: Date;

  /** The change set of its transaction, with which it is audited; null when it has its own row in `audit_pending`. */
  @Column('bigint', { nullable: true, select: false })
  changeSet?: string | null;

  /** The caller's mark, if the query joined it. */
  mark?: ReadMark | null;
}

/** Marks an event as read by a user. */
@Entity('event_read')
export class ReadMark {
  @ForeignKey('RecordedEvent', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  eventId!: string;

  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;
}

/** The last event number of a feed: that of an organization, or of the installation (the nil UUID). */
@Entity('event_counter')
export class EventCounter {
  @PrimaryColumn('uuid')
  feed!: string;

  @Column('bigint')
  last!: string;
}

/** An event as one user sees it. */
export interface SeenEvent {
  event: RecordedEvent;
  read: boolean;
}
