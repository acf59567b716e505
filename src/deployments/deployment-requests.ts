import { Injectable } from '@nestjs/common';
import { Access } from '../core/access/access.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Forbidden } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import type { Design } from '../designs/design.entity.js';
import type { Tier } from '../environments/environment.entity.js';
import { Jobs } from '../jobs/jobs.js';
import { WorkspaceQuotas } from '../workspaces/quotas/workspace-quotas.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { Deployment, type DeploymentAction, type DeploymentOptions } from './deployment.entity.js';
import { DeploymentRequested } from './deployment.events.js';
import { deploymentPolicy } from './deployment.policy.js';
import { DeploymentsStore } from './deployments.store.js';
import { deploymentJob } from './runs/deployment-job.js';
import type { Target } from './targets/targets.js';

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
export class DeploymentRequests {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly workspaces: WorkspacesService,
    private readonly quotas: WorkspaceQuotas,
    private readonly jobs: Jobs,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Keeps what is asked for: queued, or waiting for an approval when that is asked for too.
   * @throws Forbidden APPROVAL_REQUIRED, Conflict when the workspace is archived or its quota is used up
   */
  async make(actor: Actor, request: DeploymentRequest): Promise<Deployment> {
    const { design, target } = request;
    const { workspaceId, organizationId } = design;
    const pending = Boolean(request.requestApproval);
    if (!pending) await this.mustReach(actor, target.tier, design);
    const designVersion = await request.version();
    return this.unit.run(async () => {
      const held = await this.workspaces.mustBeActive(actor, workspaceId);
      if (request.action === 'deploy') await this.quotas.admit(held, 'max_deployments_per_day');
      const deployment = await this.deployments.insert(
        Object.assign(new Deployment(), {
          organizationId,
          workspaceId,
          designId: design.id,
          designVersion,
          environmentId: target.environmentId,
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
        }),
      );
      await this.events.publish(new DeploymentRequested(actor, deployment, { status: deployment.status }));
      return pending ? deployment : this.enqueue(actor, deployment);
    });
  }

  async enqueue(actor: Actor, deployment: Deployment): Promise<Deployment> {
    const job = await this.jobs.enqueue(actor, deploymentJob(deployment));
    return this.deployments.update(deployment, { status: 'queued', jobId: job.id });
  }

  /** @throws Forbidden APPROVAL_REQUIRED when the tier is production and the actor is no admin of the workspace */
  async mustReach(
    actor: Actor,
    tier: Tier,
    { workspaceId, organizationId }: { workspaceId: string; organizationId: string },
  ): Promise<void> {
    if (tier !== 'production') return;
    const workspace = { type: 'workspace' as const, id: workspaceId, organizationId };
    await this.access.require(actor, deploymentPolicy.actOnProduction, workspace).catch((error: unknown) => {
      if (!(error instanceof Forbidden) || error.code !== 'FORBIDDEN') throw error;
      throw new Forbidden('acting on production needs an admin of the workspace', {
        code: 'APPROVAL_REQUIRED',
        remedy: 'Send request_approval: true, and let an admin of the workspace approve.',
      });
    });
  }
}
