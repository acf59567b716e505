import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../../core/database/base.entity.js';
import { maskUrl } from '../../../core/json/url-secrets.js';
import type { Severity } from '../../../core/events/domain-event.js';
import type { WebhookFormat } from '../formats/webhook-format.js';

export const DISABLED_REASONS = ['gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** How the URL of an endpoint is shown: without what may be a key. */
export const maskEndpoint = (url: string): string => maskUrl(url, { path: true });

/** A webhook endpoint, to which events are sent. */
@Entity('webhook')
@Index('webhook_organization', ['organizationId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
export class Webhook extends TenantEntity {
  /** The workspace whose events it receives; null for those of the whole organization. */
  @ForeignKey('Workspace')
  @Column('uuid', { nullable: true })
  workspaceId!: string | null;

  @ForeignKey('User')
  @Column('uuid')
  owner!: string;

  /** Masked where it has secrets; the whole URL is sealed then. */
  @Column('text')
  url!: string;

  @Column('text', { default: '' })
  description = '';

  /** Kinds of events, with wildcards. */
  @Column('text', { array: true })
  events!: string[];

  /** Only events of these severities; all when empty. */
  @Column('text', { array: true, default: [] })
  severities: Severity[] = [];

  @Column('text', { default: 'standard' })
  format: WebhookFormat = 'standard';

  @Column('boolean', { default: true })
  enabled = true;

  /** The names of the custom headers; their values are sealed. */
  @Column('text', { array: true, default: [] })
  headerNames: string[] = [];

  /** A `WebhookSecrets`, encrypted by the vault. */
  @Column('bytea', { select: false })
  secrets!: Buffer;

  /** Until then deliveries are also signed with the previous secret. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  previousSecretExpiresAt: Date | null = null;

  /** The number of the last event before the endpoint was registered. */
  @Column('bigint', { default: 0 })
  startsAfter!: string;

  /** Since when every attempt has failed; null when the last one succeeded. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  failingSince: Date | null = null;

  /** When the owner was notified of the failures. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  noticedAt: Date | null = null;

  /** Its last response was slow, or it has not responded yet: it uses the separate slots for slow endpoints. */
  @Column('boolean', { default: false })
  slow = true;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  disabledAt: Date | null = null;

  @Column('text', { nullable: true })
  disabledReason: DisabledReason | null = null;

  get host(): string {
    return new URL(this.url).host;
  }
}
