/** The order in which kinds are applied; what others refer to comes first. It is Helm's, with definitions moved to the front. */
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

/** A webhook whose pods are not up yet would refuse everything that came after it. */
const LAST = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

const BUILT_IN = /^$|^[a-z]+$|\.k8s\.io$/;

/** Where a kind stands: kinds of definitions come after the workloads that serve them and before the webhooks that judge them. */
export function kindRank({ group, kind }: { group: string; kind: string }): number {
  const rank = BUILT_IN.test(group) ? ORDER.indexOf(kind) : -1;
  if (rank >= 0) return rank;
  return LAST.includes(kind) ? ORDER.length + 1 : ORDER.length;
}

/** Sorted by kind; resources of one kind stay in the order they came in. */
export function inKindOrder<T>(items: T[], kindOf: (item: T) => { group: string; kind: string }): T[] {
  return items
    .map((item, index) => ({ item, index, rank: kindRank(kindOf(item)) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ item }) => item);
}

/** Items in their order, those of one kind that follow one another together: nothing of a kind waits for another of it. */
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
