import { AppError } from '../../core/errors/app-error.js';
import { isTemporary } from '../../core/errors/problem.js';
import { defaultRetryDelayMs } from '../../jobs/job-handler.registry.js';
import type { NewJob } from '../../jobs/job.js';
import type { Deployment } from '../deployment.entity.js';

export const DEPLOYMENTS_QUEUE = 'deployment';

export interface DeploymentPayload {
  deployment: string;
}

/** The job of a deployment. Jobs of one design in one environment run sequentially. */
export function deploymentJob({
  id,
  organizationId,
  designId,
  environmentId,
}: Pick<Deployment, 'id' | 'organizationId' | 'designId' | 'environmentId'>): NewJob<DeploymentPayload> {
  return {
    queue: DEPLOYMENTS_QUEUE,
    payload: { deployment: id },
    organizationId,
    serialKey: `deployment ${designId} ${environmentId}`,
    mostAttempts: 3,
  };
}

/** The outcome of a deployment is final. Internal errors are retried, and the next attempt resumes from the journal. */
export function retryDeployment(failures: number, error: unknown): number | null {
  return error instanceof AppError && !isTemporary(error) ? null : defaultRetryDelayMs(failures);
}
