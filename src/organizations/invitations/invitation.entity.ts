import { Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** That the owner of an address may become a member, with an account or by making one. Withdrawn or replaced, it counts as deleted. */
@Entity('invitation')
@Index('invitation_open', ['organizationId', 'email'], {
  unique: true,
  where: 'accepted_at IS NULL AND deleted_at IS NULL',
})
@Index('invitation_email', ['email'], { where: 'accepted_at IS NULL AND deleted_at IS NULL' })
@Index('invitation_sender', ['invitedBy'], { where: 'accepted_at IS NULL AND deleted_at IS NULL' })
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

  /** SHA-256 of the token in the URL; the token itself is kept nowhere. */
  @Column('bytea')
  tokenHash!: Buffer;

  /** SHA-256 of what only the letter says: who accepts with it is the owner of the address. Null when no letter was sent. */
  @Column('bytea', { nullable: true })
  proofHash!: Buffer | null;

  @ForeignKey('User')
  @Column('uuid', { nullable: true })
  invitedBy!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  acceptedAt!: Date | null;
}
