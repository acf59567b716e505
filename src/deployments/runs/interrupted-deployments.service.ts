import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import type { FinishedJob } from '../../jobs/job.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { toSettled } from '../apply/resource-result.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentsStore } from '../deployments.store.js';
import { ChangeJournalsStore } from './change-journals.store.js';
import { DeploymentCompletionService } from './deployment-completion.service.js';
import type { DeploymentPayload } from '../requests/deployment-job.js';
import { toJobFailure } from './deployment-outcome.js';
import { UnfinishedRunsService } from './unfinished-runs.service.js';

const SYSTEM = Actor.system('deployment');

/** Ends deployments whose job ended without an outcome; their changes are undone in another job. */
@Injectable()
export class InterruptedDeploymentsService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly journals: ChangeJournalsStore,
    private readonly unfinished: UnfinishedRunsService,
    private readonly endings: DeploymentCompletionService,
    private readonly jobs: JobsService,
  ) {}

  /** Called at the end of every job, also after a crash of its worker, so that no deployment stays queued or running. */
  async handleJobEnd(job: FinishedJob<DeploymentPayload>): Promise<void> {
    const deployment = await this.deployments.lock(SYSTEM, job.payload.deployment);
    if (!deployment || deployment.hasEnded) return;
    const isGivenUp = deployment.failure !== null && job.status === 'failed';
    const failure = deployment.failure ?? toJobFailure(job);
    if (isGivenUp) await this.endings.complete(deployment.id, await this.unfinished.abandon(deployment));
    else if (await this.journals.isEmpty(deployment)) await this.completeWithoutChanges(deployment, { failure, job });
    else await this.deployments.update(deployment, { failure, jobId: (await this.jobs.enqueueAgain(job)).id });
  }

  private async completeWithoutChanges(
    deployment: Deployment,
    { failure, job }: { failure: Deployment['failure']; job: FinishedJob },
  ): Promise<void> {
    await this.endings.complete(deployment.id, {
      status: job.status === 'cancelled' ? 'cancelled' : 'failed',
      resources: deployment.resources.map(toSettled),
      failure,
      clusterStates: deployment.connectionIds.map((connectionId) => ({ connectionId, is: 'old' })),
    });
  }
}
