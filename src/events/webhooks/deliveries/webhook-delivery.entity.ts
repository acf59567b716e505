import { Column, CreateDateColumn, Entity, ForeignKey, Index, PrimaryColumn, UpdateDateColumn } from 'typeorm';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A request, without the values of custom headers. */
export interface SentRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** An attempt, with the beginning of the response. */
export interface DeliveryAttempt {
  at: string;
  duration_ms: number;
  status: number | null;
  error: string | null;
  response_headers: Record<string, string>;
  response_body: string;
}

/** The delivery of an event to an endpoint, with the log of its attempts. */
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

  /** The number of the event. Deliveries of a subject are sent in its order. */
  @Column('bigint', { default: 0 })
  sequence!: string;

  /** The record that the event is about. */
  @Column('uuid')
  subject!: string;

  @Column('text')
  kind!: string;

  @Column('text', { default: 'pending' })
  status!: DeliveryStatus;

  /** The number of failed attempts since it was last queued. */
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

/** The number up to which the events of an organization were fanned out to its endpoints. */
@Entity('webhook_feed')
export class WebhookFeed {
  @ForeignKey('Organization')
  @PrimaryColumn('uuid')
  organizationId!: string;

  @Column('bigint')
  position!: string;
}

/** The pause of an endpoint, after a failure or by `Retry-After`. */
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

/** A failing endpoint: the events of its organization after this number are fanned out to it after healthy endpoints. */
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

/** The queue entry of an endpoint: when its next delivery is due, and which process holds it. */
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

  /** Null without pending deliveries, and while a process holds the endpoint unless new deliveries arrived. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  dueAt!: Date | null;

  /** The process that holds the endpoint, until it releases it, its lease expires or it dies. */
  @Column('uuid', { nullable: true })
  worker!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  leaseUntil!: Date | null;
}
