import { AppError, MAX_FAULTS } from '../core/errors/app-error.js';
import { describeObject } from '../kubernetes/clusters/kubernetes-object.js';
import type { Deployment, DeploymentFailure } from './deployment.entity.js';
import type { ResourceError } from './plan/planned-resource.js';
import { SECRET_VALUES_NEEDED } from './plan/sealed-values.js';
import { findResourceRemedy } from './plan/resource-remedies.js';

/** Maximum number of different remedies in one error. */
const MAX_REMEDIES = 3;

/** The error with which the API responds to a failed deployment. */
export function toDeploymentError({ failure, resources }: Pick<Deployment, 'failure' | 'resources'>): AppError {
  const { status, code, detail, remedy } = failure ?? {
    status: 500,
    code: 'INTERNAL_ERROR',
    detail: 'the deployment failed',
  };
  const errors = resources.flatMap(({ error, ...resource }) =>
    error
      ? pointersOf(error).map((pointer) => ({
          ...pointer,
          detail: `${describeObject(resource)}: ${error.detail}`,
          keyword: error.reason,
          remedy: error.remedy ?? findResourceRemedy(error.reason),
        }))
      : [],
  );
  const remedies = [...new Set(errors.flatMap((error) => error.remedy ?? []))].slice(0, MAX_REMEDIES);
  return new AppError(status, code, 'Deployment failed', detail, {
    errors: errors.slice(0, MAX_FAULTS),
    remedy: remedy ?? (remedies.length > 0 ? remedies.join(' ') : (REMEDIES[code] ?? DEFAULT_REMEDY)),
  });
}

/** One entry for each value of a Secret that is to be entered; other fields are named as the cluster writes them, in the detail. */
const pointersOf = ({ reason, field }: ResourceError): { pointer?: string }[] =>
  reason === SECRET_VALUES_NEEDED && field ? field.split(', ').map((pointer) => ({ pointer })) : [{}];

/** Converts an error to the form that is stored in the record of a deployment. */
export const toDeploymentFailure = ({ status, code, message, remedy }: AppError): DeploymentFailure => ({
  status,
  code,
  detail: message,
  remedy,
});

const DEFAULT_REMEDY = 'See the errors of the resources; plan first to learn them before anything is changed.';

const REMEDIES: Record<string, string> = {
  CLUSTER_UNREACHABLE: 'Ping the connection, and check its address and credential.',
  CLUSTER_TIMEOUT: 'Try again; the cluster may be overloaded.',
  DEPLOYMENT_CANCELLED: 'Deploy again.',
  INTERNAL_ERROR: 'Deploy again; report the id of the deployment to the operator when it fails again.',
};
