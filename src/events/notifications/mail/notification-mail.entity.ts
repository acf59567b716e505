import { Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { MailFrequency } from '../notification-preferences.js';

/** The events that a claimed mail is about: after one number of each feed up to another, and since when. */
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

  /** Earlier events are not mailed at this frequency. */
  @Column('timestamptz', { default: () => 'now()' })
  startedAt!: Date;

  /** When the mail is made, or tried again; null when nothing waits. */
  @Column('timestamptz', { nullable: true })
  dueAt!: Date | null;

  /** The time of the last event that is to be mailed immediately. */
  @Column('timestamptz', { nullable: true })
  requestedAt!: Date | null;

  @Column('timestamptz', { nullable: true })
  sentAt!: Date | null;

  /** By feed, the number of the last event that was mailed or skipped. */
  @Column('jsonb', { default: {} })
  positions!: Record<string, string>;

  @Column('timestamptz', { nullable: true })
  claimedAt!: Date | null;

  /** The mail that is on its way, until it is known to be sent or given up. */
  @Column('jsonb', { nullable: true })
  claim!: MailClaim | null;

  /** How many attempts to send it have failed. */
  @Column('integer', { default: 0 })
  failures!: number;
}

/** How far the events of an organization were read for mail that is sent at once. */
@Entity('notification_feed')
export class NotificationFeed {
  @ForeignKey('Organization')
  @PrimaryColumn('uuid')
  organizationId!: string;

  @Column('bigint')
  position!: string;
}
