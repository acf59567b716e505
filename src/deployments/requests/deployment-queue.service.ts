import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { EventBus } from '../../core/events/event-bus.js';
import { JobsService } from '../../jobs/jobs.service.js';
import type { Deployment, DeploymentFailure } from '../deployment.entity.js';
import { DeploymentFailed } from '../deployment.events.js';
import { DeploymentsStore } from '../deployments.store.js';
import { deploymentJob } from './deployment-job.js';

/** Enqueues the job of an accepted deployment in the open transaction, or ends the deployment. */
@Injectable()
export class DeploymentQueueService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly jobs: JobsService,
    private readonly events: EventBus,
  ) {}

  async enqueue(actor: Actor, deployment: Deployment): Promise<Deployment> {
    const job = await this.jobs.enqueue(actor, deploymentJob(deployment));
    return this.deployments.update(deployment, { status: 'queued', jobId: job.id });
  }

  async refuse(actor: Actor, deployment: Deployment, refusal: DeploymentFailure): Promise<Deployment> {
    await this.deployments.update(deployment, { status: 'failed', failure: refusal, finishedAt: new Date() });
    const { code, detail } = refusal;
    await this.events.publish(new DeploymentFailed(actor, deployment, { status: 'failed', code, reason: detail }));
    return deployment;
  }
}
