import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { TenantEntity } from '../core/database/base.entity.js';
import type { DriftMode } from '../environments/environment.entity.js';
import type { Health } from '../kubernetes/resources/health/health-status.js';
import type { PolicyViolation } from './plan/policy-violation.js';
import type { Rendering } from './renderings/rendering.js';
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

/** The result for one resource on one cluster. */
export type DeployedResource = Omit<ResourceResult, 'component'> & { connection_id: string };

export const APPROVAL_DECISIONS = ['approved', 'rejected'] as const;
export type ApprovalDecision = (typeof APPROVAL_DECISIONS)[number];

/** The decision of one user on a deployment that waits for approval. */
export interface DeploymentApproval {
  user_id: string;
  decision: ApprovalDecision;
  reason: string | null;
  at: string;
}

/** The options of a deployment request. */
export interface DeploymentOptions {
  namespace?: string;
  create_namespace?: boolean;
  /** Deploys to another namespace than before, and deletes the objects from the previous one. */
  move?: boolean;
  /** Deletes and recreates objects that cannot be updated in place. */
  replace?: boolean;
  delete_volumes?: boolean;
  /** Undeploys without running the hooks of a chart. */
  skip_hooks?: boolean;
  wait?: boolean;
  /** Timeout of `wait`, or until an undeployed design is gone, in seconds. */
  timeout?: number;
  atomic?: boolean;
  adopt?: boolean;
  force?: boolean;
  plan_id?: string;
  /** Why a request for approval has no plan: a cluster could not be asked. */
  plan_error?: DeploymentFailure;
  override_freeze?: boolean;
  /** Why it was requested. */
  reason?: string;
  /** Applies resources that have drifted again. */
  self_heal?: boolean;
  /** What counts as drift; by default what the environment says. */
  drift?: DriftMode;
}

export const CLUSTER_OUTCOMES = ['deployed', 'undeployed', 'unchanged', 'partial'] as const;
export type ClusterOutcomeWord = (typeof CLUSTER_OUTCOMES)[number];

/** What is deployed on one cluster after a deployment has ended. */
export interface DeployedCluster {
  connection_id: string;
  outcome: ClusterOutcomeWord;
}

/** Why a deployment failed, as the API returns it. */
export interface DeploymentFailure {
  status: number;
  code: string;
  detail: string;
  remedy?: string;
  /** The cluster on which it failed; absent when the failure concerns no single cluster. */
  connection_id?: string;
}

/** One deployment, undeployment or rollback of a design in an environment, from the request to the end. */
@Entity('deployment')
@Index('deployment_created', ['organizationId', 'createdAt', 'id'])
@Index('deployment_design', ['designId', 'createdAt', 'id'])
@Index('deployment_workspace', ['workspaceId', 'createdAt', 'id'])
@Index('deployment_search', { synchronize: false })
@Index('deployment_failed', { synchronize: false })
@Index('deployment_plan_id', { synchronize: false })
@Index('deployment_approval_expiry', ['approvalExpiresAt'], { where: "status = 'pending_approval'" })
@Index('deployment_unfinished', ['workspaceId', 'designId'], { where: 'finished_at IS NULL' })
export class Deployment extends TenantEntity {
  @ForeignKey('Workspace')
  @Column('uuid')
  workspaceId!: string;

  @ForeignKey('Design')
  @Column('uuid')
  designId!: string;

  /** The version number of the design; of a chart, that of its rendering for the first cluster. */
  @Column('integer')
  designVersion!: number;

  /** Of a chart: its rendering for each cluster, by connection. */
  @Column('jsonb', { default: {} })
  renderings!: Record<string, Rendering>;

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

  /** All decisions in the order in which they were made; `approvedBy` is the user who gave the last required approval. */
  @Column('jsonb', { default: [] })
  approvals!: DeploymentApproval[];

  /** When the request for approval expires; null for a deployment that never waited for approval. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  approvalExpiresAt!: Date | null;

  /** The deployment in another environment from which this one was promoted. */
  @ForeignKey('Deployment')
  @Column('uuid', { nullable: true })
  promotedFrom!: string | null;

  /** The job that runs it; null while the deployment waits for approval. */
  @Column('uuid', { nullable: true })
  jobId!: string | null;

  @Column('jsonb', { default: {} })
  options!: DeploymentOptions;

  @Column('jsonb', { default: [] })
  resources!: DeployedResource[];

  /** One entry for each cluster; empty until the deployment has ended. */
  @Column('jsonb', { default: [] })
  clusters!: DeployedCluster[];

  /** Violations of policies that only warn, found when the deployment was requested. */
  @Column('jsonb', { default: [] })
  policyViolations!: PolicyViolation[];

  @Column('jsonb', { nullable: true })
  failure!: DeploymentFailure | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  startedAt!: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  finishedAt!: Date | null;

  /** The position in the queue, from 1; set by the store for a queued deployment on request. */
  queuePosition?: number;

  /** The current health of each resource; set by DeploymentHealthService for the current deployment of a cluster. */
  resourceHealth?: (Health | null)[];

  get hasEnded(): boolean {
    return this.finishedAt !== null;
  }
}
