import { groupOf, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { type HelmHook } from '../../formats/design-file/helm-hook.js';

/** One resource of a design in its desired state. */
export interface DesiredResource {
  /** Id of the component of the design. */
  component: string;
  /** The resource as written. Errors in it, including in `apiVersion` and `kind`, are reported in its plan. */
  object: Record<string, unknown>;
  /** For a hook of a chart: when it runs. */
  hook?: HelmHook;
  /** It comes from `crds/` of a chart: it belongs to no release. */
  isChartDefinition?: boolean;
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
  /** The remedy for this very object, where the reason alone does not tell it. */
  remedy?: string;
}

/** The error for resources of an aggregated API whose server does not respond. */
export const apiUnavailable = (apiVersion: string): ResourceError => ({
  reason: 'API_UNAVAILABLE',
  detail: `The cluster has the API ${apiVersion}, but its server does not respond`,
});

/** A difference in one field; null means absent. Secret values are shown as `(hidden)`. */
export interface FieldChange {
  /** RFC 6901 pointer into the object. */
  path: string;
  from: unknown;
  to: unknown;
}

/** The effect of a deployment on one resource. */
export interface PlannedResource {
  /** Null for a resource that exists only on the cluster. */
  component: string | null;
  api_version: string;
  kind: string;
  /** Null for cluster-scoped kinds. */
  namespace: string | null;
  name: string;
  action: ResourceAction;
  /** The changes of an update; empty for other actions. */
  diff: FieldChange[];
  /** Whether the cluster verified it by a dry run. */
  verified: boolean;
  /** Warnings of the API server, such as of a deprecated version or an unknown field. */
  warnings: string[];
  /** The update deletes and recreates the object, because the cluster refuses to change a field. */
  replaces?: boolean;
  /** The object, or fields that a tool such as kubectl or Helm owns, become this deployment's. */
  adopts?: boolean;
  /** For a hook of a chart: the phase in which it runs, such as `pre-install`. */
  hook?: string;
  /** Why an object that left the design is kept. */
  kept?: string;
  error?: ResourceError;
}

/** The identity of an object, regardless of its version. */
export function objectKey(of: {
  group: string;
  kind: string;
  namespace?: string | null;
  name: string;
  /** The phase; a hook counts as a separate object in each phase. */
  hook?: string;
}): string {
  return [of.group, of.kind, of.namespace ?? '', of.name, ...(of.hook ? [of.hook] : [])].join('|');
}

/** The identities of the objects that are recorded as deployed. */
export const recordedKeys = (previous: ObjectReference[] = []): ReadonlySet<string> =>
  new Set(previous.map((one) => objectKey({ ...one, group: groupOf(one.apiVersion) })));
