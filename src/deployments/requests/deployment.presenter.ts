import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Actor } from '../../core/access/actor.js';
import type { AppError } from '../../core/errors/app-error.js';
import { JobsService } from '../../jobs/jobs.service.js';
import type { Deployment } from '../deployment.entity.js';
import { toDeploymentError } from '../deployment-error.js';
import { DeploymentView } from '../deployment.view.js';
import { DeploymentsService } from '../deployments.service.js';

/** How long a request waits for the end of its deployment; afterwards the response is 202 and the deployment continues. */
const MAX_WAIT_MS = 15 * 60_000;

/** Creates responses to deployment requests: 200 for success, 202 while it is running, a problem document for a failure. */
@Injectable()
export class DeploymentPresenter {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly jobs: JobsService,
  ) {}

  /** @throws AppError with the record under `deployment` when the deployment failed */
  async respond(actor: Actor, requested: Deployment, later: boolean, response: Response): Promise<DeploymentView> {
    // The deployment may have ended already; a caller who does not wait gets it as accepted.
    if (later) return this.toResponse(await this.deployments.withQueuePosition(requested), response);
    return this.toResponse(await this.waitForEnd(actor, requested, response), response);
  }

  /** As `respond`, for use by another service instead of a request. */
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

  /** The deployment at its end, or as it is after the maximum wait. The end may be written after the job was lost. */
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

  /** Stops waiting when the caller disconnects; the deployment continues. */
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
