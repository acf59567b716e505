/** One resource of a design, as it should be on the cluster. */
export interface DesiredResource {
  /** Id of the component of the design that it comes from. */
  component: string;
  /** As it was written: what is wrong with it, `apiVersion` and `kind` included, is an error of its plan. */
  object: Record<string, unknown>;
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
  error?: ResourceError;
}

/** Two resources with one key are one object, whatever their versions. */
export function objectKey(of: { group: string; kind: string; namespace?: string | null; name: string }): string {
  return [of.group, of.kind, of.namespace ?? '', of.name].join('|');
}
