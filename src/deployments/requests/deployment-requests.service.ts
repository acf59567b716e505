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
import { PlanCreationService } from '../plans/plan-creation.service.js';
import { DeploymentQueueService } from './deployment-queue.service.js';
import type { NewValue } from '../plans/requested-versions.service.js';
import type { DeployedVersions } from '../renderings/rendering.js';
import type { Target } from '../targets/targets.service.js';

/** The request of a user who has the right to deploy the design. */
export interface DeploymentRequest {
  action: DeploymentAction;
  design: Design;
  /** Called after the request has been admitted, because it may create a version and ask the clusters. */
  version: () => Promise<DeployedVersions & { newValues?: NewValue[] }>;
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
    private readonly plans: PlanCreationService,
    private readonly queue: DeploymentQueueService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Creates a deployment, queued or, if the request asks for it, waiting for approval. It is admitted before anything is rendered or a
   * cluster is asked, and again in the transaction that creates it, since that may take a while.
   * @throws Forbidden APPROVAL_REQUIRED, Conflict when the workspace is archived, its quota is used up or the target is gone
   */
  async create(actor: Actor, request: DeploymentRequest): Promise<Deployment> {
    const { design, target, override } = request;
    const { organizationId } = design;
    const { workspaceId, environmentId } = target;
    const pending = Boolean(request.requestApproval);
    const location = { workspaceId, organizationId, environmentId };
    await this.approvals.requireRequest(actor, request, location);
    const subject = {
      ...location,
      designId: design.id,
      connectionIds: target.connectionIds,
      action: request.action,
      status: pending ? ('pending_approval' as const) : ('queued' as const),
      requestedBy: actor.userId,
      approvals: [],
      options: {
        ...request.options,
        ...(override.override_freeze ? { override_freeze: true } : {}),
        reason: override.reason?.trim() || undefined,
      },
    };
    await this.unit.run(() => this.admission.admit(actor, subject));
    const { designVersion, renderings, newValues = [] } = await request.version();
    const versions = { designVersion, renderings };
    const policyViolations = await this.admission.requireCompliance(actor, { ...subject, ...versions });
    const deployment: Deployment = Object.assign(new Deployment(), {
      ...subject,
      ...versions,
      name: request.name,
      approvedBy: null,
      approvalExpiresAt: pending ? this.approvals.getExpiry() : null,
      promotedFrom: request.promotedFrom ?? null,
      jobId: null,
      resources: [],
      clusters: [],
      policyViolations,
      failure: null,
      startedAt: null,
      finishedAt: null,
    });
    if (pending && deployment.action !== 'undeploy' && !deployment.options.plan_id)
      Object.assign(deployment.options, await this.plans.createForRequest(actor, deployment, target, newValues));
    return this.unit.run(async () => {
      const overridden = await this.admission.admit(actor, deployment);
      await this.deployments.insert(deployment);
      await this.events.publish(
        new DeploymentRequested(actor, deployment, {
          status: deployment.status,
          ...(deployment.options.reason ? { reason: deployment.options.reason } : {}),
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
