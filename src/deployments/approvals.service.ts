import { Injectable } from '@nestjs/common';
import { requireScope } from '../core/access/access.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict, Forbidden } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { CancellationsService } from './cancellations.service.js';
import type { Deployment } from './deployment.entity.js';
import { DeploymentFailed } from './deployment.events.js';
import { deploymentPolicy } from './deployment.policy.js';
import { DeploymentAdmission } from './deployment-admission.js';
import { DeploymentRequests } from './deployment-requests.js';
import { DeploymentRights } from './deployment-rights.js';
import { DeploymentsStore } from './deployments.store.js';

/** Decides over deployments that wait for an approval. */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly workspaces: WorkspacesService,
    private readonly rights: DeploymentRights,
    private readonly admission: DeploymentAdmission,
    private readonly requests: DeploymentRequests,
    private readonly cancellations: CancellationsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Only another admin than the one who asked approves. What may not go ahead any more is not begun: it ends with the reason.
   * @throws Forbidden, with OWN_REQUEST for the requester; Conflict NOT_PENDING
   */
  async approve(actor: Actor, id: string): Promise<Deployment> {
    const { workspaceId } = await this.judged(actor, id);
    return this.unit.run(async () => {
      await this.workspaces.mustBeActive(actor, workspaceId);
      const deployment = await this.pending(actor, id);
      if (deployment.requestedBy === actor.userId)
        throw new Forbidden('whoever asked for a deployment cannot approve it', {
          code: 'OWN_REQUEST',
          remedy: 'Ask another admin of the workspace.',
        });
      const refusal = await this.admission.refusal({ ...deployment, approvedBy: actor.userId });
      if (!refusal) {
        await this.deployments.update(deployment, { approvedBy: actor.userId });
        return this.requests.enqueue(actor, deployment);
      }
      await this.deployments.update(deployment, { status: 'failed', failure: refusal, finishedAt: new Date() });
      const { code, detail } = refusal;
      await this.events.publish(new DeploymentFailed(actor, deployment, { status: 'failed', code, reason: detail }));
      return deployment;
    });
  }

  async reject(actor: Actor, id: string): Promise<Deployment> {
    await this.judged(actor, id);
    return this.unit.run(async () => {
      await this.cancellations.stop(actor, await this.pending(actor, id));
      return this.deployments.get(actor, id);
    });
  }

  private async judged(actor: Actor, id: string): Promise<Deployment> {
    requireScope(actor, deploymentPolicy.read);
    const deployment = await this.deployments.get(actor, id);
    await this.rights.require(actor, deploymentPolicy.approve, deployment);
    return deployment;
  }

  private async pending(actor: Actor, id: string): Promise<Deployment> {
    const deployment = await this.deployments.getForUpdate(actor, id);
    await this.rights.require(actor, deploymentPolicy.approve, deployment);
    if (deployment.status === 'pending_approval') return deployment;
    throw new Conflict('NOT_PENDING', `the deployment is ${deployment.status}, and waits for no approval`);
  }
}
