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

/** What is on one cluster after the deployment: its own objects (`new`), the previous ones (`old`), both (`mixed`) or none. */
export type ClusterState =
  | { connectionId: string; is: 'new'; objects: ObjectReference[] }
  | { connectionId: string; is: 'old' | 'mixed' | 'none' };

/** The outcome of a deployment on one cluster. */
export interface ClusterOutcome {
  connectionId: string;
  status: DeploymentStatus;
  resources: DeployedResource[];
  failure: DeploymentFailure | null;
  /** All objects that are deployed there, on success. */
  objects: ObjectReference[];
  /** Whether anything was, or may have been, changed there. */
  changed: boolean;
}

/** The outcome of a deployment over all its clusters. */
export interface DeploymentOutcome {
  status: DeploymentStatus;
  resources: DeployedResource[];
  failure: DeploymentFailure | null;
  clusterStates: ClusterState[];
}

/** Whether all changes on all clusters are undone after this failure. An undeployment is undone only when it was cancelled. */
export function isUndoneAfter({ code }: DeploymentFailure, { action, options }: Deployment): boolean {
  return options.atomic !== false && (action !== 'undeploy' || code === CANCELLED.code);
}

/** Succeeds only if all clusters have; of several failures, the worst determines the status. */
export function toDeploymentOutcome({ action }: Deployment, ends: ClusterOutcome[]): DeploymentOutcome {
  const worst = (['cancelled', 'failed'] as const).find((status) => ends.some((end) => end.status === status));
  const undeploys = action === 'undeploy';
  return {
    status: worst ?? (undeploys ? 'undeployed' : 'succeeded'),
    resources: ends.flatMap((end) => end.resources),
    failure: toFirstFailure(ends),
    clusterStates: ends.map(({ connectionId, failure, objects, changed }) => {
      if (failure) return { connectionId, is: changed ? 'mixed' : 'old' };
      return undeploys ? { connectionId, is: 'none' } : { connectionId, is: 'new', objects };
    }),
  };
}

/** The first failure, with its cluster. */
function toFirstFailure(ends: ClusterOutcome[]): DeploymentFailure | null {
  const failed = ends.find((end) => end.failure);
  return failed?.failure ? { ...failed.failure, connection_id: failed.connectionId } : null;
}

/** The entry of a cluster in the record of a deployment. */
export const toDeployedCluster = ({ connectionId, is }: ClusterState): DeployedCluster => ({
  connection_id: connectionId,
  outcome: ({ new: 'deployed', none: 'undeployed', old: 'unchanged', mixed: 'partial' } as const)[is],
});

/** The failure of a deployment whose job ended without an outcome. */
export function toJobFailure({ status, error }: Pick<FinishedJob, 'status' | 'error'>): DeploymentFailure {
  if (status === 'cancelled') return CANCELLED;
  return {
    status: error?.status ?? 500,
    code: error?.code ?? 'INTERNAL_ERROR',
    detail: error?.detail ?? 'the deployment was interrupted',
    ...(error?.remedy && { remedy: error.remedy }),
  };
}
