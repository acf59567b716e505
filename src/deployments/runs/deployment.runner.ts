import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { JobAborted } from '../../jobs/job-aborted.js';
import type { FinishedJob, Job } from '../../jobs/job.js';
import type { JobContext } from '../../jobs/job-handler.registry.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { toDeploymentError } from '../deployment-error.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentStarted } from '../deployment.events.js';
import { DeploymentAdmissionService } from '../deployment-admission.service.js';
import { DeploymentsStore } from '../deployments.store.js';
import { ChangeJournalsStore } from './change-journals.store.js';
import { ClusterRunsService } from './cluster-runs.service.js';
import { DeploymentCompletionService, actorForDeployment } from './deployment-completion.service.js';
import type { DeploymentPayload } from './deployment-job.js';
import { type DeploymentOutcome, toJobFailure, isAtomic, toDeploymentOutcome } from './deployment-outcome.js';
import { UnfinishedRunsService } from './unfinished-runs.service.js';

const SYSTEM = Actor.system('deployment');

/**
 * Carries out deployments as jobs. A deployment that has failed is undone in the job that it failed in, or, when that was killed
 * or cancelled, in another that comes before all other deployments to the same place.
 */
@Injectable()
export class DeploymentRunner {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly admission: DeploymentAdmissionService,
    private readonly runs: ClusterRunsService,
    private readonly unfinished: UnfinishedRunsService,
    private readonly endings: DeploymentCompletionService,
    private readonly journals: ChangeJournalsStore,
    private readonly jobs: JobsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** @throws AppError when the deployment failed, JobAborted when it was cancelled */
  async run({ payload }: Job<DeploymentPayload>, context: JobContext): Promise<{ deployment: string; status: string }> {
    const deployment = await this.start(payload.deployment);
    const ended = deployment.hasEnded ? deployment : await this.execute(deployment, context);
    if (ended.status === 'cancelled') throw new JobAborted('cancelled');
    if (ended.failure)
      throw toDeploymentError(ended).withExtensions({ deployment: { id: ended.id, status: ended.status } });
    return { deployment: ended.id, status: ended.status };
  }

  /** Hears the end of the job, also when no handler came to an end: nothing stays queued, running or half done for ever. */
  async onJobEnded(job: FinishedJob<DeploymentPayload>): Promise<void> {
    const deployment = await this.deployments.lock(SYSTEM, job.payload.deployment);
    if (!deployment || deployment.hasEnded) return;
    const isGivenUp = deployment.failure !== null && job.status === 'failed';
    const failure = deployment.failure ?? toJobFailure(job);
    if (isGivenUp) await this.endings.complete(deployment.id, await this.unfinished.abandon(deployment));
    else if (await this.journals.isEmpty(deployment)) await this.completeWithoutChanges(deployment, { failure, job });
    else await this.deployments.update(deployment, { failure, jobId: (await this.jobs.enqueueAgain(job)).id });
  }

  /** What was accepted is judged again as it begins; what may not go ahead any more ends here. */
  private async start(id: string): Promise<Deployment> {
    return this.unit.run(async () => {
      const accepted = await this.deployments.get(SYSTEM, id);
      const refusal = accepted.status === 'queued' ? await this.admission.findRefusal(accepted) : undefined;
      const deployment = await this.deployments.getForUpdate(SYSTEM, id);
      if (deployment.status !== 'queued') return deployment;
      if (refusal) {
        const outcome: DeploymentOutcome = { status: 'failed', resources: [], failure: refusal, standing: [] };
        return this.complete(deployment, outcome);
      }
      await this.deployments.update(deployment, { status: 'running', startedAt: new Date() });
      await this.events.publish(new DeploymentStarted(actorForDeployment(deployment), deployment));
      return deployment;
    });
  }

  private async execute(deployment: Deployment, context: JobContext): Promise<Deployment> {
    if (!deployment.failure) {
      const outcome = toDeploymentOutcome(deployment, await this.runs.run(deployment, context));
      if (!outcome.failure || !isAtomic(deployment)) return this.complete(deployment, outcome);
      await this.recordFailure(deployment, outcome, context);
    }
    return this.complete(deployment, await this.unfinished.conclude(deployment, context));
  }

  /** Before anything is undone, so that whoever takes over goes on undoing, and does not begin anew. */
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

  private async completeWithoutChanges(
    deployment: Deployment,
    { failure, job }: { failure: Deployment['failure']; job: FinishedJob },
  ): Promise<void> {
    await this.endings.complete(deployment.id, {
      status: job.status === 'cancelled' ? 'cancelled' : 'failed',
      resources: deployment.resources,
      failure,
      standing: deployment.connectionIds.map((connectionId) => ({ connectionId, is: 'old' })),
    });
  }
}
