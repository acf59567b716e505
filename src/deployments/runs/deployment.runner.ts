import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { JobAborted } from '../../jobs/job-aborted.js';
import type { Job } from '../../jobs/job.js';
import type { JobContext } from '../../jobs/job-handler.registry.js';
import { toDeploymentError } from '../deployment-error.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentsStore } from '../deployments.store.js';
import { ClusterRunsService } from './cluster-runs.service.js';
import { DeploymentCompletionService } from './deployment-completion.service.js';
import type { DeploymentPayload } from '../requests/deployment-job.js';
import { type DeploymentOutcome, isUndoneAfter, toDeploymentOutcome } from './deployment-outcome.js';
import { DeploymentStartService } from './deployment-start.service.js';
import { UnfinishedRunsService } from './unfinished-runs.service.js';

/**
 * Runs deployments as jobs. A failed deployment is undone in the same job or, if that was killed or cancelled, in another job that
 * runs before all other deployments to the same destination.
 */
@Injectable()
export class DeploymentRunner {
  constructor(
    private readonly starts: DeploymentStartService,
    private readonly runs: ClusterRunsService,
    private readonly unfinished: UnfinishedRunsService,
    private readonly endings: DeploymentCompletionService,
    private readonly deployments: DeploymentsStore,
    private readonly unit: UnitOfWork,
  ) {}

  /** @throws AppError when the deployment failed, JobAborted when it was cancelled */
  async run({ payload }: Job<DeploymentPayload>, context: JobContext): Promise<{ deployment: string; status: string }> {
    const deployment = await this.starts.start(payload.deployment);
    const ended = deployment.hasEnded ? deployment : await this.execute(deployment, context);
    if (ended.status === 'cancelled') throw new JobAborted('cancelled');
    if (ended.failure)
      throw toDeploymentError(ended).withExtensions({ deployment: { id: ended.id, status: ended.status } });
    return { deployment: ended.id, status: ended.status };
  }

  private async execute(deployment: Deployment, context: JobContext): Promise<Deployment> {
    if (!deployment.failure) {
      const outcome = toDeploymentOutcome(deployment, await this.runs.run(deployment, context));
      if (!outcome.failure || !isUndoneAfter(outcome.failure, deployment)) return this.complete(deployment, outcome);
      await this.recordFailure(deployment, outcome, context);
    }
    return this.complete(deployment, await this.unfinished.conclude(deployment, context));
  }

  /** Called before anything is undone, so that a replica that takes over continues to undo instead of starting over. */
  private async recordFailure(deployment: Deployment, outcome: DeploymentOutcome, context: JobContext): Promise<void> {
    await this.unit.run(async () => {
      const { failure, resources } = outcome;
      await this.deployments.update(deployment, { failure, resources });
      await context.assertLeased();
    });
  }

  private async complete(deployment: Deployment, outcome: DeploymentOutcome): Promise<Deployment> {
    return (await this.endings.complete(deployment.id, outcome)) ?? deployment;
  }
}
