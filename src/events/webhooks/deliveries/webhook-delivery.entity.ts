import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What was sent, without values of custom headers. */
export interface SentRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** One try to deliver, and the beginning of its answer. */
export interface DeliveryAttempt {
  at: string;
  duration_ms: number;
  status: number | null;
  error: string | null;
  response_headers: Record<string, string>;
  response_body: string;
}

/** One event on its way to one endpoint, and the log of its attempts. */
@Entity('webhook_delivery')
@Index('webhook_delivery_event', ['webhookId', 'eventId'], { unique: true, where: 'event_id IS NOT NULL' })
@Index('webhook_delivery_due', ['webhookId', 'nextAttemptAt', 'sequence'], { where: "status = 'pending'" })
@Index('webhook_delivery_subject', ['webhookId', 'subject', 'sequence'], { where: "status = 'pending'" })
@Index('webhook_delivery_created', ['webhookId', 'createdAt', 'id'])
@Index('webhook_delivery_age', ['createdAt'])
export class WebhookDelivery {
  @PrimaryColumn('uuid')
  id!: string;

  @ForeignKey('Webhook', { onDelete: 'CASCADE' })
  @Column('uuid')
  webhookId!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  @Column('uuid', { nullable: true })
  workspaceId!: string | null;

  /** Null for a test. */
  @Column('uuid', { nullable: true })
  eventId!: string | null;

  /** The number of the event; of one subject the lower one is delivered first. */
  @Column('bigint', { default: 0 })
  sequence!: string;

  /** The record that the event is about. */
  @Column('uuid')
  subject!: string;

  @Column('text')
  kind!: string;

  @Column('text', { default: 'pending' })
  status!: DeliveryStatus;

  /** How many attempts failed since it was last queued. */
  @Column('integer', { default: 0 })
  failures!: number;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  nextAttemptAt!: Date | null;

  @Column('jsonb', { nullable: true })
  request!: SentRequest | null;

  @Column('jsonb', { default: [] })
  attempts!: DeliveryAttempt[];

  @CreateDateColumn({ type: 'timestamptz', precision: 3 })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz', precision: 3 })
  updatedAt!: Date;
}

/** How far the events of an organization were given to its endpoints. */
@Entity('webhook_feed')
export class WebhookFeed {
  @ForeignKey('Organization')
  @PrimaryColumn('uuid')
  organizationId!: string;

  @Column('bigint')
  position!: string;
}

/** Until when nothing is sent to an endpoint that fails, or that asked for less. */
@Entity('webhook_pause')
export class WebhookPause {
  @PrimaryColumn('uuid')
  webhookId!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  @Column({ type: 'timestamptz', precision: 3 })
  until!: Date;
}

/** An endpoint that fails: the events of its organization after this number are given to it behind those that work. */
@Entity('webhook_deferral')
@Index('webhook_deferral_organization', ['organizationId'])
export class WebhookDeferral {
  @ForeignKey('Webhook', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  webhookId!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  @Column('bigint')
  after!: string;
}

/** When an endpoint has something to send next, and who sends to it now. */
@Entity('webhook_queue')
@Index('webhook_queue_due', ['dueAt'], { where: 'worker IS NULL' })
@Index('webhook_queue_held', ['worker'], { where: 'worker IS NOT NULL' })
export class WebhookQueueEntry {
  @ForeignKey('Webhook', { onDelete: 'CASCADE' })
  @PrimaryColumn('uuid')
  webhookId!: string;

  @ForeignKey('Organization')
  @Column('uuid')
  organizationId!: string;

  /** Null when nothing waits, and while a process sends unless something came since. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** The process that sends to it; no other does until its lease is over or it is seen to be dead. */
  @Column('uuid', { nullable: true })
  worker!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  leaseUntil!: Date | null;
}
