import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { MailFrequency } from '../notification-preferences.js';

/** The events of a claimed mail: the range of numbers of each feed, and the earliest time. */
export interface MailClaim {
  messageId: string;
  since: string;
  windows: Record<string, [after: string, through: string]>;
}

/** The next mail to a user at one frequency. */
@Entity('notification_mail')
@Index('notification_mail_due', ['dueAt'], { where: 'due_at IS NOT NULL' })
export class NotificationMail {
  @ForeignKey('User')
  @PrimaryColumn('uuid')
  userId!: string;

  @PrimaryColumn('text')
  frequency!: MailFrequency;

  /** Events before this time are not mailed at this frequency. */
  @Column('timestamptz', { default: () => 'now()' })
  startedAt!: Date;

  /** When the mail is sent or retried; null when none is pending. */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;

  /** The time of the last event that is to be mailed immediately. */
  @Column('timestamptz', { nullable: true })
  requestedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  sentAt!: Date | null;

  /** The number of the last mailed or skipped event, by feed. */
  @Column('jsonb', { default: {} })
  positions!: Record<string, string>;

  @Column('timestamptz', { nullable: true })
  claimedAt!: Date | null;

  /** The mail that is being sent, until it is sent or given up. */
  @Column('jsonb', { nullable: true })
  claim!: MailClaim | null;

  /** The number of failed attempts. */
  @Column('integer', { default: 0 })
  failures!: number;
}

/** The number up to which the events of an organization were processed for immediate mail. */
@Entity('notification_feed')
export class NotificationFeed {
  @ForeignKey('Organization')
  @PrimaryColumn('uuid')
  organizationId!: string;

  @Column('bigint')
  position!: string;
}
