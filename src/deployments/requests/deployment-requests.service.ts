import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { Design } from '../../designs/design.entity.js';
import type { ActiveFreeze } from '../../environments/freezes/freezes.service.js';
import { Deployment, type DeploymentAction, type DeploymentOptions } from '../deployment.entity.js';
import { DeploymentRequested } from '../deployment.events.js';
import { DeploymentAdmissionService } from '../admission/deployment-admission.service.js';
import { ApprovalRulesService } from '../admission/approval-rules.service.js';
import type { FreezeOverride } from '../deployment.inputs.js';
import { DeploymentsStore } from '../deployments.store.js';
import { StoredPlansService } from '../plans/stored-plans.service.js';
import { DeploymentQueueService } from './deployment-queue.service.js';
import type { DeployedVersions } from '../renderings/rendering.js';
import type { Target } from '../targets/targets.service.js';

/** The request of a user who has the right to deploy the design. */
export interface DeploymentRequest {
  action: DeploymentAction;
  design: Design;
  /** Called after the rights to the environment have been checked, because it may create a version. */
  version: () => Promise<DeployedVersions>;
  target: Target;
  name: string;
  options: DeploymentOptions;
  requestApproval?: boolean;
  override: FreezeOverride;
  /** The deployment in another environment that is promoted. */
  promotedFrom?: string;
}

/** Creates deployments, which wait for their job or for approval; production requires an admin. */
@Injectable()
export class DeploymentRequestsService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly approvals: ApprovalRulesService,
    private readonly admission: DeploymentAdmissionService,
    private readonly plans: StoredPlansService,
    private readonly queue: DeploymentQueueService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Creates a deployment, queued or, if the request asks for it, waiting for approval.
   * @throws Forbidden APPROVAL_REQUIRED, Conflict when the workspace is archived, its quota is used up or the target is gone
   */
  async create(actor: Actor, request: DeploymentRequest): Promise<Deployment> {
    const { design, target, override } = request;
    const { organizationId } = design;
    const { workspaceId, environmentId } = target;
    const pending = Boolean(request.requestApproval);
    const location = { workspaceId, organizationId, environmentId };
    await this.approvals.requireRequest(actor, request, location);
    const { designVersion, renderings } = await request.version();
    const subject = { ...location, designId: design.id, designVersion, renderings };
    const policyViolations = await this.admission.requireCompliance(actor, { ...subject, action: request.action });
    const deployment: Deployment = Object.assign(new Deployment(), {
      organizationId,
      workspaceId,
      designId: design.id,
      designVersion,
      renderings,
      environmentId,
      connectionIds: target.connectionIds,
      name: request.name,
      action: request.action,
      status: pending ? ('pending_approval' as const) : ('queued' as const),
      requestedBy: actor.userId,
      approvedBy: null,
      approvals: [],
      approvalExpiresAt: pending ? this.approvals.getExpiry() : null,
      promotedFrom: request.promotedFrom ?? null,
      jobId: null,
      options: { ...request.options, ...(override.override_freeze ? { override_freeze: true } : {}) },
      resources: [],
      clusters: [],
      policyViolations,
      failure: null,
      startedAt: null,
      finishedAt: null,
    });
    if (pending && deployment.action !== 'undeploy')
      deployment.options.plan_id ??= await this.plans.createForRequest(deployment);
    return this.unit.run(async () => {
      const overridden = await this.admission.admit(actor, deployment);
      await this.deployments.insert(deployment);
      await this.events.publish(
        new DeploymentRequested(actor, deployment, {
          status: deployment.status,
          ...(deployment.promotedFrom ? { promoted_from: deployment.promotedFrom } : {}),
          ...describeOverride(override, overridden),
        }),
      );
      return pending ? deployment : this.queue.enqueue(actor, deployment);
    });
  }
}

/** The freeze override for the event of the request. */
const describeOverride = ({ override_freeze: overrides, reason }: FreezeOverride, overridden?: ActiveFreeze): object =>
  overrides
    ? {
        override_freeze: true,
        reason,
        freeze: overridden && { id: overridden.freeze.id, name: overridden.freeze.name },
      }
    : {};
