import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../core/database/base.entity.js';
import type { Health } from '../kubernetes/resources/health/health-status.js';
import type { PolicyViolation } from './plan/policy-violation.js';
import type { ResourceResult } from './apply/resource-result.js';

export const DEPLOYMENT_STATUSES = [
  'pending_approval',
  'queued',
  'running',
  'succeeded',
  'failed',
  'rolled_back',
  'undeployed',
  'cancelled',
] as const;
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number];

export const DEPLOYMENT_ACTIONS = ['deploy', 'undeploy', 'rollback'] as const;
export type DeploymentAction = (typeof DEPLOYMENT_ACTIONS)[number];

/** What became of one resource on one cluster. */
export type DeployedResource = Omit<ResourceResult, 'component'> & { connection_id: string };

export const APPROVAL_DECISIONS = ['approved', 'rejected'] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** What one person decided over a deployment that waited for approval, as the record keeps it. */
export interface DeploymentApproval {
  user_id: string;
  decision: ApprovalDecision;
  reason: string | null;
  at: string;
}

/** How the caller wants it done. */
export interface DeploymentOptions {
  namespace?: string;
  create_namespace?: boolean;
  /** Deploys to a different namespace than before, and removes the objects from the old one. */
  move?: boolean;
  /** Deletes and makes anew what cannot be changed in place. */
  replace?: boolean;
  delete_volumes?: boolean;
  /** Undeploys without the hooks of a chart. */
  skip_hooks?: boolean;
  wait?: boolean;
  /** Seconds for that waiting. */
  timeout?: number;
  atomic?: boolean;
  adopt?: boolean;
  force?: boolean;
  plan_id?: string;
  override_freeze?: boolean;
  /** What drifts is applied again. */
  self_heal?: boolean;
}

export const CLUSTER_OUTCOMES = ['deployed', 'undeployed', 'unchanged', 'partial'] as const;
export type ClusterOutcomeWord = (typeof CLUSTER_OUTCOMES)[number];

/** What stands on one cluster since a deployment ended, as the record keeps it. */
export interface DeployedCluster {
  connection_id: string;
  outcome: ClusterOutcomeWord;
}

/** Why it did not succeed, as the API answers it. */
export interface DeploymentFailure {
  status: number;
  code: string;
  detail: string;
  remedy?: string;
  /** The cluster that it failed on, where it was one. */
  connection_id?: string;
}

/** One deployment, undeployment or rollback of a design into an environment, from its request to its end. */
@Entity('deployment')
@Index('deployment_created', ['organizationId', 'createdAt', 'id'])
@Index('deployment_design', ['designId', 'createdAt', 'id'])
@Index('deployment_workspace', ['workspaceId', 'createdAt', 'id'])
@Index('deployment_search', { synchronize: false })
@Index('deployment_approval_expiry', ['approvalExpiresAt'], { where: "status = 'pending_approval'" })
@Index('deployment_unfinished', ['workspaceId', 'designId'], { where: 'finished_at IS NULL' })
export class Deployment extends TenantEntity {
  @ForeignKey('Workspace')
  @Column('uuid')
  workspaceId!: string;

  @ForeignKey('Design')
  @Column('uuid')
  designId!: string;

  /** The number of the version of the design. */
  @Column('integer')
  designVersion!: number;

  @ForeignKey('Environment')
  @Column('uuid')
  environmentId!: string;

  @Column('uuid', { array: true })
  connectionIds!: string[];

  @Column('text')
  name!: string;

  @Column('text')
  action!: DeploymentAction;

  @Column('text')
  status!: DeploymentStatus;

  @ForeignKey('User')
  @Column('uuid', { nullable: true })
  requestedBy!: string | null;

  @ForeignKey('User')
  @Column('uuid', { nullable: true })
  approvedBy!: string | null;

  /** Every decision, in the order in which they were made; `approvedBy` is whose approval was the last that it needed. */
  @Column('jsonb', { default: [] })
  approvals!: DeploymentApproval[];

  /** Until when it waits for approvals; null when it never waited for any. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  approvalExpiresAt!: Date | null;

  /** The deployment in another environment whose version this one deploys. */
  @ForeignKey('Deployment')
  @Column('uuid', { nullable: true })
  promotedFrom!: string | null;

  /** The job that does it; null while it waits for an approval. */
  @Column('uuid', { nullable: true })
  jobId!: string | null;

  @Column('jsonb', { default: {} })
  options!: DeploymentOptions;

  @Column('jsonb', { default: [] })
  resources!: DeployedResource[];

  /** Of each cluster, once it has ended. */
  @Column('jsonb', { default: [] })
  clusters!: DeployedCluster[];

  /** Of policies that only warn, as it was asked for. */
  @Column('jsonb', { default: [] })
  policyViolations!: PolicyViolation[];

  @Column('jsonb', { nullable: true })
  failure!: DeploymentFailure | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  startedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;

  /** Its position in the queue, from 1, where a store has looked it up and it waits in one. */
  queuePosition?: number;

  /** Of each of its resources how it is now, where that was looked up and the deployment stands. */
  resourceHealth?: (Health | null)[];

  get hasEnded(): boolean {
    return this.finishedAt !== null;
  }
}
