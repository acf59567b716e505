import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../../core/database/base.entity.js';
import type { PolicyMode } from '../plan/policy-violation.js';

/** A rule for the deployed resources of the designs of a workspace. */
@Entity('policy')
@Index('policy_workspace', ['workspaceId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('policy_name', { synchronize: false })
export class Policy extends TenantEntity {
  @ForeignKey('Workspace')
  @Column('uuid')
  workspaceId!: string;

  @Column('text')
  name!: string;

  /** A CEL expression that evaluates to true for a complying resource. */
  @Column('text')
  expression!: string;

  @Column('text', { default: '' })
  message!: string;

  @Column('text')
  mode!: PolicyMode;

  /** Kinds of resources that it applies to; empty for all kinds. */
  @Column('text', { array: true, default: [] })
  kinds!: string[];

  @Column('boolean', { default: true })
  enabled!: boolean;
}
