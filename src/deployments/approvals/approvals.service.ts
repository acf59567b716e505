import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Forbidden } from '../../core/errors/app-error.js';
import { CancellationsService } from '../requests/cancellations.service.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentAdmissionService } from '../admission/deployment-admission.service.js';
import { DeploymentsStore } from '../deployments.store.js';
import { DeploymentQueueService } from '../requests/deployment-queue.service.js';
import { PendingDeploymentsService } from './pending-deployments.service.js';

/** Decides over deployments that wait for an approval. */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly pending: PendingDeploymentsService,
    private readonly deployments: DeploymentsStore,
    private readonly admission: DeploymentAdmissionService,
    private readonly queue: DeploymentQueueService,
    private readonly cancellations: CancellationsService,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * Only another admin than the one who asked approves. What may not go ahead any more is not begun: it ends with the reason.
   * @throws Forbidden, with OWN_REQUEST for the requester; Conflict NOT_PENDING, ENVIRONMENT_FROZEN, POLICY_VIOLATION
   */
  async approve(actor: Actor, id: string): Promise<Deployment> {
    const requested = await this.pending.get(actor, id);
    const { workspaceId } = requested;
    if (requested.status === 'pending_approval') await this.admission.requireCompliance(actor, requested);
    return this.unit.run(async () => {
      await this.admission.lockWorkspace(actor, workspaceId);
      const deployment = await this.pending.getForUpdate(actor, id);
      if (deployment.requestedBy === actor.userId)
        throw new Forbidden('whoever asked for a deployment cannot approve it', {
          code: 'OWN_REQUEST',
          remedy: 'Ask another admin of the workspace.',
        });
      await this.admission.requireOpen(deployment);
      const refusal = await this.admission.findRefusal({ ...deployment, approvedBy: actor.userId });
      if (refusal) return this.queue.refuse(actor, deployment, refusal);
      await this.deployments.update(deployment, { approvedBy: actor.userId });
      return this.queue.enqueue(actor, deployment);
    });
  }

  async reject(actor: Actor, id: string): Promise<Deployment> {
    await this.pending.get(actor, id);
    return this.unit.run(async () => {
      await this.cancellations.stop(actor, await this.pending.getForUpdate(actor, id));
      return this.deployments.get(actor, id);
    });
  }
}
