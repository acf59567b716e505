import { ObjectType } from '@nestjs/graphql';
import { PaginatedView } from '../core/listing/page.js';
import {
  IdField,
  IntField,
  MapField,
  MapsField,
  RecordField,
  RecordsField,
  TextField,
  TextsField,
  TimeField,
  EnumField,
  graphqlEnum,
} from '../core/schema/view-fields.js';
import { RecordView } from '../core/schema/record.view.js';
import { PolicyViolationView } from '../designs/enrichment/policy-violation.view.js';
import {
  APPROVAL_DECISIONS,
  CLUSTER_OUTCOMES,
  type ClusterOutcomeWord,
  type DeploymentFailure,
  type ApprovalDecision,
  type DeployedResource,
  type Deployment,
  type DeploymentApproval,
  DEPLOYMENT_ACTIONS,
  DEPLOYMENT_STATUSES,
  type DeploymentStatus,
} from './deployment.entity.js';
import { findWorstHealth, type Health } from '../kubernetes/resources/health/health-status.js';
import { KeptObjectView } from './kept-object.view.js';
import { ResourceErrorView } from './resource-error.view.js';
import { ResourceHealthView } from './resource-health.view.js';
import { RESOURCE_STATUSES } from './apply/resource-result.js';
import { RESOURCE_ACTIONS } from './plan/planned-resource.js';

const DeploymentStatusEnum = graphqlEnum('DeploymentStatus', DEPLOYMENT_STATUSES, 'The status of a deployment.');
const DeploymentActionEnum = graphqlEnum('DeploymentAction', DEPLOYMENT_ACTIONS, 'What a deployment does.');
const ApprovalDecisionEnum = graphqlEnum('ApprovalDecision', APPROVAL_DECISIONS, 'What an approver decided.');
const ResourceActionEnum = graphqlEnum('ResourceAction', RESOURCE_ACTIONS, 'What a deployment does with one object.');
const ResourceStatusEnum = graphqlEnum('ResourceStatus', RESOURCE_STATUSES, 'The status of one object.');

@ObjectType('DeployedResource', { description: 'An object of a deployment.' })
export class DeployedResourceView {
  @TextField()
  api_version!: string;

  @TextField()
  kind!: string;

  @TextField({ nullable: true })
  namespace!: string | null;

  @TextField()
  name!: string;

  @IdField()
  connection_id!: string;

  @EnumField(ResourceActionEnum)
  action!: string;

  @EnumField(ResourceStatusEnum)
  status!: string;

  @TextField({ nullable: true, description: 'Of a hook of a chart: the phase in which it is run.' })
  hook!: string | null;

  @TextField({ nullable: true, description: 'What the object waits for, or why it is kept.' })
  message!: string | null;

  @MapField({ of: () => ResourceErrorView, nullable: true, description: 'Why it failed.' })
  error!: object | null;

  @RecordField(() => ResourceHealthView, {
    nullable: true,
    description:
      'How the object is now, as the watch of its cluster sees it; null for kinds that have no health, and once a later deployment has replaced this one.',
  })
  health!: ResourceHealthView | null;

  static fromResource(this: void, resource: DeployedResource, health: Health | null): DeployedResourceView {
    return Object.assign(new DeployedResourceView(), resource, {
      hook: resource.hook ?? null,
      message: resource.message ?? null,
      error: resource.error ?? null,
      health: health && Object.assign(new ResourceHealthView(), health),
    });
  }
}

@ObjectType('DeploymentApproval', { description: 'The decision of one person over a deployment.' })
export class DeploymentApprovalView {
  @IdField()
  user_id!: string;

  @EnumField(ApprovalDecisionEnum, { description: 'Whether it was approved or rejected.' })
  decision!: ApprovalDecision;

  @TextField({ nullable: true, description: 'Why, as the approver wrote it.' })
  reason!: string | null;

  @TimeField({ description: 'When it was decided.' })
  at!: Date;

  static fromApproval(this: void, { at, ...approval }: DeploymentApproval): DeploymentApprovalView {
    return Object.assign(new DeploymentApprovalView(), approval, { at: new Date(at) });
  }
}

/** Why a deployment did not succeed. */
export class DeploymentFailureView implements DeploymentFailure {
  @IntField({ rest: true, description: 'The HTTP status of the response that reports it.' })
  status!: number;

  @TextField({ rest: true, description: 'The error code.' })
  code!: string;

  @TextField({ rest: true, description: 'What failed.' })
  detail!: string;

  @TextField({ rest: true, optional: true, description: 'What can be done about it.' })
  remedy?: string;

  @IdField({ rest: true, optional: true, description: 'The cluster on which it failed, if it was a single one.' })
  connection_id?: string;
}

const ClusterOutcomeEnum = graphqlEnum(
  'ClusterOutcome',
  CLUSTER_OUTCOMES,
  'The state of a cluster after a deployment.',
);

@ObjectType('DeployedCluster', { description: 'How a deployment ended on one cluster.' })
export class DeployedClusterView {
  @IdField()
  connection_id!: string;

  @EnumField(ClusterOutcomeEnum, {
    description:
      'deployed or undeployed as requested; unchanged, or rolled back; partial where only part of it was done.',
  })
  outcome!: ClusterOutcomeWord;

  @MapField({ of: () => DeploymentFailureView, nullable: true, description: 'Why the deployment failed there.' })
  error!: DeploymentFailure | null;

