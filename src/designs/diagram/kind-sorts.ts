/** What a kind is for, which gives it its colour. */
export const SORTS = ['workload', 'network', 'storage', 'access', 'definition', 'other'] as const;
export type Sort = (typeof SORTS)[number];

/** What the legend calls them. */
export const SORT_NAMES: Readonly<Record<Sort, string>> = {
  workload: 'Workloads',
  network: 'Network',
  storage: 'Configuration and storage',
  access: 'Access',
  definition: 'Definitions and admission',
  other: 'Other',
};

const KINDS: Readonly<Record<Exclude<Sort, 'other'>, readonly string[]>> = {
  workload: [
    'Container', 'CronJob', 'DaemonSet', 'Deployment', 'HorizontalPodAutoscaler', 'Job', 'Node', 'Pod', 'PodDisruptionBudget',
    'PodMonitor', 'PodTemplate', 'PriorityClass', 'ReplicaSet', 'ReplicationController', 'Rollout', 'RuntimeClass',
    'StatefulSet', 'VerticalPodAutoscaler',
  ],
  network: [
    'DestinationRule', 'Endpoints', 'EndpointSlice', 'EnvoyFilter', 'GRPCRoute', 'Gateway', 'GatewayClass', 'HTTPRoute', 'Ingress',
    'IngressClass', 'NetworkPolicy', 'ReferenceGrant', 'Service', 'ServiceEntry', 'ServiceMonitor', 'Sidecar', 'TCPRoute',
    'TLSRoute', 'UDPRoute', 'VirtualService',
  ],
  storage: [
    'CSIDriver', 'CSINode', 'ConfigMap', 'PersistentVolume', 'PersistentVolumeClaim', 'Secret', 'StorageClass', 'VolumeAttachment',
    'VolumeSnapshot', 'VolumeSnapshotClass', 'VolumeSnapshotContent',
  ],
  access: [
    'AuthorizationPolicy', 'Certificate', 'CertificateSigningRequest', 'ClusterIssuer', 'ClusterRole', 'ClusterRoleBinding', 'Issuer',
    'LimitRange', 'Namespace', 'PeerAuthentication', 'PodSecurityPolicy', 'RequestAuthentication', 'ResourceQuota', 'Role',
    'RoleBinding', 'ServiceAccount',
  ],
  definition: [
    'APIService', 'CustomResourceDefinition', 'FlowSchema', 'MutatingAdmissionPolicy', 'MutatingAdmissionPolicyBinding',
    'MutatingWebhookConfiguration', 'PriorityLevelConfiguration', 'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding', 'ValidatingWebhookConfiguration',
  ],
}; // prettier-ignore

const SORT_OF = new Map(
  SORTS.flatMap((sort) => (sort === 'other' ? [] : KINDS[sort].map((kind): [string, Sort] => [kind, sort]))),
);

/** The sort of a kind, by its name alone; older designs write a suffix behind it (`Pod.K8s`). */
export function sortOf(kind: string): Sort {
  return SORT_OF.get(kind.replace(/\..*$/, '')) ?? 'other';
}
