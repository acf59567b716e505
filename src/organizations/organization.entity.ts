import { Column, Entity } from 'typeorm';
import { BaseEntity } from '../core/database/base.entity.js';

/** The unit of tenancy: every workspace, environment, connection and credential belongs to one. */
@Entity('organization')
export class Organization extends BaseEntity {
  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  description!: string;

  @Column('uuid')
  owner!: string;

  @Column('jsonb', { default: {} })
  metadata!: Record<string, unknown>;
}
