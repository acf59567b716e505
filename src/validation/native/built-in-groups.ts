import { type Json } from '../../core/json/json.js';

/** The API groups built into kube-apiserver. All others are those of custom resources or aggregated API servers. */
const BUILT_IN_GROUPS = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

/** Whether kube-apiserver has the types of this apiVersion built in, and so decodes and validates them in Go. */
export function isBuiltIn(apiVersion: Json | undefined): boolean {
  return typeof apiVersion === 'string' && BUILT_IN_GROUPS.has(groupOf(apiVersion));
}

/** The group of an apiVersion; empty for the core's `v1`. */
export function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
