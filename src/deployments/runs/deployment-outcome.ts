import type { FinishedJob } from '../../jobs/job.js';
import type { ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import type {
  DeployedCluster,
  DeployedResource,
  Deployment,
  DeploymentFailure,
  DeploymentStatus,
} from '../deployment.entity.js';

export const CANCELLED: Readonly<DeploymentFailure> = {
  status: 409,
  code: 'DEPLOYMENT_CANCELLED',
  detail: 'the deployment was cancelled',
};

/** What is there on one cluster after the deployment: what it wanted, what was there before, or some of both. */
export type ClusterStanding =
  | { connectionId: string; is: 'new'; objects: ObjectReference[] }
  | { connectionId: string; is: 'old' | 'mixed' | 'none' };

/** How a deployment ended on one cluster. */
export interface ClusterOutcome {
  connectionId: string;
  status: DeploymentStatus;
  resources: DeployedResource[];
  failure: DeploymentFailure | null;
  /** All that is there now, where it succeeded. */
  objects: ObjectReference[];
  /** Whether anything was changed there, or may have been. */
  changed: boolean;
}

/** How a deployment ended on all its clusters together. */
export interface DeploymentOutcome {
  status: DeploymentStatus;
  resources: DeployedResource[];
  failure: DeploymentFailure | null;
  standing: ClusterStanding[];
}

/** Whether a failure undoes all that the deployment did, on all clusters. Undeploying is never undone. */
export function isAtomic({ action, options }: Deployment): boolean {
  return action !== 'undeploy' && options.atomic !== false;
}

/** A deployment has succeeded only where all of it has; of a failure the worst counts. */
export function toDeploymentOutcome({ action }: Deployment, ends: ClusterOutcome[]): DeploymentOutcome {
  const worst = (['cancelled', 'failed'] as const).find((status) => ends.some((end) => end.status === status));
  const undeploys = action === 'undeploy';
  return {
    status: worst ?? (undeploys ? 'undeployed' : 'succeeded'),
    resources: ends.flatMap((end) => end.resources),
    failure: toFirstFailure(ends),
    standing: ends.map(({ connectionId, failure, objects, changed }) => {
      if (failure) return { connectionId, is: changed ? 'mixed' : 'old' };
      return undeploys ? { connectionId, is: 'none' } : { connectionId, is: 'new', objects };
    }),
  };
}

/** The first failure, with the cluster that it came from. */
function toFirstFailure(ends: ClusterOutcome[]): DeploymentFailure | null {
  const failed = ends.find((end) => end.failure);
  return failed?.failure ? { ...failed.failure, connection_id: failed.connectionId } : null;
}

/** The record's summary of a cluster. */
export const toDeployedCluster = ({ connectionId, is }: ClusterStanding): DeployedCluster => ({
  connection_id: connectionId,
  outcome: ({ new: 'deployed', none: 'undeployed', old: 'unchanged', mixed: 'partial' } as const)[is],
});

/** Why a deployment ends whose job came to no end of its own. */
export function toJobFailure({ status, error }: Pick<FinishedJob, 'status' | 'error'>): DeploymentFailure {
  if (status === 'cancelled') return CANCELLED;
  return {
    status: error?.status ?? 500,
    code: error?.code ?? 'INTERNAL_ERROR',
    detail: error?.detail ?? 'the deployment was interrupted',
    ...(error?.remedy && { remedy: error.remedy }),
  };
}
