import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

export const DELIVERY_STATUSES = ['sent', 'deferred', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * An invitation: allows the owner of an address to become a member, with an existing or a new account. A withdrawn or replaced
 * invitation is deleted.
 */
@Entity('invitation')
@Index('invitation_open', ['organizationId', 'email'], {
  unique: true,
  where: 'accepted_at IS NULL AND deleted_at IS NULL',
})
@Index('invitation_email', ['email'], { where: 'accepted_at IS NULL AND deleted_at IS NULL' })
@Index('invitation_sender', ['invitedBy'], { where: 'accepted_at IS NULL AND deleted_at IS NULL' })
@Check('invitation_delivery_status_check', `delivery_status IN ('sent', 'deferred', 'failed')`)
@Unique(['tokenHash'])
export class Invitation extends TenantEntity {
  @Column('text')
  email!: string;

  /** A rank of `ROLES`, as in a membership. */
  @Column('smallint')
  role!: number;

  @Column('text', { default: '' })
  firstName!: string;

  @Column('text', { default: '' })
  lastName!: string;

  /** SHA-256 of the token in the URL; the token itself is not stored. */
  @Column('bytea')
  tokenHash!: Buffer;

  /** SHA-256 of the proof that only the email contains: it proves ownership of the address. Null when no email was sent. */
  @Column('bytea', { nullable: true })
  proofHash!: Buffer | null;

  @ForeignKey('User')
  @Column('uuid', { nullable: true })
  invitedBy!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  acceptedAt!: Date | null;

  /** The delivery of the email; null before the first attempt, and without a mail server. */
  @Column('text', { nullable: true })
  deliveryStatus!: DeliveryStatus | null;

  @Column('text', { nullable: true })
  deliveryReason!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deliveryAt!: Date | null;
}
