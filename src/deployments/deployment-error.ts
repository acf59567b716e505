import { AppError } from '../core/errors/app-error.js';
import type { Deployment } from './deployment.entity.js';

const MAX_ERRORS = 100;

/** The error that a deployment without success answers with. */
export function toDeploymentError({ failure, resources }: Pick<Deployment, 'failure' | 'resources'>): AppError {
  const { status, code, detail } = failure ?? {
    status: 500,
    code: 'INTERNAL_ERROR',
    detail: 'the deployment failed',
  };
  const errors = resources.flatMap(({ kind, namespace, name, error }) =>
    error
      ? [{ detail: `${kind} ${namespace ? `${namespace}/` : ''}${name}: ${error.detail}`, keyword: error.reason }]
      : [],
  );
  return new AppError(status, code, 'Deployment failed', detail, {
    errors: errors.slice(0, MAX_ERRORS),
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
