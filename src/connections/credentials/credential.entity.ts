import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** A secret that connections sign in with. It goes in and never comes out: what is kept is sealed. */
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
}
