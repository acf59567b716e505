import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { Conflict } from '../../core/errors/app-error.js';
import { DeploymentRightsService } from '../admission/deployment-rights.service.js';
import type { Deployment } from '../deployment.entity.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentsStore } from '../deployments.store.js';
import { assertNotOwnRequest } from '../own-request.js';

/** Deployments that wait for approval, for users who may approve them. */
@Injectable()
export class PendingDeploymentsService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly rights: DeploymentRightsService,
  ) {}

  /** @throws NotFound; Forbidden, with OWN_REQUEST for the requester of a pending deployment, PERSON_REQUIRED for a service account */
  async get(actor: Actor, id: string): Promise<Deployment> {
    assertScope(actor, deploymentPolicy.read);
    return this.authorize(actor, await this.deployments.get(actor, id));
  }

  /** As `get`, and locks the row until the end of the transaction. @throws Conflict NOT_PENDING, APPROVAL_EXPIRED */
  async getForUpdate(actor: Actor, id: string): Promise<Deployment> {
    const deployment = await this.authorize(actor, await this.deployments.getForUpdate(actor, id));
    if (deployment.status !== 'pending_approval')
      throw new Conflict('NOT_PENDING', `the deployment is ${deployment.status} and does not wait for approval`, {
        remedy: `Read its status: GET /api/deployments/${id}.`,
      });
    if (deployment.approvalExpiresAt && deployment.approvalExpiresAt <= new Date())
      throw new Conflict('APPROVAL_EXPIRED', 'the deployment waited too long for its approvals', {
        remedy: 'Request it again.',
      });
    return deployment;
  }

  private async authorize(actor: Actor, deployment: Deployment): Promise<Deployment> {
    await this.rights.requireAccess(actor, deploymentPolicy.approve, deployment);
    assertNotOwnRequest(actor, deployment);
    return deployment;
  }
}
