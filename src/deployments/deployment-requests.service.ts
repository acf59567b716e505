import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { EventBus } from '../core/events/event-bus.js';
import type { Design } from '../designs/design.entity.js';
import { JobsService } from '../jobs/jobs.service.js';
import { WorkspaceQuotasService } from '../workspaces/quotas/workspace-quotas.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { Deployment, type DeploymentAction, type DeploymentOptions } from './deployment.entity.js';
import { DeploymentRequested } from './deployment.events.js';
import { DeploymentAdmissionService } from './deployment-admission.service.js';
import { DeploymentRightsService } from './deployment-rights.service.js';
import { DeploymentsStore } from './deployments.store.js';
import { deploymentJob } from './runs/deployment-job.js';
import type { Target } from './targets/targets.service.js';

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
}

/** Turns wishes into deployments that wait for their job or for an approval; production asks for an admin. */
@Injectable()
export class DeploymentRequestsService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotasService,
    private readonly jobs: JobsService,
    private readonly rights: DeploymentRightsService,
    private readonly admission: DeploymentAdmissionService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Keeps what is asked for: queued, or waiting for an approval when that is asked for too.
   * @throws Forbidden APPROVAL_REQUIRED, Conflict when the workspace is archived, its quota is used up or the target is gone
   */
  async create(actor: Actor, request: DeploymentRequest): Promise<Deployment> {
    const { design, target } = request;
    const { organizationId } = design;
    const { workspaceId, environmentId } = target;
    const pending = Boolean(request.requestApproval);
    if (!pending) await this.rights.requireTier(actor, { workspaceId, organizationId, environmentId });
    const designVersion = await request.version();
    return this.unit.run(async () => {
      const held = await this.workspaces.lockActive(actor, workspaceId);
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
        options: request.options,
        resources: [],
        failure: null,
        startedAt: null,
        finishedAt: null,
      });
      await this.admission.requireTarget(deployment);
      if (request.action === 'deploy') await this.quotas.assertWithinLimit(held, 'max_deployments_per_day');
      await this.deployments.insert(deployment);
      await this.events.publish(new DeploymentRequested(actor, deployment, { status: deployment.status }));
      return pending ? deployment : this.enqueue(actor, deployment);
    });
  }

  async enqueue(actor: Actor, deployment: Deployment): Promise<Deployment> {
    const job = await this.jobs.enqueue(actor, deploymentJob(deployment));
    return this.deployments.update(deployment, { status: 'queued', jobId: job.id });
  }
}
