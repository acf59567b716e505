import { Column, Entity } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** That someone without an account may make one and become a member. Withdrawn or replaced, it counts as deleted. */
@Entity('invitation')
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

  @Column('uuid', { nullable: true })
  invitedBy!: string | null;

  @Column({ type: 'timestamptz', precision: 3 })
  expiresAt!: Date;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  acceptedAt!: Date | null;
}
