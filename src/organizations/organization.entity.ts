import { Column, Entity } from 'typeorm';
import { BaseEntity } from '../core/database/base.entity.js';
import type { NewOrganization } from './organization.inputs.js';

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

  static create(owner: string, input: NewOrganization): Organization {
    const { name, description, metadata } = input;
    return Object.assign(new Organization(), {
      name,
      description: description ?? '',
      metadata: metadata ?? {},
      owner,
    });
  }
}
