import { type PlannedResource, type ResourceError } from '../plan/planned-resource.js';

/**
 * While a deployment runs: `pending`, not started; `waiting`, applied but not healthy. At the end: `ready` if the deployment waited
 * for it, else `applied`. `deleting`: its deletion was requested, and a finalizer or a dependent holds it. `rolled_back`: done and
 * then undone. `skipped`: not started, or left unchanged for the reason given. `kept`: to be deleted, but kept for the reason given.
 */
export const RESOURCE_STATUSES = [
  'pending',
  'applied',
  'waiting',
  'ready',
  'unchanged',
  'failed',
  'skipped',
  'kept',
  'deleting',
  'deleted',
  'rolled_back',
] as const;
export type ResourceStatus = (typeof RESOURCE_STATUSES)[number];

/** The result for one resource, in wire form. */
export interface ResourceResult extends Pick<
  PlannedResource,
  'component' | 'api_version' | 'kind' | 'namespace' | 'name' | 'action' | 'hook'
> {
  status: ResourceStatus;
  /** What the resource is waiting for, or why it is kept. */
  message?: string;
  error?: ResourceError;
}

export interface DeploymentFailure {
  /** The HTTP status that the API returns: 502 cluster unreachable, 504 timeout, 422 refused by the cluster or not ready, 409 plan stale. */
  status: 502 | 504 | 422 | 409;
  detail: string;
  remedy?: string;
}

export interface DeploymentResult {
  status: 'succeeded' | 'undeployed' | 'failed' | 'cancelled';
  resources: ResourceResult[];
  /** Absent on success. */
  failure?: DeploymentFailure;
}

export interface RunOptions {
  /** Aborts any waiting at once, and ends the run before the next resource. */
  signal?: AbortSignal;
  /** Timeout of the whole run. Default: 10 minutes. */
  timeoutMs?: number;
  /** Called and awaited for every change of a resource's status. An error that it throws ends the run in its current state. */
  onProgress?: (result: ResourceResult, progress: RunProgress) => void | Promise<void>;
}

/** The progress of a run. */
export interface RunProgress {
  done: number;
  total: number;
  /** Returns the current results. */
  resources: () => ResourceResult[];
}

export function toPendingResult(planned: PlannedResource): ResourceResult {
  const { component, api_version, kind, namespace, name, action, hook } = planned;
  return { component, api_version, kind, namespace, name, action, ...(hook && { hook }), status: 'pending' };
}

/** The final state of a resource after the work on it has stopped. */
export function toSettled<R extends Pick<ResourceResult, 'action' | 'status' | 'message'>>(resource: R): R {
  const { action, status } = resource;
  if (status === 'pending') return { ...resource, status: 'skipped' };
  if (status !== 'waiting') return resource;
  return { ...resource, status: action === 'unchanged' ? 'unchanged' : 'applied', message: undefined };
}
