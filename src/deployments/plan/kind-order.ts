/** The order in which kinds are applied: Helm's order, with CustomResourceDefinitions moved to the front. */
const ORDER = [
  'CustomResourceDefinition',
  'Namespace',
  'PriorityClass',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
];

/** Webhooks come last, because a webhook whose pods are not ready refuses all later requests. */
const LAST = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

const BUILT_IN = /^$|^[a-z]+$|\.k8s\.io$/;

/**
 * The position of a kind in the order. Custom resources come after workloads, which serve them, and before webhooks, which validate
 * them.
 */
export function kindRank({ group, kind }: { group: string; kind: string }): number {
  const rank = BUILT_IN.test(group) ? ORDER.indexOf(kind) : -1;
  if (rank >= 0) return rank;
  return LAST.includes(kind) ? ORDER.length + 1 : ORDER.length;
}

/** The kinds with which a stage of a deletion begins. Claims need their pods to be gone, volumes their claims. */
const STAGES = ['CustomResourceDefinition', 'Namespace', 'PriorityClass', 'PersistentVolumeClaim', 'DaemonSet'];
const STAGE_RANKS = [...STAGES.map((kind) => ORDER.indexOf(kind)), ORDER.length, ORDER.length + 1];

/** The stage of a namespace. */
export const NAMESPACE_STAGE = STAGES.indexOf('Namespace');

/**
 * The stage in which a kind is deleted, from the last to the first. What is deleted in one stage does not need each other; it may
 * need what is in earlier stages, as custom resources need their controllers, and pods their configuration.
 */
export const deletionStage = (kind: { group: string; kind: string }): number =>
  STAGE_RANKS.findLastIndex((first) => first <= kindRank(kind));

/** Sorts by kind; the order within a kind is preserved. */
export function inKindOrder<T>(items: T[], kindOf: (item: T) => { group: string; kind: string }): T[] {
  return items
    .map((item, index) => ({ item, index, rank: kindRank(kindOf(item)) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ item }) => item);
}

/** Splits ordered items into runs of the same kind. Items of one kind do not depend on each other. */
export function splitByKind<T>(items: readonly T[], kindOf: (item: T) => { apiVersion: string; kind: string }): T[][] {
  const groups: T[][] = [];
  let last: string | undefined;
  for (const item of items) {
    const { apiVersion, kind } = kindOf(item);
    const current = `${apiVersion} ${kind}`;
    if (current === last) groups.at(-1)?.push(item);
    else groups.push([item]);
    last = current;
  }
  return groups;
}
