import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** A secret that authenticates connections. It is write-only and stored encrypted. */
@Entity('credential')
@Index('credential_name', { synchronize: false })
@Index('credential_search', { synchronize: false })
export class Credential extends TenantEntity {
  @Column('text')
  name!: string;

  @Column('text')
  type!: string;

  @ForeignKey('User')
  @Column('uuid')
  owner!: string;

  @Column('bytea', { select: false })
  secret!: Buffer;

  /** The user who entered the secret; null for its owner. */
  @ForeignKey('User')
  @Column('uuid', { nullable: true })
  enteredBy!: string | null;
}
