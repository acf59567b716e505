import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/access/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { Conflict } from '../../core/errors/app-error.js';
import { DeploymentRightsService } from '../admission/deployment-rights.service.js';
import type { Deployment } from '../deployment.entity.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentsStore } from '../deployments.store.js';

/** Deployments that wait for an approval, for those who may give it. */
@Injectable()
export class PendingDeploymentsService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly rights: DeploymentRightsService,
  ) {}

  /** @throws NotFound, Forbidden */
  async get(actor: Actor, id: string): Promise<Deployment> {
    assertScope(actor, deploymentPolicy.read);
    const deployment = await this.deployments.get(actor, id);
    await this.rights.requireAccess(actor, deploymentPolicy.approve, deployment);
    return deployment;
  }

  /** The same, held until the end of the unit of work. @throws Conflict NOT_PENDING */
  async getForUpdate(actor: Actor, id: string): Promise<Deployment> {
    const deployment = await this.deployments.getForUpdate(actor, id);
    await this.rights.requireAccess(actor, deploymentPolicy.approve, deployment);
    if (deployment.status === 'pending_approval') return deployment;
    throw new Conflict('NOT_PENDING', `the deployment is ${deployment.status}, and waits for no approval`, {
      remedy: `Read how it stands: GET /api/deployments/${id}.`,
    });
  }
}
