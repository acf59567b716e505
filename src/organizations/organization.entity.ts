import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { BaseEntity } from '../core/database/base.entity.js';

/** The fields of a new organization. */
export interface OrganizationFields {
  name: string;
  description?: string | null;
  metadata?: Record<string, unknown> | null;
}

/** The unit of tenancy: every workspace, environment, connection and credential belongs to one. */
@Entity('organization')
@Index('organization_name', { synchronize: false })
export class Organization extends BaseEntity {
  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  description!: string;

  @ForeignKey('User')
  @Column('uuid')
  owner!: string;

  @Column('jsonb', { default: {} })
  metadata!: Record<string, unknown>;

  static create(owner: string, input: OrganizationFields): Organization {
    const { name, description, metadata } = input;
    return Object.assign(new Organization(), {
      name,
      description: description ?? '',
      metadata: metadata ?? {},
      owner,
    });
  }
}
