import type { ResourceKind } from './discovery.js';
import { type ObjectMetadata } from './kubernetes-object.js';

const SYSTEM_KINDS = new Set([
  'endpoints',
  'endpointslices.discovery.k8s.io',
  'events',
  'events.events.k8s.io',
  'leases.coordination.k8s.io',
]);
const SYSTEM_OBJECTS = new Set([
  'ServiceAccount default',
  'ConfigMap kube-root-ca.crt',
  'ConfigMap istio-ca-root-cert',
  'ConfigMap openshift-service-ca.crt',
]);

/**
 * Whether objects of this kind are contents of a namespace, which its deletion would delete. Those that the control
 * plane and running programs create by themselves are not.
 */
export const isContentOfNamespaces = ({ namespaced, preferred, verbs, plural, group }: ResourceKind): boolean =>
  namespaced &&
  preferred &&
  verbs.includes('list') &&
  verbs.includes('delete') &&
  !SYSTEM_KINDS.has(group === '' ? plural : `${plural}.${group}`);

/** Whether the control plane creates this object in every namespace. */
export const isSystemObject = ({ apiVersion, kind, metadata }: ObjectMetadata): boolean =>
  apiVersion === 'v1' && SYSTEM_OBJECTS.has(`${kind} ${metadata.name}`);
