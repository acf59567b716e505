import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import { BaseEntity } from '../../core/database/base.entity.js';

/** A person signs in; a service account belongs to an organization and authenticates with tokens only. */
export const USER_KINDS = ['person', 'service'] as const;
export type UserKind = (typeof USER_KINDS)[number];

/** Whether the account is of a user of the issuer whose address is not verified: it has a placeholder, which no mail reaches. */
export const hasPlaceholder = ({ issuer, email }: Pick<User, 'issuer' | 'email'>): boolean =>
  issuer !== null && email.endsWith(NO_MAIL_DOMAIN);

/** Whether the user of an issuer was linked to an account that has a password. */
export const isLinked = ({ issuer, passwordHash }: Pick<User, 'issuer' | 'passwordHash'>): boolean =>
  issuer !== null && passwordHash !== null;

/** The domain of accounts without an email address (RFC 2606 section 2), which cannot be added or invited by address. */
export const NO_MAIL_DOMAIN = '.invalid';

/** An account: a person, or a service account. */
@Entity('app_user')
@Index('app_user_email', ['email'], { unique: true, where: 'deleted_at IS NULL' })
@Index('app_user_identity', ['issuer', 'subject'], { unique: true, where: 'issuer IS NOT NULL' })
@Index('app_user_service', ['organizationId', 'createdAt', 'id'], { where: 'organization_id IS NOT NULL' })
@Index('app_user_search', { synchronize: false })
@Check('app_user_kind_check', `kind IN ('person', 'service')`)
@Check('app_user_of_organization', `(kind = 'service') = (organization_id IS NOT NULL)`)
@Check('app_user_of_issuer', '(issuer IS NULL) = (subject IS NULL)')
export class User extends BaseEntity {
  @Column('text', { default: 'person' })
  kind: UserKind = 'person';

  /** Stored in lower case. Accounts without an address of their own have one that ends in `.invalid`. */
  @Column('text')
  email!: string;

  /** The name of a service account is its first name. */
  @Column('text', { default: '' })
  firstName!: string;

  @Column('text', { default: '' })
  lastName!: string;

  /** argon2id; null for accounts of an external issuer and for service accounts. */
  @Column('text', { nullable: true })
  passwordHash!: string | null;

  @Column('boolean', { default: false })
  installationAdmin!: boolean;

  @Column('uuid', { nullable: true })
  defaultOrganizationId!: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  deactivatedAt!: Date | null;

  /** The organization that a service account belongs to; null for people. */
  @ForeignKey('Organization')
  @Column('uuid', { nullable: true })
  organizationId!: string | null;

  /**
   * The OpenID Connect issuer that authenticates this account, which it identifies by the subject. An account with a password too was
   * linked to it.
   */
  @Column('text', { nullable: true })
  issuer!: string | null;

  @Column('text', { nullable: true })
  subject!: string | null;

  /**
   * Another user who may know the password: the admin who set it, or who saw the URL with which it was set. Null once the owner of
   * the address has confirmed the account; until then only this admin may add it to further organizations.
   */
  @ForeignKey('User')
  @Column('uuid', { nullable: true })
  unconfirmedBy!: string | null;
}
