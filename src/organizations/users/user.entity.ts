import { Column, Entity } from 'typeorm';
import { BaseEntity } from '../../core/database/base.entity.js';

/** A person who can sign in. */
@Entity('app_user')
export class User extends BaseEntity {
  /** Kept in lower case. */
  @Column('text')
  email!: string;

  @Column('text', { default: '' })
  firstName!: string;

  @Column('text', { default: '' })
  lastName!: string;

  /** argon2id; null for accounts of an external issuer and for the invited. */
  @Column('text', { nullable: true })
  passwordHash!: string | null;

  @Column('boolean', { default: false })
  installationAdmin!: boolean;

  @Column('uuid', { nullable: true })
  defaultOrganizationId!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deactivatedAt!: Date | null;
}
