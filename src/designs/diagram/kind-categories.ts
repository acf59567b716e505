/** The purpose of a kind, which determines its color. */
export const KIND_CATEGORIES = ['workload', 'network', 'storage', 'access', 'definition', 'other'] as const;
export type KindCategory = (typeof KIND_CATEGORIES)[number];

/** The labels of the categories in the legend. */
export const CATEGORY_LABELS: Readonly<Record<KindCategory, string>> = {
  workload: 'Workloads',
  network: 'Network',
  storage: 'Configuration and storage',
  access: 'Access',
  definition: 'Definitions and admission',
  other: 'Other',
};

const KINDS_BY_CATEGORY: Readonly<Record<Exclude<KindCategory, 'other'>, readonly string[]>> = {
  workload: [
    'Container',
    'CronJob',
    'DaemonSet',
    'Deployment',
    'HorizontalPodAutoscaler',
    'Job',
    'Node',
    'Pod',
    'PodDisruptionBudget',
    'PodMonitor',
    'PodTemplate',
    'PriorityClass',
    'ReplicaSet',
    'ReplicationController',
    'Rollout',
    'RuntimeClass',
    'StatefulSet',
    'VerticalPodAutoscaler',
  ],
  network: [
    'DestinationRule',
    'Endpoints',
    'EndpointSlice',
    'EnvoyFilter',
    'GRPCRoute',
    'Gateway',
    'GatewayClass',
    'HTTPRoute',
    'Ingress',
    'IngressClass',
    'NetworkPolicy',
    'ReferenceGrant',
    'Service',
    'ServiceEntry',
    'ServiceMonitor',
    'Sidecar',
    'TCPRoute',
    'TLSRoute',
    'UDPRoute',
    'VirtualService',
  ],
  storage: [
    'CSIDriver',
    'CSINode',
    'ConfigMap',
    'PersistentVolume',
    'PersistentVolumeClaim',
    'Secret',
    'StorageClass',
    'VolumeAttachment',
    'VolumeSnapshot',
    'VolumeSnapshotClass',
    'VolumeSnapshotContent',
  ],
  access: [
    'AuthorizationPolicy',
    'Certificate',
    'CertificateSigningRequest',
    'ClusterIssuer',
    'ClusterRole',
    'ClusterRoleBinding',
    'Issuer',
    'LimitRange',
    'Namespace',
    'PeerAuthentication',
    'PodSecurityPolicy',
    'RequestAuthentication',
    'ResourceQuota',
    'Role',
    'RoleBinding',
    'ServiceAccount',
  ],
  definition: [
    'APIService',
    'CustomResourceDefinition',
    'FlowSchema',
    'MutatingAdmissionPolicy',
    'MutatingAdmissionPolicyBinding',
    'MutatingWebhookConfiguration',
    'PriorityLevelConfiguration',
    'ValidatingAdmissionPolicy',
    'ValidatingAdmissionPolicyBinding',
    'ValidatingWebhookConfiguration',
  ],
};

const CATEGORY_BY_KIND = new Map(
  KIND_CATEGORIES.flatMap((sort) =>
    sort === 'other' ? [] : KINDS_BY_CATEGORY[sort].map((kind): [string, KindCategory] => [kind, sort]),
  ),
);

/** The category of a kind, by its name alone; older designs append a suffix (`Pod.K8s`). */
export function kindCategoryOf(kind: string): KindCategory {
  return CATEGORY_BY_KIND.get(kind.split('.', 1)[0] ?? '') ?? 'other';
}
