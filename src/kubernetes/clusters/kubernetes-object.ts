/** Any object of a cluster, with every field that it has: nothing is typed away. */
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  finalizers?: string[];
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[];
  managedFields?: ManagedFields[];
  [field: string]: unknown;
}

export interface ManagedFields {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  subresource?: string;
  time?: string;
  /** FieldsV1: keys `f:<field>`, `k:<json of key fields>`, `v:<json value>`, `i:<index>` and `.` for the thing itself. */
  fieldsV1?: Record<string, unknown>;
}

/** What a list without the objects' contents holds of each. */
export type ObjectMetadata = Pick<KubernetesObject, 'apiVersion' | 'kind' | 'metadata'>;

/** Names one object within a cluster; without a namespace it is of a cluster-scoped kind. */
export interface ObjectReference {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** The group of an apiVersion: `apps` of `apps/v1`, empty for the core's `v1`. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}
