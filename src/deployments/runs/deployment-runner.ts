import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { JobAborted } from '../../jobs/job-aborted.js';
import type { FinishedJob, Job } from '../../jobs/job.js';
import type { JobContext } from '../../jobs/job-handlers.js';
import { Jobs } from '../../jobs/jobs.js';
import { deploymentError } from '../deployment-error.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentStarted } from '../deployment.events.js';
import { DeploymentAdmission } from '../deployment-admission.js';
import { DeploymentsStore } from '../deployments.store.js';
import { ChangeJournalsStore } from './change-journals.store.js';
import { ClusterRuns } from './cluster-runs.js';
import { DeploymentEndings, requesterOf } from './deployment-endings.js';
import type { DeploymentPayload } from './deployment-job.js';
import { type DeploymentOutcome, failureOfJob, isAtomic, outcomeOf } from './deployment-outcome.js';
import { UnfinishedRuns } from './unfinished-runs.js';

const SYSTEM = Actor.system('deployment');

/**
 * Carries out deployments as jobs. A deployment that has failed is undone in the job that it failed in, or, when that was killed
 * or cancelled, in another that comes before all other deployments to the same place.
 */
@Injectable()
export class DeploymentRunner {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly admission: DeploymentAdmission,
    private readonly runs: ClusterRuns,
    private readonly unfinished: UnfinishedRuns,
    private readonly endings: DeploymentEndings,
    private readonly journals: ChangeJournalsStore,
    private readonly jobs: Jobs,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** @throws AppError when the deployment failed, JobAborted when it was cancelled */
  async run({ payload }: Job<DeploymentPayload>, context: JobContext): Promise<{ deployment: string; status: string }> {
    const deployment = await this.start(payload.deployment);
    const ended = deployment.hasEnded ? deployment : await this.carryOut(deployment, context);
    if (ended.status === 'cancelled') throw new JobAborted('cancelled');
    if (ended.failure) throw deploymentError(ended).with({ deployment: { id: ended.id, status: ended.status } });
    return { deployment: ended.id, status: ended.status };
  }

  /** Hears the end of the job, also when no handler came to an end: nothing stays queued, running or half done for ever. */
  async ended(job: FinishedJob<DeploymentPayload>): Promise<void> {
    const deployment = await this.deployments.lock(SYSTEM, job.payload.deployment);
    if (!deployment || deployment.hasEnded) return;
    const isGivenUp = deployment.failure !== null && job.status === 'failed';
    const failure = deployment.failure ?? failureOfJob(job);
    if (isGivenUp) await this.endings.write(deployment.id, await this.unfinished.abandon(deployment));
    else if (await this.journals.isEmpty(deployment)) await this.endNothingDone(deployment, { failure, job });
    else await this.deployments.update(deployment, { failure, jobId: (await this.jobs.repeat(job)).id });
  }

  /** What was accepted is judged again as it begins; what may not go ahead any more ends here. */
  private async start(id: string): Promise<Deployment> {
    return this.unit.run(async () => {
      const accepted = await this.deployments.get(SYSTEM, id);
      const refusal = accepted.status === 'queued' ? await this.admission.refusal(accepted) : undefined;
      const deployment = await this.deployments.getForUpdate(SYSTEM, id);
      if (deployment.status !== 'queued') return deployment;
      if (refusal) {
        const outcome: DeploymentOutcome = { status: 'failed', resources: [], failure: refusal, standing: [] };
        return this.end(deployment, outcome);
      }
      await this.deployments.update(deployment, { status: 'running', startedAt: new Date() });
      await this.events.publish(new DeploymentStarted(requesterOf(deployment), deployment));
      return deployment;
    });
  }

  private async carryOut(deployment: Deployment, context: JobContext): Promise<Deployment> {
    if (!deployment.failure) {
      const outcome = outcomeOf(deployment, await this.runs.run(deployment, context));
      if (!outcome.failure || !isAtomic(deployment)) return this.end(deployment, outcome);
      await this.note(deployment, outcome, context);
    }
    return this.end(deployment, await this.unfinished.conclude(deployment, context));
  }

  /** Before anything is undone, so that whoever takes over goes on undoing, and does not begin anew. */
  private async note(deployment: Deployment, outcome: DeploymentOutcome, context: JobContext): Promise<void> {
    await this.unit.run(async () => {
      const { failure, resources } = outcome;
      await this.deployments.update(deployment, { failure, resources });
      await context.assertLeased();
    });
  }

  private async end(deployment: Deployment, outcome: DeploymentOutcome): Promise<Deployment> {
    return (await this.endings.write(deployment.id, outcome)) ?? deployment;
  }

  private async endNothingDone(
    deployment: Deployment,
    { failure, job }: { failure: Deployment['failure']; job: FinishedJob },
  ): Promise<void> {
    await this.endings.write(deployment.id, {
      status: job.status === 'cancelled' ? 'cancelled' : 'failed',
      resources: deployment.resources,
      failure,
      standing: deployment.connectionIds.map((connectionId) => ({ connectionId, is: 'old' })),
    });
  }
}
