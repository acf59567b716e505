import { Column, Entity, ForeignKey, Index } from 'typeorm';
import type { Actor } from '../core/access/actor.js';
import { TenantEntity } from '../core/database/base.entity.js';

export const ENVIRONMENT_STATUSES = ['active', 'archived'] as const;
export type EnvironmentStatus = (typeof ENVIRONMENT_STATUSES)[number];

export const TIERS = ['production', 'staging', 'development'] as const;
export type Tier = (typeof TIERS)[number];

/** What counts as drift: differences in fields of a design, or also fields that people have added to its objects. */
export const DRIFT_MODES = ['fields', 'strict'] as const;
export type DriftMode = (typeof DRIFT_MODES)[number];

/** Who reads the logs of what is deployed to an environment: editors of the workspace, or viewers as well. */
export const LOG_READERS = ['editor', 'viewer'] as const;
export type LogReaders = (typeof LOG_READERS)[number];

/** The most approvals that a deployment into an environment can need. */
export const MAX_REQUIRED_APPROVALS = 5;

/** The number of admins who must approve a deployment into an environment: the configured one, else the default of its tier. */
export const countRequiredApprovals = ({
  tier,
  requiredApprovals,
}: Pick<Environment, 'tier' | 'requiredApprovals'>): number => requiredApprovals ?? (tier === 'production' ? 1 : 0);

/** The fields of a new environment. */
export interface EnvironmentFields {
  name: string;
  organization_id: string;
  description?: string | null;
  tier?: Tier;
  metadata?: Record<string, unknown> | null;
  required_approvals?: number | null;
  drift?: DriftMode;
  logs?: LogReaders;
}

/** A deployment target: a logical group of connections, possibly empty. */
@Entity('environment')
@Index('environment_created', ['organizationId', 'createdAt', 'id'], { where: 'deleted_at IS NULL' })
@Index('environment_name', ['organizationId', 'name', 'id'], { where: 'deleted_at IS NULL' })
@Index('environment_search', { synchronize: false })
export class Environment extends TenantEntity {
  @Column('text')
  name!: string;

  @Column('text', { default: '' })
  description!: string;

  /** The user who created it. */
  @ForeignKey('User')
  @Column('uuid')
  owner!: string;

  @Column('text', { default: 'active' })
  status!: EnvironmentStatus;

  @Column('text', { default: 'development' })
  tier!: Tier;

  /** Null for the default of the tier. */
  @Column('smallint', { nullable: true })
  requiredApprovals!: number | null;

  @Column('text', { default: 'fields' })
  drift!: DriftMode;

  @Column('text', { default: 'editor' })
  logs!: LogReaders;

  @Column('jsonb', { default: {} })
  metadata!: Record<string, unknown>;

  /** A new environment, active and without connections, owned by the actor. */
  static create(actor: Actor, input: EnvironmentFields): Environment {
    return Object.assign(new Environment(), {
      organizationId: input.organization_id,
      owner: actor.userId,
      name: input.name,
      description: input.description ?? '',
      status: 'active',
      tier: input.tier ?? 'development',
      requiredApprovals: input.required_approvals ?? null,
      drift: input.drift ?? 'fields',
      logs: input.logs ?? 'editor',
      metadata: input.metadata ?? {},
    });
  }
}
