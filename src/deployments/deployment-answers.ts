import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Actor } from '../core/access/actor.js';
import { AppError } from '../core/errors/app-error.js';
import { Jobs } from '../jobs/jobs.js';
import type { Deployment } from './deployment.entity.js';
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
    if (requested.jobId) await this.wait(requested.jobId, response);
    return this.told(await this.deployments.get(actor, requested.id), response);
  }

  /** As answer, without a caller: for what one action asks of another. */
  async end(actor: Actor, requested: Deployment): Promise<Deployment> {
    if (requested.jobId) await this.jobs.finished(requested.jobId, { timeoutMs: PATIENCE_MS });
    const deployment = await this.deployments.get(actor, requested.id);
    if (deployment.failure) throw failed(deployment);
    return deployment;
  }

  private told(deployment: Deployment, response: Response): DeploymentView {
    if (deployment.failure) throw failed(deployment);
    if (!deployment.hasEnded) response.status(202).location(`/api/deployments/${deployment.id}`);
    return DeploymentView.of(deployment);
  }

  /** A caller who hangs up waits no longer; the deployment goes on. */
  private async wait(jobId: string, response: Response): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    await this.jobs.finished(jobId, { timeoutMs: PATIENCE_MS, signal: gone.signal }).catch((error: unknown) => {
      if (!gone.signal.aborted) throw error;
    });
  }
}

function failed(deployment: Deployment): AppError {
  const { status, code, detail } = deployment.failure ?? {
    status: 500,
    code: 'INTERNAL_ERROR',
    detail: 'the deployment failed',
  };
  return new AppError(status, code, 'Deployment failed', detail, {
    errors: deployment.resources.flatMap(({ kind, namespace, name, error }) =>
      error
        ? [{ detail: `${kind} ${namespace ? `${namespace}/` : ''}${name}: ${error.detail}`, keyword: error.reason }]
        : [],
    ),
    extensions: { deployment: DeploymentView.of(deployment) },
    remedy: REMEDIES[code],
  });
}

const REMEDIES: Record<string, string> = {
  DEPLOYMENT_FAILED: 'See the errors of the resources; plan first to learn them before anything is touched.',
  CLUSTER_UNREACHABLE: 'Ping the connection, and check its address and credential.',
  CLUSTER_TIMEOUT: 'Try again; the cluster may be overloaded.',
  REQUESTER_NOT_ALLOWED: 'Let someone request it who may deploy there.',
  APPROVER_NOT_ALLOWED: 'Request it again, and let an admin of the workspace approve.',
  APPROVAL_REQUIRED: 'Request it again with request_approval: true, and let an admin of the workspace approve.',
  ENVIRONMENT_NOT_ASSIGNED: 'Assign the environment to the workspace, and deploy again.',
  ENVIRONMENT_ARCHIVED: 'Restore the environment, and deploy again.',
  CONNECTION_NOT_IN_ENVIRONMENT: 'Add the connection to the environment, or deploy through another one.',
  PLAN_STALE: 'Plan again, and deploy with the new plan_id.',
};
