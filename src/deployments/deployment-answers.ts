import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Actor } from '../core/access/actor.js';
import type { AppError } from '../core/errors/app-error.js';
import { Jobs } from '../jobs/jobs.js';
import type { Deployment } from './deployment.entity.js';
import { deploymentError } from './deployment-error.js';
import { DeploymentView } from './deployment.view.js';
import { DeploymentsService } from './deployments.service.js';

/** A request waits so long for the end of its deployment; then it is answered 202 and the deployment goes on. */
const PATIENCE_MS = 15 * 60_000;

/** Answers what was asked for with how it ended: 200 only for success, 202 for what goes on, a problem for what failed. */
@Injectable()
export class DeploymentAnswers {
  constructor(
    private readonly deployments: DeploymentsService,
    private readonly jobs: Jobs,
  ) {}

  /** @throws AppError with the record under `deployment` when it did not succeed */
  async answer(actor: Actor, requested: Deployment, request: Request, response: Response): Promise<DeploymentView> {
    // It may have ended by now; a caller who does not wait is told that it was taken, all the same.
    if (request.query['async'] === 'true') return this.told(requested, response);
    return this.told(await this.ended(actor, requested, response), response);
  }

  /** As answer, without a caller: for what one action asks of another. */
  async end(actor: Actor, requested: Deployment): Promise<Deployment> {
    const deployment = await this.ended(actor, requested);
    if (deployment.hasEnded && deployment.failure) throw failed(deployment);
    return deployment;
  }

  private told(deployment: Deployment, response: Response): DeploymentView {
    if (deployment.hasEnded && deployment.failure) throw failed(deployment);
    if (!deployment.hasEnded) response.status(202).location(`/api/deployments/${deployment.id}`);
    return DeploymentView.of(deployment);
  }

  /** The deployment at its end, or as it is once nobody waits any more. A job that was lost may leave the end to another. */
  private async ended(actor: Actor, requested: Deployment, response?: Response): Promise<Deployment> {
    const until = Date.now() + PATIENCE_MS;
    let deployment = requested;
    for (let waited: string | null = null; deployment.jobId && deployment.jobId !== waited;) {
      waited = deployment.jobId;
      await this.wait(waited, until - Date.now(), response);
      deployment = await this.deployments.get(actor, requested.id);
      if (deployment.hasEnded) break;
    }
    return deployment;
  }

  /** A caller who hangs up waits no longer; the deployment goes on. */
  private async wait(jobId: string, timeoutMs: number, response?: Response): Promise<void> {
    const gone = new AbortController();
    response?.once('close', () => gone.abort());
    await this.jobs.finished(jobId, { timeoutMs, signal: gone.signal }).catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
  }
}

function failed(deployment: Deployment): AppError {
  return deploymentError(deployment).with({ deployment: DeploymentView.of(deployment) });
}
