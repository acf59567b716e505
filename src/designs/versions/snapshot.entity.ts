import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** A name for a version of a design. It is kept for ever. */
@Entity('snapshot')
@ForeignKey('DesignVersion', ['designId', 'number'], ['designId', 'number'])
@Index('snapshot_name', { synchronize: false })
export class Snapshot extends TenantEntity {
  @Column('uuid')
  designId!: string;

  /** Of the version. */
  @Column('integer')
  number!: number;

  /** No two of a design are the same but for case. */
  @Column('text')
  name!: string;

  /** The user who made it. */
  @ForeignKey('User')
  @Column('uuid')
  userId!: string;
}
