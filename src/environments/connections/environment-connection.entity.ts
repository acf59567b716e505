import { Column, Entity } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';

/** That a connection is in an environment; it may be in several. */
@Entity('environment_connection')
export class EnvironmentConnection extends TenantEntity {
  @Column('uuid')
  environmentId!: string;

  @Column('uuid')
  connectionId!: string;
}
