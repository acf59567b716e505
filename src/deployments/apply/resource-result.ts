import { type PlannedResource, type ResourceError } from '../plan/planned-resource.js';

/** `rolled_back`: it was done and then taken back. `skipped`: it was not begun, or left alone for the reason given. */
export const RESOURCE_STATUSES = ['applied', 'unchanged', 'failed', 'skipped', 'deleted', 'rolled_back'] as const;
export type ResourceStatus = (typeof RESOURCE_STATUSES)[number];

/** What became of one resource, in wire form. */
export interface ResourceResult extends Pick<
  PlannedResource,
  'component' | 'api_version' | 'kind' | 'namespace' | 'name' | 'action'
> {
  status: ResourceStatus;
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
  /** Told of every change of a resource's status; awaited, so that a record may be written. A throw ends the run as it stands. */
  onProgress?: (result: ResourceResult, done: number, total: number) => void | Promise<void>;
}

export function toSkippedResult(planned: PlannedResource): ResourceResult {
  const { component, api_version, kind, namespace, name, action } = planned;
  return { component, api_version, kind, namespace, name, action, status: 'skipped' };
}
