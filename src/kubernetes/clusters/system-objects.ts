import { type ObjectMetadata } from './kubernetes-object.js';

const SYSTEM_KINDS = new Set(['Endpoints', 'EndpointSlice', 'Event', 'Lease']);
const SYSTEM_OBJECTS = new Set([
  'ServiceAccount default',
  'ConfigMap kube-root-ca.crt',
  'ConfigMap istio-ca-root-cert',
  'ConfigMap openshift-service-ca.crt',
]);

/** Whether the control plane and running programs create objects of this kind in a namespace. */
export const isSystemKind = (kind: string): boolean => SYSTEM_KINDS.has(kind);

/** Whether the control plane creates this object in every namespace. */
export const isSystemObject = ({ kind, metadata }: Pick<ObjectMetadata, 'kind' | 'metadata'>): boolean =>
  SYSTEM_OBJECTS.has(`${kind} ${metadata.name}`);
