/** Any Kubernetes object, with all of its fields. */
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
  /** FieldsV1: keys `f:<field>`, `k:<JSON of key fields>`, `v:<JSON value>`, `i:<index>` and `.` for the field itself. */
  fieldsV1?: Record<string, unknown>;
}

/** An item of a metadata-only list. */
export type ObjectMetadata = Pick<KubernetesObject, 'apiVersion' | 'kind' | 'metadata'>;

export const managedFieldsOf = ({ metadata }: ObjectMetadata): ManagedFields[] => metadata.managedFields ?? [];

/** Identifies an object in a cluster; without a namespace it is cluster-scoped. */
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

interface TypeMeta {
  apiVersion: string;
  kind: string;
}

export const isNamespace = ({ apiVersion, kind }: TypeMeta): boolean => kind === 'Namespace' && apiVersion === 'v1';

export const isCustomResourceDefinition = ({ apiVersion, kind }: TypeMeta): boolean =>
  kind === 'CustomResourceDefinition' && groupOf(apiVersion) === 'apiextensions.k8s.io';

/** How messages name an object: `Deployment shop/web`. */
export const describeObject = ({ kind, namespace, name }: DescribedObject): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;

interface DescribedObject {
  kind: string;
  namespace?: string | null;
  name: string;
}
