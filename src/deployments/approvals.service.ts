import { Injectable } from '@nestjs/common';
import { assertScope } from '../core/access/access.service.js';
import type { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict, Forbidden } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import { CancellationsService } from './cancellations.service.js';
import type { Deployment } from './deployment.entity.js';
import { DeploymentFailed } from './deployment.events.js';
import { deploymentPolicy } from './deployment.policy.js';
import { DeploymentAdmissionService } from './deployment-admission.service.js';
import { DeploymentRequestsService } from './deployment-requests.service.js';
import { DeploymentRightsService } from './deployment-rights.service.js';
import { DeploymentsStore } from './deployments.store.js';

/** Decides over deployments that wait for an approval. */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly workspaces: WorkspacesService,
    private readonly rights: DeploymentRightsService,
    private readonly admission: DeploymentAdmissionService,
    private readonly requests: DeploymentRequestsService,
    private readonly cancellations: CancellationsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Only another admin than the one who asked approves. What may not go ahead any more is not begun: it ends with the reason.
   * @throws Forbidden, with OWN_REQUEST for the requester; Conflict NOT_PENDING
   */
  async approve(actor: Actor, id: string): Promise<Deployment> {
    const { workspaceId } = await this.getForDecision(actor, id);
    return this.unit.run(async () => {
      await this.workspaces.lockActive(actor, workspaceId);
      const deployment = await this.getPendingForUpdate(actor, id);
      if (deployment.requestedBy === actor.userId)
        throw new Forbidden('whoever asked for a deployment cannot approve it', {
          code: 'OWN_REQUEST',
          remedy: 'Ask another admin of the workspace.',
        });
      const refusal = await this.admission.findRefusal({ ...deployment, approvedBy: actor.userId });
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
    await this.getForDecision(actor, id);
    return this.unit.run(async () => {
      await this.cancellations.stop(actor, await this.getPendingForUpdate(actor, id));
      return this.deployments.get(actor, id);
    });
  }

  private async getForDecision(actor: Actor, id: string): Promise<Deployment> {
    assertScope(actor, deploymentPolicy.read);
    const deployment = await this.deployments.get(actor, id);
    await this.rights.requireAccess(actor, deploymentPolicy.approve, deployment);
    return deployment;
  }

  private async getPendingForUpdate(actor: Actor, id: string): Promise<Deployment> {
    const deployment = await this.deployments.getForUpdate(actor, id);
    await this.rights.requireAccess(actor, deploymentPolicy.approve, deployment);
    if (deployment.status === 'pending_approval') return deployment;
    throw new Conflict('NOT_PENDING', `the deployment is ${deployment.status}, and waits for no approval`);
  }
}
