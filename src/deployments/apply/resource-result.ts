import { type PlannedResource, type ResourceError } from '../plan/planned-resource.js';

/**
 * While a deployment runs: `pending`, its turn has not come; `waiting`, it is applied and not ready yet, or deleted and not gone. Then `ready` where the
 * deployment waited for that, else `applied`. `rolled_back`: it was done and then taken back. `skipped`: it was not begun, or left
 * alone for the reason given. `kept`: it was to go, and stays for the reason given.
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
  'deleted',
  'rolled_back',
] as const;
export type ResourceStatus = (typeof RESOURCE_STATUSES)[number];

/** What became of one resource, in wire form. */
export interface ResourceResult extends Pick<
  PlannedResource,
  'component' | 'api_version' | 'kind' | 'namespace' | 'name' | 'action' | 'hook'
> {
  status: ResourceStatus;
  /** What it waits for, or why it is kept. */
  message?: string;
  error?: ResourceError;
}

export interface DeploymentFailure {
  /** As the API answers it: 502 the cluster is unreachable, 504 timed out, 422 refused by the cluster or not ready. */
  status: 502 | 504 | 422;
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
  /** Ends the run before the next resource, and any waiting at once. */
  signal?: AbortSignal;
  /** For the whole run; 10 minutes without it. */
  timeoutMs?: number;
  /** Called for every change of a resource's status; awaited, so that a record may be written. An error ends the run in its current state. */
  onProgress?: (result: ResourceResult, progress: RunProgress) => void | Promise<void>;
}

/** How far a run has come. */
export interface RunProgress {
  done: number;
  total: number;
  /** As they are when this is asked. */
  resources: () => ResourceResult[];
}

export function toPendingResult(planned: PlannedResource): ResourceResult {
  const { component, api_version, kind, namespace, name, action, hook } = planned;
  return { component, api_version, kind, namespace, name, action, ...(hook && { hook }), status: 'pending' };
}

/** The state of a resource that nobody works on any more. */
export function toSettled<R extends Pick<ResourceResult, 'action' | 'status' | 'message'>>(resource: R): R {
  const { action, status } = resource;
  if (status === 'pending') return { ...resource, status: 'skipped' };
  if (status !== 'waiting') return resource;
  if (action === 'delete' || action === 'prune') return { ...resource, status: 'skipped' };
  return { ...resource, status: action === 'unchanged' ? 'unchanged' : 'applied', message: undefined };
}
