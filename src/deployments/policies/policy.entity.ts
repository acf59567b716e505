import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';
import type { PolicyMode } from '../plan/policy-violation.js';

/** A rule that the resources of the designs of a workspace comply with when they are deployed. */
@Entity('policy')
@Index('policy_workspace', ['workspaceId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('policy_name', { synchronize: false })
export class Policy extends TenantEntity {
  @ForeignKey('Workspace')
  @Column('uuid')
  workspaceId!: string;

  @Column('text')
  name!: string;

  /** CEL, true where the resource complies. */
  @Column('text')
  expression!: string;

  @Column('text', { default: '' })
  message!: string;

  @Column('text')
  mode!: PolicyMode;

  /** Kinds of the resources that it judges; all of them when there are none. */
  @Column('text', { array: true, default: [] })
  kinds!: string[];

  @Column('boolean', { default: true })
  enabled!: boolean;
}