  static fromDeployment(this: void, { clusters, failure }: Deployment): DeployedClusterView[] {
    return clusters.map((cluster) =>
      Object.assign(new DeployedClusterView(), cluster, {
        error: failure?.connection_id === cluster.connection_id ? failure : null,
      }),
    );
  }
}

@ObjectType('Deployment', { description: 'A design that is deployed to an environment, or was.' })
export class DeploymentView extends RecordView {
  @TextField({ description: "The deployment's label." })
  name!: string;

  @EnumField(DeploymentActionEnum)
  action!: string;

  @IdField()
  design_id!: string;

  @IntField({ description: 'The number of the version of the design.' })
  design_version!: number;

  @IdField()
  environment_id!: string;

  @IdField()
  workspace_id!: string;

  @IdField()
  organization_id!: string;

  @TextsField({ description: 'Ids of the connections it goes through.' })
  connections!: string[];

  @EnumField(DeploymentStatusEnum)
  status!: DeploymentStatus;

  @IntField({
    nullable: true,
    description: 'Its position in the queue of the same design and environment; 1 is next.',
  })
  queue_position!: number | null;

  @IdField({ nullable: true })
  requested_by!: string | null;

  @IdField({ nullable: true, description: 'The user who gave the last approval that was required.' })
  approved_by!: string | null;

  @TextField({ nullable: true, description: 'Why it was requested, as the requester wrote it.' })
  reason!: string | null;

  @RecordsField(() => DeploymentApprovalView, { description: 'Who approved or rejected it, when and why.' })
  approvals!: DeploymentApprovalView[];

  @TimeField({ nullable: true, description: 'Until when it waits for approvals; null when it never waited for any.' })
  approval_expires_at!: Date | null;

  @IdField({
    nullable: true,
    description:
      'The plan that it applies exactly; of a request for approval the one that was made with it, null when a cluster could not be asked.',
  })
  plan_id!: string | null;

  @MapField({
    of: () => DeploymentFailureView,
    nullable: true,
    description:
      'Why a request for approval has no plan: a cluster could not be asked. Approved, it is planned when it is deployed, and whoever approves does not see before what it changes.',
  })
  plan_error!: DeploymentFailure | null;

  @IdField({ nullable: true, description: 'The deployment in another environment that it was promoted from.' })
  promoted_from!: string | null;

  @RecordsField(() => DeployedResourceView, { description: 'What is deployed, object by object.' })
  resources!: DeployedResourceView[];

  @RecordsField(() => KeptObjectView, { description: 'What was left on the clusters, and why.' })
  kept!: KeptObjectView[];

  @RecordField(() => ResourceHealthView, {
    nullable: true,
    description:
      'The worst health of its objects; null when none has a health, or a later deployment has replaced this one.',
  })
  health!: ResourceHealthView | null;

  @RecordsField(() => DeployedClusterView, { description: 'How it ended, cluster by cluster.' })
  clusters!: DeployedClusterView[];

  @MapsField({ of: () => PolicyViolationView, description: 'What does not comply with policies that only warn.' })
  policy_violations!: object[];

  @MapField({ of: () => DeploymentFailureView, nullable: true, description: 'Why it did not succeed.' })
  error!: DeploymentFailure | null;

  @TextsField({ rest: true, description: 'What a chart could not look up on the clusters.' })
  warnings!: string[];

  @TimeField({ nullable: true })
  started_at!: Date | null;

  @TimeField({ nullable: true })
  finished_at!: Date | null;

  static fromEntity(this: void, deployment: Deployment): DeploymentView {
    return RecordView.assignRecord(new DeploymentView(), deployment, {
      name: deployment.name,
      action: deployment.action,
      design_id: deployment.designId,
      design_version: deployment.designVersion,
      environment_id: deployment.environmentId,
      workspace_id: deployment.workspaceId,
      organization_id: deployment.organizationId,
      connections: deployment.connectionIds,
      status: deployment.status,
      queue_position: deployment.queuePosition ?? null,
      requested_by: deployment.requestedBy,
      approved_by: deployment.approvedBy,
      reason: deployment.options.reason ?? null,
      approvals: deployment.approvals.map(DeploymentApprovalView.fromApproval),
      approval_expires_at: deployment.approvalExpiresAt,
      plan_id: deployment.options.plan_id ?? null,
      plan_error: deployment.options.plan_error ?? null,
      promoted_from: deployment.promotedFrom,
      resources: deployment.resources.map((resource, index) =>
        DeployedResourceView.fromResource(resource, deployment.resourceHealth?.[index] ?? null),
      ),
      kept: KeptObjectView.fromResources(deployment.resources),
      health: findWorst(deployment),
      clusters: DeployedClusterView.fromDeployment(deployment),
      policy_violations: deployment.policyViolations,
      error: deployment.failure,
      warnings: Object.values(deployment.renderings).flatMap(({ warnings }) => warnings),
      started_at: deployment.startedAt,
      finished_at: deployment.finishedAt,
    });
  }
}

/** The worst health of all resources, with the resource that has it. */
function findWorst({ resources, resourceHealth = [] }: Deployment): ResourceHealthView | null {
  const status = findWorstHealth(resourceHealth.map((health) => health?.status ?? null));
  const worst = resourceHealth.findIndex((health) => health?.status === status);
  const [resource, message] = [resources[worst], resourceHealth[worst]?.message];
  if (!status || !resource) return null;
  return Object.assign(new ResourceHealthView(), {
    status,
    message: message ? `${resource.kind} ${resource.name}: ${message}` : null,
  });
}

export const DeploymentPage = PaginatedView(DeploymentView, 'deployments', 'DeploymentPage');
