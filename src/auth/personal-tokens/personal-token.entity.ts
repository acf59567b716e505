import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import type { Scope } from '../../core/access/actor.js';
import { BaseEntity } from '../../core/database/base.entity.js';

/** An opaque token that acts for its user with some of their rights. A revoked token is deleted. */
@Entity('personal_token')
@Index('personal_token_user', ['userId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Check('personal_token_scopes_check', `cardinality(scopes) > 0 AND scopes <@ ARRAY['read', 'write', 'deploy', 'admin']`)
@Unique(['hash'])
export class PersonalToken extends BaseEntity {
  @ForeignKey('User')
  @Column('uuid')
  userId!: string;

  @Column('text')
  name!: string;

  @Column('text', { array: true })
  scopes!: Scope[];

  /** SHA-256 of the token; the token itself is not stored. */
  @Column('bytea')
  hash!: Buffer;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt!: Date | null;

  /** Time of the last use, accurate to the minute. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  lastUsedAt!: Date | null;
}
