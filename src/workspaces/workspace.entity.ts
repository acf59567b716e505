import { Check, Column, Entity, ForeignKey, Index } from 'typeorm';
import type { Actor } from '../core/access/actor.js';
import { TenantEntity } from '../core/database/base.entity.js';
import { Conflict } from '../core/errors/app-error.js';

export const WORKSPACE_STATUSES = ['active', 'archived'] as const;
export type WorkspaceStatus = (typeof WORKSPACE_STATUSES)[number];

/** The fields of a new workspace. */
export interface WorkspaceFields {
  name: string;
  organization_id: string;
  description?: string | null;
  metadata?: Record<string, unknown> | null;
}

/** A group of designs, environments and users with roles. */
@Entity('workspace')
@Index('workspace_created', ['organizationId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('workspace_personal', ['organizationId', 'personalOf'], {
  unique: true,
  where: 'deleted_at IS NULL AND personal_of IS NOT NULL',
})
@Index('workspace_search', { synchronize: false })
@Check('workspace_max_designs_check', 'max_designs >= 0')
@Check('workspace_max_environments_check', 'max_environments >= 0')
@Check('workspace_max_members_check', 'max_members >= 0')
@Check('workspace_max_deployments_per_day_check', 'max_deployments_per_day >= 0')
export class Workspace extends TenantEntity {
  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  description!: string;

  /** The user who created it. */
  @ForeignKey('User')
  @Column('uuid')
  owner!: string;

  @Column('text', { default: 'active' })
  status!: WorkspaceStatus;

  @Column('jsonb', { default: {} })
  metadata!: Record<string, unknown>;

  /** The user whose default workspace it is; it cannot be archived or deleted while they are a member. */
  @ForeignKey('User')
  @Column('uuid', { nullable: true })
  personalOf!: string | null;

  /** Quotas; null is unlimited. */
  @Column('integer', { nullable: true })
  maxDesigns!: number | null;

  @Column('integer', { nullable: true })
  maxEnvironments!: number | null;

  @Column('integer', { nullable: true })
  maxMembers!: number | null;

  @Column('integer', { nullable: true })
  maxDeploymentsPerDay!: number | null;

  static create(actor: Actor, input: WorkspaceFields): Workspace {
    return Object.assign(new Workspace(), {
      organizationId: input.organization_id,
      owner: actor.userId,
      name: input.name,
      description: input.description ?? '',
      status: 'active',
      metadata: input.metadata ?? {},
      personalOf: null,
      maxDesigns: null,
      maxEnvironments: null,
      maxMembers: null,
      maxDeploymentsPerDay: null,
    });
  }

  /** @throws Conflict WORKSPACE_ARCHIVED: an archived workspace is read-only */
  assertActive(): void {
    if (this.status === 'active') return;
    throw new Conflict('WORKSPACE_ARCHIVED', `workspace ${this.name} is archived`, {
      remedy: `Restore it first: POST /api/workspaces/${this.id}/restore.`,
    });
  }
}
