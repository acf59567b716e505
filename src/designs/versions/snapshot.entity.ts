import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** A permanent name for a version of a design. */
@Entity('snapshot')
@ForeignKey('DesignVersion', ['designId', 'number'], ['designId', 'number'])
@Index('snapshot_name', { synchronize: false })
export class Snapshot extends TenantEntity {
  @Column('uuid')
  designId!: string;

  /** The number of the version. */
  @Column('integer')
  number!: number;

  /** Unique per design, ignoring case. */
  @Column('text')
  name!: string;

  /** The user who created it. */
  @ForeignKey('User')
  @Column('uuid')
  userId!: string;
}
