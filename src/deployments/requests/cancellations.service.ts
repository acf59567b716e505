import { Injectable } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { JobsService } from '../../jobs/jobs.service.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentCancelled } from '../deployment.events.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentRightsService } from '../admission/deployment-rights.service.js';
import { DeploymentsStore } from '../deployments.store.js';

/** Cancels deployments. */
@Injectable()
export class CancellationsService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly rights: DeploymentRightsService,
    private readonly access: Access,
    private readonly jobs: JobsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Cancels a deployment: one that has not started ends at once; a running one ends as soon as possible, and is rolled back if `atomic`. The
   * requester may withdraw a request for approval. The job is locked before the deployment, as at the end of a job, to avoid a
   * deadlock.
   */
  async cancel(actor: Actor, id: string): Promise<Deployment> {
    const deployment = await this.authorize(actor, id);
    await this.unit.run(() => this.stop(actor, deployment));
    const now = await this.deployments.get(actor, id);
    if (now.hasEnded && now.status !== 'cancelled')
      throw new Conflict('DEPLOYMENT_ENDED', `the deployment is ${now.status} already`, {
        remedy: 'There is nothing to cancel. To remove its changes, roll it back or undeploy the design.',
      });
    return now;
  }

  /** @throws NotFound, Forbidden */
  async authorize(actor: Actor, id: string): Promise<Deployment> {
    assertScope(actor, deploymentPolicy.read);
    const deployment = await this.deployments.get(actor, id);
    const { workspaceId, organizationId, requestedBy, status } = deployment;
    const workspace = { type: 'workspace' as const, id: workspaceId, organizationId };
    const withdraws = status === 'pending_approval' && requestedBy === actor.userId;
    if (withdraws) await this.access.authorize(actor, deploymentPolicy.cancel, workspace);
    else await this.rights.requireAccess(actor, deploymentPolicy.cancel, deployment);
    return deployment;
  }

  /** Cancels all unfinished deployments of a workspace that is being archived. */
  async cancelByWorkspace(actor: Actor, workspaceId: string): Promise<void> {
    for (const deployment of await this.deployments.findUnfinished({ workspaceId })) await this.stop(actor, deployment);
  }

  /** Cancels a deployment in the open transaction; the caller has checked the rights. */
  async stop(actor: Actor, { id, jobId, hasEnded }: Deployment): Promise<void> {
    if (hasEnded) return;
    if (jobId) {
      await this.jobs.cancel(jobId);
      return;
    }
    const deployment = await this.deployments.getForUpdate(actor, id);
    if (deployment.hasEnded) return;
    if (deployment.jobId)
      throw new Conflict('CONCURRENT_CHANGE', 'the deployment has just been approved', { remedy: 'Repeat the call.' });
    await this.deployments.update(deployment, { status: 'cancelled', finishedAt: new Date() });
    await this.events.publish(new DeploymentCancelled(actor, deployment));
  }
}
