import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { PLAN_AGAIN } from '../plan/resource-remedies.js';
import { type DeploymentFailure } from './resource-result.js';
import { RunEnded } from './run-clock.js';

/** Ends a run after the failure of a resource, which is in the result of that resource. */
export class ResourceFailed extends Error {}

/** An object was deleted, made or changed after the plan that is to be carried out exactly. */
export class PlanMoved extends Error {
  constructor(object: string) {
    super(`the plan is out of date: ${object} has changed since`);
  }
}

/** What ended a run early. */
export interface RunEnd extends DeploymentFailure {
  cancelled: boolean;
  /** The reason for the resource that was being processed. */
  reason: string;
}

/**
 * @param refused describes the resources that failed
 * @throws the error itself when it is an internal error
 */
export function toRunEnd(error: unknown, refused: () => string): RunEnd {
  if (error instanceof ResourceFailed) return { status: 422, cancelled: false, reason: 'REFUSED', detail: refused() };
  if (error instanceof RunEnded) {
    const cancelled = error.why === 'cancelled';
    return {
      status: cancelled ? 422 : 504,
      cancelled,
      reason: cancelled ? 'CANCELLED' : 'TIMEOUT',
      detail: error.message,
    };
  }
  if (error instanceof PlanMoved)
    return {
      ...{ status: 409, cancelled: false, reason: 'PLAN_STALE', detail: error.message },
      remedy: PLAN_AGAIN,
    };
  if (!(error instanceof ClusterError)) throw error;
  const reason = error.code.replace(/^CLUSTER_/, '');
  return {
    status: error.kind === 'timeout' ? 504 : 502,
    cancelled: false,
    reason,
    detail: error.message,
    remedy: error.remedy,
  };
}

export function toResourceError({ reason, detail }: RunEnd): ResourceError {
  return { reason, detail };
}
