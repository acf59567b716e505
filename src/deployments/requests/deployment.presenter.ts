import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Actor } from '../../core/access/actor.js';
import type { AppError } from '../../core/errors/app-error.js';
import { JobsService } from '../../jobs/jobs.service.js';
import type { Deployment } from '../deployment.entity.js';
import { toDeploymentError } from '../deployment-error.js';
import { DeploymentView } from '../deployment.view.js';
import { DeploymentsService } from '../deployments.service.js';

/** A request waits so long for the end of its deployment; then it is answered 202 and the deployment goes on. */
const MAX_WAIT_MS = 15 * 60_000;

/** Answers what was asked for with how it ended: 200 only for success, 202 for what goes on, a problem for what failed. */
@Injectable()
export class DeploymentPresenter {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly jobs: JobsService,
  ) {}

  /** @throws AppError with the record under `deployment` when it did not succeed */
  async respond(actor: Actor, requested: Deployment, later: boolean, response: Response): Promise<DeploymentView> {
    // It may have ended already; a caller who does not wait gets the accepted request all the same.
    if (later) return this.toResponse(await this.deployments.withQueuePosition(requested), response);
    return this.toResponse(await this.waitForEnd(actor, requested, response), response);
  }

  /** As answer, without a caller: for what one action asks of another. */
  async waitForSuccess(actor: Actor, requested: Deployment): Promise<Deployment> {
    const deployment = await this.waitForEnd(actor, requested);
    if (deployment.hasEnded && deployment.failure) throw failureWithRecord(deployment);
    return deployment;
  }

  private toResponse(deployment: Deployment, response: Response): DeploymentView {
    if (deployment.hasEnded && deployment.failure) throw failureWithRecord(deployment);
    if (!deployment.hasEnded) response.status(202).location(`/api/deployments/${deployment.id}`);
    return DeploymentView.fromEntity(deployment);
  }

  /** The deployment at its end, or as it is once nobody waits any more. A job that was lost may leave the end to another. */
  private async waitForEnd(actor: Actor, requested: Deployment, response?: Response): Promise<Deployment> {
    const until = performance.now() + MAX_WAIT_MS;
    let deployment = requested;
    for (let waited: string | null = null; deployment.jobId && deployment.jobId !== waited;) {
      waited = deployment.jobId;
      await this.waitForJob(waited, until - performance.now(), response);
      deployment = await this.deployments.get(actor, requested.id);
      if (deployment.hasEnded) break;
    }
    return deployment;
  }

  /** A caller who hangs up waits no longer; the deployment goes on. */
  private async waitForJob(jobId: string, timeoutMs: number, response?: Response): Promise<void> {
    const gone = new AbortController();
    response?.once('close', () => gone.abort());
    await this.jobs.waitUntilFinished(jobId, { timeoutMs, signal: gone.signal }).catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
  }
}

function failureWithRecord(deployment: Deployment): AppError {
  return toDeploymentError(deployment).withExtensions({ deployment: DeploymentView.fromEntity(deployment) });
}
