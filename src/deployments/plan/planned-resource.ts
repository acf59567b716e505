import { type HelmHook } from '../../formats/design-file/helm-hook.js';

/** One resource of a design, as it should be on the cluster. */
export interface DesiredResource {
  /** Id of the component of the design that it comes from. */
  component: string;
  /** As it was written: what is wrong with it, `apiVersion` and `kind` included, is an error of its plan. */
  object: Record<string, unknown>;
  /** Of a hook of a chart: when it is run. */
  hook?: HelmHook;
}

export const RESOURCE_ACTIONS = ['create', 'update', 'unchanged', 'delete', 'prune'] as const;
export type ResourceAction = (typeof RESOURCE_ACTIONS)[number];

/** Why one resource cannot be, or was not, deployed. */
export interface ResourceError {
  /** In upper snake case: `NOT_OWNED`, `FIELD_CONFLICT`, `UNKNOWN_KIND`, `INVALID`, `FORBIDDEN`, `NOT_READY` … */
  reason: string;
  /** Path of the field, as the cluster writes it; several are separated by ", ". */
  field?: string;
  detail: string;
}

/** Nothing can be known or done of what the server of an aggregated API keeps while that does not answer. */
export const apiUnavailable = (apiVersion: string): ResourceError => ({
  reason: 'API_UNAVAILABLE',
  detail: `The cluster has the API ${apiVersion}, but the server of it does not answer`,
});

/** What differs at one place of an object; null stands for absent. Secret values are shown as `(hidden)`. */
export interface FieldChange {
  /** RFC 6901 pointer into the object. */
  path: string;
  from: unknown;
  to: unknown;
}

/** What a deployment would do with one resource. */
export interface PlannedResource {
  /** Null for what is on the cluster only. */
  component: string | null;
  api_version: string;
  kind: string;
  /** Null for kinds that have none. */
  namespace: string | null;
  name: string;
  action: ResourceAction;
  /** Of an update; empty for every other action. */
  diff: FieldChange[];
  /** Whether the cluster itself has tried it, by a dry run. */
  verified: boolean;
  /** Warnings of the API server, such as of a deprecated version or an unknown field. */
  warnings: string[];
  /** Of an update: the object is deleted and made anew, for the cluster refuses the change of a field. */
  replaces?: boolean;
  /** Of a hook of a chart: the phase in which it is run, such as `pre-install`. */
  hook?: string;
  /** Why an object that left the design is left where it is. */
  kept?: string;
  error?: ResourceError;
}

/** Two resources with one key are one object, whatever their versions. */
export function objectKey(of: {
  group: string;
  kind: string;
  namespace?: string | null;
  name: string;
  /** A hook is another thing in each phase. */
  hook?: string;
}): string {
  return [of.group, of.kind, of.namespace ?? '', of.name, ...(of.hook ? [of.hook] : [])].join('|');
}
