import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { Severity } from '../core/events/domain-event.js';

/** A stored event: its content, its actor, and its number. It never changes. */
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

  /** Counts the events of the organization, or of those that belong to none, without gaps. */
  @Column('bigint')
  sequence!: string;

  /** Null for what belongs to the whole installation. */
  @ForeignKey('Organization')
  @Column('uuid', { nullable: true })
  organizationId!: string | null;

  /** The workspace in which it happened. */
  @Column('uuid', { nullable: true })
  workspaceId!: string | null;

  /** Who did it; null when the system did. */
  @ForeignKey('User')
  @Column('uuid', { nullable: true })
  userId!: string | null;

  /** What the system did it for. */
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

  /** The changes of its transaction, with which it is audited; null when it has a row of its own in `audit_pending`. */
  @Column('bigint', { nullable: true, select: false })
  changeSet?: string | null;

  /** The caller's mark, where a query joined it. */
  mark?: ReadMark | null;
}

/** That a user has read an event. */
@Entity('event_read')
export class ReadMark {
  @ForeignKey('RecordedEvent', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  eventId!: string;

  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;
}

/** How many events a feed has: that of an organization, or of the installation (the nil UUID). */
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
