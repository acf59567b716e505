import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { Design } from '../../designs/design.entity.js';
import type { ActiveFreeze } from '../../environments/freezes/freezes.service.js';
import { Deployment, type DeploymentAction, type DeploymentOptions } from '../deployment.entity.js';
import { DeploymentRequested } from '../deployment.events.js';
import { DeploymentAdmissionService } from '../admission/deployment-admission.service.js';
import { approvalRequired, DeploymentRightsService } from '../admission/deployment-rights.service.js';
import type { FreezeOverride } from '../deployment.inputs.js';
import { DeploymentsStore } from '../deployments.store.js';
import { DeploymentQueueService } from './deployment-queue.service.js';
import type { Target } from '../targets/targets.service.js';

/** What is asked for, by somebody who may deploy the design at all. */
export interface DeploymentRequest {
  action: DeploymentAction;
  design: Design;
  /** Found once it is known that the environment may be reached: it may have to be made. */
  version: () => Promise<number>;
  target: Target;
  name: string;
  options: DeploymentOptions;
  requestApproval?: boolean;
  override: FreezeOverride;
}

/** Turns wishes into deployments that wait for their job or for an approval; production asks for an admin. */
@Injectable()
export class DeploymentRequestsService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly rights: DeploymentRightsService,
    private readonly admission: DeploymentAdmissionService,
    private readonly queue: DeploymentQueueService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Keeps what is asked for: queued, or waiting for an approval when that is asked for too.
   * @throws Forbidden APPROVAL_REQUIRED, Conflict when the workspace is archived, its quota is used up or the target is gone
   */
  async create(actor: Actor, request: DeploymentRequest): Promise<Deployment> {
    const { design, target, override } = request;
    const { organizationId } = design;
    const { workspaceId, environmentId } = target;
    const pending = Boolean(request.requestApproval);
    const place = { workspaceId, organizationId, environmentId };
    await this.rights.requireOverride(actor, override, organizationId);
    if (!pending) await this.rights.requireTier(actor, place, approvalRequired(request.action));
    const designVersion = await request.version();
    const subject = { ...place, designId: design.id, designVersion };
    const policyViolations = await this.admission.requireCompliance(actor, { ...subject, action: request.action });
    return this.unit.run(async () => {
      const deployment: Deployment = Object.assign(new Deployment(), {
        organizationId,
        workspaceId,
        designId: design.id,
        designVersion,
        environmentId,
        connectionIds: target.connectionIds,
        name: request.name,
        action: request.action,
        status: pending ? ('pending_approval' as const) : ('queued' as const),
        requestedBy: actor.userId,
        approvedBy: null,
        jobId: null,
        options: { ...request.options, ...(override.override_freeze ? { override_freeze: true } : {}) },
        resources: [],
        policyViolations,
        failure: null,
        startedAt: null,
        finishedAt: null,
      });
      const overridden = await this.admission.admit(actor, deployment);
      await this.deployments.insert(deployment);
      await this.events.publish(
        new DeploymentRequested(actor, deployment, {
          status: deployment.status,
          ...describeOverride(override, overridden),
        }),
      );
      return pending ? deployment : this.queue.enqueue(actor, deployment);
    });
  }
}

/** What the event of the request tells of an override. */
const describeOverride = ({ override_freeze: overrides, reason }: FreezeOverride, overridden?: ActiveFreeze): object =>
  overrides
    ? {
        override_freeze: true,
        reason,
        freeze: overridden && { id: overridden.freeze.id, name: overridden.freeze.name },
      }
    : {};
