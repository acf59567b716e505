import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';

/** Fields of metadata that the API server maintains. Manifests exported from a cluster contain them. */
const SERVER_FIELDS: readonly string[] = [
  'managedFields',
  'resourceVersion',
  'uid',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'selfLink',
];

/** Annotations that the API server and the controllers of Kubernetes maintain. */
const SERVER_ANNOTATIONS: readonly string[] = [
  'autoscaling.alpha.kubernetes.io/conditions',
  'autoscaling.alpha.kubernetes.io/current-metrics',
  'control-plane.alpha.kubernetes.io/leader',
  'deployment.kubernetes.io/desired-replicas',
  'deployment.kubernetes.io/max-replicas',
  'deployment.kubernetes.io/revision',
  'deployment.kubernetes.io/revision-history',
  'deprecated.daemonset.template.generation',
  'endpoints.kubernetes.io/last-change-trigger-time',
  'pv.kubernetes.io/bind-completed',
  'pv.kubernetes.io/bound-by-controller',
];

/** The metadata without what the API server and controllers maintain, and without labels or annotations when none are left. */
export function omitServerMetadata(metadata: KubernetesObject['metadata']): KubernetesObject['metadata'] {
  const { labels, annotations, ...rest } = metadata;
  const given = Object.entries(rest).filter(([name, value]) => value !== null && !SERVER_FIELDS.includes(name));
  const noted = Object.entries(annotations ?? {}).filter(([name]) => !SERVER_ANNOTATIONS.includes(name));
  return {
    ...(Object.fromEntries(given) as KubernetesObject['metadata']),
    ...(labels && Object.keys(labels).length > 0 && { labels }),
    ...(noted.length > 0 && { annotations: Object.fromEntries(noted) }),
  };
}
