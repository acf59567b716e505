import { Column, Entity } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** A secret that connections sign in with. It goes in and never comes out: what is kept is sealed. */
@Entity('credential')
export class Credential extends TenantEntity {
  @Column('text')
  name!: string;

  @Column('text')
  type!: string;

  @Column('uuid')
  owner!: string;

  @Column('bytea', { select: false })
  secret!: Buffer;
}
