/**
 * The values that the API server sets where an author says nothing: of a field itself, of the items of a list (a list of one rule), or
 * of the members of an object. A function decides by the object around the field.
 */
export type DefaultRule =
  | string
  | number
  | boolean
  | readonly [DefaultRule]
  | ((value: unknown, within: Record<string, unknown>) => boolean)
  | { readonly [field: string]: DefaultRule };

const FIELD_REF = { fieldRef: { apiVersion: 'v1' } };
const PROBE = {
  httpGet: { scheme: 'HTTP' },
  ...{ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 },
};

/** Images without a tag, or with the tag `latest`, are pulled always, all others where they are missing. */
function isDefaultPullPolicy(policy: unknown, { image }: Record<string, unknown>): boolean {
  if (typeof image !== 'string') return false;
  const name = image.slice(image.lastIndexOf('/') + 1);
  const isLatest = !name.includes('@') && (!name.includes(':') || name.endsWith(':latest'));
  return policy === (isLatest ? 'Always' : 'IfNotPresent');
}

const CONTAINER = {
  env: [{ valueFrom: FIELD_REF }],
  imagePullPolicy: isDefaultPullPolicy,
  lifecycle: { preStop: { httpGet: { scheme: 'HTTP' } }, postStart: { httpGet: { scheme: 'HTTP' } } },
  livenessProbe: PROBE,
  ports: [{ protocol: 'TCP' }],
  readinessProbe: PROBE,
  resources: {},
  startupProbe: PROBE,
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
} as const;

const DOWNWARD = { items: [FIELD_REF] } as const;
const CLAIM_SPEC = { volumeMode: 'Filesystem' };

const VOLUME = {
  configMap: { defaultMode: 420 },
  downwardAPI: { defaultMode: 420, ...DOWNWARD },
  ephemeral: { volumeClaimTemplate: { spec: CLAIM_SPEC } },
  hostPath: { type: '' },
  projected: {
    defaultMode: 420,
    sources: [{ downwardAPI: DOWNWARD, serviceAccountToken: { expirationSeconds: 3600 } }],
  },
  secret: { defaultMode: 420 },
} as const;

const POD_SPEC = {
  containers: [CONTAINER],
  dnsPolicy: 'ClusterFirst',
  enableServiceLinks: true,
  initContainers: [CONTAINER],
  restartPolicy: 'Always',
  schedulerName: 'default-scheduler',
  securityContext: {},
  // The deprecated name of the field is set along with it.
  serviceAccount: (name: unknown, { serviceAccountName }: Record<string, unknown>) => name === serviceAccountName,
  terminationGracePeriodSeconds: 30,
  volumes: [VOLUME],
} as const;

const isAbsent = (value: unknown): boolean => value === null;
const POD_TEMPLATE = { metadata: { creationTimestamp: isAbsent }, spec: POD_SPEC } as const;

const JOB_SPEC = {
  ...{ backoffLimit: 6, completionMode: 'NonIndexed', parallelism: 1 },
  // Without completions a Job of several pods ends when one of them does.
  completions: (value: unknown, { parallelism = 1 }: Record<string, unknown>) => value === 1 && parallelism === 1,
  ...{ manualSelector: false, podReplacementPolicy: 'TerminatingOrFailed', suspend: false },
  template: POD_TEMPLATE,
};

const isAllocated = (value: unknown): boolean => ![value].flat().includes('None');

/** By `Kind` and group. */
const DEFAULTS: Readonly<Record<string, DefaultRule>> = {
  'Pod.': { spec: POD_SPEC },
  'Deployment.apps': {
    spec: {
      ...{ progressDeadlineSeconds: 600, replicas: 1, revisionHistoryLimit: 10 },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: POD_TEMPLATE,
    },
  },
  'StatefulSet.apps': {
    spec: {
      ...{ podManagementPolicy: 'OrderedReady', replicas: 1, revisionHistoryLimit: 10 },
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      template: POD_TEMPLATE,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { creationTimestamp: isAbsent },
          spec: CLAIM_SPEC,
          status: { phase: 'Pending' },
        },
      ],
    },
  },
  'DaemonSet.apps': {
    spec: {
      revisionHistoryLimit: 10,
      template: POD_TEMPLATE,
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
    },
  },
  'ReplicaSet.apps': { spec: { replicas: 1, template: POD_TEMPLATE } },
  'ReplicationController.': { spec: { replicas: 1, template: POD_TEMPLATE } },
  'Job.batch': { spec: JOB_SPEC },
  'CronJob.batch': {
    spec: {
      ...{ concurrencyPolicy: 'Allow', failedJobsHistoryLimit: 1, successfulJobsHistoryLimit: 3, suspend: false },
      jobTemplate: { metadata: { creationTimestamp: isAbsent }, spec: JOB_SPEC },
    },
  },
  'Service.': {
    spec: {
      ...{ allocateLoadBalancerNodePorts: true, externalTrafficPolicy: 'Cluster', internalTrafficPolicy: 'Cluster' },
      clusterIP: isAllocated,
      clusterIPs: isAllocated,
      ports: [{ protocol: 'TCP' }],
      ...{ sessionAffinity: 'None', type: 'ClusterIP' },
    },
  },
  'PersistentVolumeClaim.': { spec: CLAIM_SPEC },
  'Secret.': { type: 'Opaque' },
  'CustomResourceDefinition.apiextensions.k8s.io': { spec: { conversion: { strategy: 'None' } } },
};

export const findDefaults = (kind: string, group: string): DefaultRule | undefined => DEFAULTS[`${kind}.${group}`];
