import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** A mapping of a connection to an environment; a connection may be in several. */
@Entity('environment_connection')
@Index('environment_connection_pair', ['environmentId', 'connectionId'], { unique: true, where: 'deleted_at IS NULL' })
@Index('environment_connection_other', ['connectionId'])
export class EnvironmentConnection extends TenantEntity {
  @ForeignKey('Environment')
  @Column('uuid')
  environmentId!: string;

  @ForeignKey('Connection')
  @Column('uuid')
  connectionId!: string;
}
