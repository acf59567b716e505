import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import { assessHealth, hasHealth, judgeHealth } from './health.js';
import { findWorstHealth, type HealthStatus } from './health-status.js';
import { HEALTH_RULES } from './rules/rules.js';

const UNSEEN = 'Its controller has not seen the last change';
const UNREPORTED = 'Its controller has not reported its state yet';

/** Of `Ready=False/Reason`: a condition with a message that names its type. */
function condition(text: string): object {
  const [, type, status, reason] = /^([^=]+)=([^/]+)(?:\/(.+))?$/.exec(text) ?? [];
  return { type, status, ...(reason && { reason, message: `why ${type}` }) };
}
const conditions = (...texts: string[]): object => ({ conditions: texts.map(condition) });
const seen = (status: object): object => ({ status: { observedGeneration: 2, ...status } });
const says = (...texts: string[]): object => seen(conditions(...texts));
const phase = (word: string, more: object = {}): object => ({ status: { phase: word, ...more } });
const replicas = (status: object): object =>
  seen({ replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2, ...status });
const waits = (reason: string): object => ({
  containerStatuses: [{ name: 'app', state: { waiting: { reason, message: 'why' } } }],
});
const rolling = (partition: number): object => ({ type: 'RollingUpdate', rollingUpdate: { partition } });

function object(key: string, fields: object, metadata: object = {}): KubernetesObject {
  const [apiVersion = '', kind = ''] = key.split(' ');
  return { apiVersion, kind, metadata: { name: 'x', generation: 2, ...metadata }, ...fields };
}

type State = [kind: string, fields: object, status: HealthStatus, message: string | null];

const WORKLOADS: State[] = [
  ['apps/v1 Deployment', replicas({}), 'Healthy', null],
  ['apps/v1 Deployment', { ...replicas({}), spec: { paused: true } }, 'Suspended', 'It is paused'],
  ['apps/v1 Deployment', replicas({ observedGeneration: 1 }), 'Progressing', UNSEEN],
  ['apps/v1 Deployment', { status: {} }, 'Progressing', UNSEEN],
  ['apps/v1 Deployment', { ...replicas({ updatedReplicas: 1 }), spec: { replicas: 2 } }, 'Progressing', '1 of 2 replicas are updated'], // prettier-ignore
  ['apps/v1 Deployment', replicas({ replicas: 3 }), 'Progressing', 'Replicas of the previous version are still there'],
  ['apps/v1 Deployment', replicas({ availableReplicas: 1 }), 'Progressing', '1 of 2 replicas are available'],
  ['apps/v1 Deployment', says('Progressing=False/ProgressDeadlineExceeded'), 'Degraded', 'ProgressDeadlineExceeded: why Progressing'], // prettier-ignore
  ['apps/v1 Deployment', { ...seen({}), spec: { replicas: 0 } }, 'Healthy', null],
  ['apps/v1 StatefulSet', { ...replicas({}), spec: { replicas: 2, updateStrategy: rolling(0) } }, 'Healthy', null],
  ['apps/v1 StatefulSet', { ...replicas({ readyReplicas: 1 }), spec: { replicas: 2 } }, 'Progressing', '1 of 2 replicas are ready'], // prettier-ignore
  ['apps/v1 StatefulSet', { ...replicas({ updatedReplicas: 1 }), spec: { replicas: 2, updateStrategy: rolling(0) } }, 'Progressing', '1 of 2 replicas are updated'], // prettier-ignore
  ['apps/v1 StatefulSet', { ...replicas({ updatedReplicas: 1 }), spec: { replicas: 2, updateStrategy: rolling(1) } }, 'Healthy', null], // prettier-ignore
  ['apps/v1 StatefulSet', replicas({ currentRevision: 'a', updateRevision: 'b' }), 'Progressing', '2 of 1 replicas are updated'], // prettier-ignore
  ['apps/v1 StatefulSet', { ...replicas({ updatedReplicas: 0 }), spec: { updateStrategy: { type: 'OnDelete' } } }, 'Healthy', null], // prettier-ignore
  ['apps/v1 DaemonSet', { ...seen({ desiredNumberScheduled: 3 }), spec: { updateStrategy: { type: 'OnDelete' } } }, 'Healthy', null], // prettier-ignore
  ['apps/v1 DaemonSet', seen({ desiredNumberScheduled: 3, updatedNumberScheduled: 1 }), 'Progressing', '1 of 3 nodes have the new pod'], // prettier-ignore
  ['apps/v1 DaemonSet', seen({ desiredNumberScheduled: 1, updatedNumberScheduled: 1 }), 'Progressing', 'The pods of 0 of 1 nodes are available'], // prettier-ignore
  ['apps/v1 DaemonSet', seen({ desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1 }), 'Healthy', null], // prettier-ignore
  ['apps/v1 ReplicaSet', replicas({}), 'Healthy', null],
  ['apps/v1 ReplicaSet', { ...replicas({ availableReplicas: 1 }), spec: { replicas: 2 } }, 'Progressing', '1 of 2 replicas are available'], // prettier-ignore
  ['apps/v1 ReplicaSet', says('ReplicaFailure=True/FailedCreate'), 'Degraded', 'FailedCreate: why ReplicaFailure'],
  ['v1 ReplicationController', replicas({ availableReplicas: 0 }), 'Progressing', '0 of 1 replicas are available'],
  ['v1 Pod', phase('Running', conditions('Ready=True')), 'Healthy', null],
  ['v1 Pod', phase('Running'), 'Progressing', 'It is not ready'],
  ['v1 Pod', { ...phase('Running', conditions('Ready=True')), spec: { restartPolicy: 'Never' } }, 'Progressing', 'It has not ended yet'], // prettier-ignore
  ['v1 Pod', phase('Running', waits('CrashLoopBackOff')), 'Degraded', 'container app: CrashLoopBackOff: why'],
  ['v1 Pod', phase('Pending', waits('ErrImagePull')), 'Degraded', 'container app: ErrImagePull: why'],
  ['v1 Pod', { ...phase('Pending', waits('ErrImagePull')), spec: { restartPolicy: 'Never' } }, 'Progressing', 'container app: ErrImagePull: why'], // prettier-ignore
  ['v1 Pod', phase('Pending', conditions('PodScheduled=False/Unschedulable')), 'Progressing', 'Unschedulable: why PodScheduled'], // prettier-ignore
  ['v1 Pod', phase('Succeeded'), 'Healthy', null],
  ['v1 Pod', phase('Failed', { reason: 'Evicted', message: 'disk' }), 'Degraded', 'Evicted: disk'],
  ['v1 Pod', phase('Failed', { containerStatuses: [{ name: 'app', state: { terminated: { exitCode: 3 } } }] }), 'Degraded', 'container app: exit code 3'], // prettier-ignore
  ['v1 Pod', {}, 'Unknown', null],
  ['batch/v1 Job', { status: conditions('Complete=True') }, 'Healthy', null],
  ['batch/v1 Job', { status: conditions('Failed=True/BackoffLimitExceeded') }, 'Degraded', 'BackoffLimitExceeded: why Failed'], // prettier-ignore
  ['batch/v1 Job', { spec: { suspend: true } }, 'Suspended', 'It is suspended'],
  ['batch/v1 Job', {}, 'Progressing', 'It is not complete'],
  ['batch/v1 CronJob', { status: {} }, 'Healthy', null],
  ['batch/v1 CronJob', { spec: { suspend: true }, status: {} }, 'Healthy', 'It is suspended'],
  [
    'batch/v1 CronJob',
    { status: { lastScheduleTime: '2026-01-02T00:00:00Z', lastSuccessfulTime: '2026-01-01T00:00:03Z' } },
    ...(['Degraded', 'Its last job has failed: none has succeeded since 2026-01-01T00:00:03Z'] as const),
  ],
  [
    'batch/v1 CronJob',
    { status: { lastScheduleTime: '2026-01-02T00:00:00Z', lastSuccessfulTime: '2026-01-02T00:00:03Z' } },
    ...(['Healthy', null] as const),
  ],
];

const CLUSTER: State[] = [
  ['v1 PersistentVolumeClaim', phase('Bound'), 'Healthy', null],
  ['v1 PersistentVolumeClaim', phase('Pending'), 'Progressing', 'It is not bound to a volume'],
  ['v1 PersistentVolumeClaim', phase('Lost'), 'Degraded', 'Its volume is lost'],
  ['v1 Service', { spec: { type: 'ClusterIP' } }, 'Healthy', null],
  ['v1 Service', { spec: { type: 'LoadBalancer' } }, 'Progressing', 'No load balancer has given it an address yet'],
  ['v1 Service', { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ ip: '10.0.0.1' }] } } }, 'Healthy', null], // prettier-ignore
  ['networking.k8s.io/v1 Ingress', { status: { loadBalancer: {} } }, 'Progressing', 'No controller has given it an address yet'], // prettier-ignore
  ['networking.k8s.io/v1 Ingress', { status: { loadBalancer: { ingress: [{}] } } }, 'Healthy', null],
  ['autoscaling/v2 HorizontalPodAutoscaler', says('AbleToScale=True/Ready'), 'Healthy', null],
  ['autoscaling/v2 HorizontalPodAutoscaler', says('AbleToScale=True/Ready', 'ScalingActive=False/FailedGetResourceMetric'), 'Degraded', 'FailedGetResourceMetric: why ScalingActive'], // prettier-ignore
  ['autoscaling/v2 HorizontalPodAutoscaler', {}, 'Progressing', 'It has not scaled yet'],
  ['policy/v1 PodDisruptionBudget', says('DisruptionAllowed=False/InsufficientPods'), 'Healthy', null],
  ['policy/v1 PodDisruptionBudget', says('DisruptionAllowed=False/SyncFailed'), 'Degraded', 'SyncFailed: why DisruptionAllowed'], // prettier-ignore
  ['policy/v1 PodDisruptionBudget', {}, 'Progressing', UNREPORTED],
  ['apiregistration.k8s.io/v1 APIService', says('Available=True'), 'Healthy', null],
  ['apiregistration.k8s.io/v1 APIService', says('Available=False/MissingEndpoints'), 'Progressing', 'MissingEndpoints: why Available'], // prettier-ignore
  ['apiextensions.k8s.io/v1 CustomResourceDefinition', says('Established=True', 'NamesAccepted=True'), 'Healthy', null],
  ['apiextensions.k8s.io/v1 CustomResourceDefinition', says('NamesAccepted=False/Conflict'), 'Degraded', 'Conflict: why NamesAccepted'], // prettier-ignore
  ['apiextensions.k8s.io/v1 CustomResourceDefinition', says('Established=True', 'NonStructuralSchema=True/Violations'), 'Degraded', 'Violations: why NonStructuralSchema'], // prettier-ignore
  ['v1 Namespace', phase('Active'), 'Healthy', null],
  ['v1 Node', { status: conditions('Ready=Unknown/NodeStatusUnknown') }, 'Degraded', 'NodeStatusUnknown: why Ready'],
];

const CUSTOM: State[] = [
  ['argoproj.io/v1alpha1 Rollout', phase('Degraded', { message: 'aborted' }), 'Degraded', 'phase is Degraded: aborted'],
  ['argoproj.io/v1alpha1 Rollout', phase('Paused', { message: 'CanaryPauseStep' }), 'Suspended', 'phase is Paused: CanaryPauseStep'], // prettier-ignore
  ['argoproj.io/v1alpha1 Rollout', phase('Healthy', { observedGeneration: '1' }), 'Progressing', UNSEEN],
  ['argoproj.io/v1alpha1 Rollout', { status: conditions('Progressing=False/RolloutAborted') }, 'Degraded', 'RolloutAborted: why Progressing'], // prettier-ignore
  [
    'argoproj.io/v1alpha1 Application',
    { status: { health: { status: 'Degraded' } } },
    'Degraded',
    'status is Degraded',
  ],
  ['argoproj.io/v1alpha1 Application', { status: { health: { status: 'Healthy' } } }, 'Healthy', null],
  ['s3.aws.upbound.io/v1beta1 Bucket', says('Synced=False/ReconcileError', 'Ready=True'), 'Degraded', 'ReconcileError: why Synced'], // prettier-ignore
  ['example.crossplane.io/v1 Database', says('Synced=True', 'Ready=True'), 'Healthy', null],
  ['example.crossplane.io/v1 Database', says('Synced=True', 'Ready=False/Creating'), 'Progressing', 'Creating: why Ready'], // prettier-ignore
  ['keda.sh/v1alpha1 ScaledObject', says('Ready=False/TriggerError'), 'Degraded', 'TriggerError: why Ready'],
  ['keda.sh/v1alpha1 ScaledObject', says('Ready=True', 'Paused=True/ByHand'), 'Suspended', 'ByHand: why Paused'],
  [
    'keda.sh/v1alpha1 ScaledObject',
    says('Ready=True', 'Fallback=True/NoMetrics'),
    'Degraded',
    'NoMetrics: why Fallback',
  ],
  ['serving.kserve.io/v1beta1 InferenceService', says('Ready=True', 'PredictorReady=False'), 'Progressing', 'It is not ready'], // prettier-ignore
  ['serving.kserve.io/v1beta1 InferenceService', seen({ modelStatus: { transitionStatus: 'BlockedByFailedLoad' }, ...conditions('Ready=True') }), 'Degraded', 'Its model cannot be served: BlockedByFailedLoad'], // prettier-ignore
  [
    'serving.knative.dev/v1 Service',
    says('ConfigurationsReady=True', 'RoutesReady=True', 'Ready=True'),
    'Healthy',
    null,
  ],
  ['serving.knative.dev/v1 Service', says('Ready=False/RevisionFailed'), 'Degraded', 'RevisionFailed: why Ready'],
  ['cert-manager.io/v1 Certificate', says('Issuing=True/Renewing', 'Ready=False/DoesNotExist'), 'Progressing', 'Renewing: why Issuing'], // prettier-ignore
  ['cert-manager.io/v1 Certificate', says('Ready=False/Expired'), 'Degraded', 'Expired: why Ready'],
  ['cert-manager.io/v1 Issuer', {}, 'Progressing', UNREPORTED],
  ['kustomize.toolkit.fluxcd.io/v1 Kustomization', { spec: { suspend: true } }, 'Suspended', 'It is suspended'],
  ['kustomize.toolkit.fluxcd.io/v1 Kustomization', says('Ready=Unknown/Progressing', 'Reconciling=True'), 'Progressing', 'Progressing: why Ready'], // prettier-ignore
  ['helm.toolkit.fluxcd.io/v2 HelmRelease', says('Ready=False/InstallFailed'), 'Degraded', 'InstallFailed: why Ready'],
  ['cluster.x-k8s.io/v1beta1 Cluster', phase('Provisioned'), 'Healthy', null],
  ['cluster.x-k8s.io/v1beta1 MachineDeployment', phase('ScalingUp'), 'Progressing', 'phase is ScalingUp'],
  ['gateway.networking.k8s.io/v1 HTTPRoute', { status: { parents: [conditions('Accepted=False/NoMatch')] } }, 'Degraded', 'A gateway has not accepted it'], // prettier-ignore
  ['gateway.networking.k8s.io/v1 HTTPRoute', { status: { parents: [conditions('Accepted=True', 'ResolvedRefs=True')] } }, 'Healthy', null], // prettier-ignore
  ['gateway.networking.k8s.io/v1 Gateway', { status: conditions('Accepted=True', 'Programmed=False/Pending') }, 'Progressing', 'Pending: why Programmed'], // prettier-ignore
  ['kafka.strimzi.io/v1beta2 Kafka', says('NotReady=True/Creating'), 'Progressing', 'Creating: why NotReady'],
  ['kafka.strimzi.io/v1beta2 KafkaTopic', says('NotReady=True/KafkaError'), 'Degraded', 'KafkaError: why NotReady'],
  ['external-secrets.io/v1 ExternalSecret', says('Ready=False/SecretSyncedError'), 'Degraded', 'SecretSyncedError: why Ready'], // prettier-ignore
  [
    'postgresql.cnpg.io/v1 Cluster',
    phase('Failing over', conditions('Ready=False')),
    'Degraded',
    'phase is Failing over',
  ],
  ['elasticsearch.k8s.elastic.co/v1 Elasticsearch', { spec: { nodeSets: [{ count: 3 }] }, status: { availableNodes: 2, health: 'green' } }, 'Progressing', '2 of 3 nodes are available'], // prettier-ignore
  ['snapshot.storage.k8s.io/v1 VolumeSnapshot', { status: { error: { message: 'no class' } } }, 'Degraded', 'no class'],
  ['example.org/v1 Thing', says('Stalled=True/NoQuota'), 'Degraded', 'NoQuota: why Stalled'],
  ['example.org/v1 Thing', says('Reconciling=True/Applying', 'Ready=True'), 'Progressing', 'Applying: why Reconciling'],
  ['example.org/v1 Thing', says('Ready=False/Waiting'), 'Progressing', 'Waiting: why Ready'],
  ['example.org/v1 Thing', { status: conditions('Ready=True') }, 'Healthy', null],
  ['example.org/v1 Thing', seen({ observedGeneration: 1 }), 'Progressing', UNSEEN],
  ['example.org/v1 Thing', {}, 'Healthy', null],
];

describe('The health of an object', () => {
  it.each([...WORKLOADS, ...CLUSTER, ...CUSTOM])('%s %j is %s: %s', (kind, fields, status, message) => {
    expect(assessHealth(object(kind, fields))).toEqual({ status, message });
  });

  it('is none for kinds of Kubernetes that have none, and progresses while any object is being deleted', () => {
    for (const kind of ['v1 ConfigMap', 'rbac.authorization.k8s.io/v1 Role', 'v1 constructor']) {
      expect(assessHealth(object(kind, {}))).toBeNull();
      expect(hasHealth(kind.split(' ')[0] ?? '', kind.split(' ')[1] ?? '')).toBe(false);
      expect(assessHealth(object(kind, {}, { deletionTimestamp: '2026-01-01T00:00:00Z' }))?.status).toBe('Progressing');
    }
  });

  it('is computed by every rule for objects that do not have the structure of their kind', () => {
    const kinds = HEALTH_RULES.flatMap((rules) => Object.keys(rules)).map((key) =>
      key.replace('*.', 'x.').replace('/*', '/Any').replace(/,.*/, '').replace('/', '/v1 ').replace(/^\//, ''),
    );
    expect(kinds.length).toBeGreaterThan(150);
    const strange = [null, 5, 'text', [], { conditions: 'none' }, { conditions: [null, 7] }, { containerStatuses: 1 }];
    for (const kind of kinds)
      for (const value of strange)
        for (const fields of [{ spec: value }, { status: value }, { spec: value, status: value }])
          expect(assessHealth(object(kind, fields))?.status).toMatch(/^[A-Z]/);
  });

  it('says whether waiting is useless: where it is final, and where it waits for what no deployment brings', () => {
    const flags = (...args: Parameters<typeof object>): object => {
      const { isFinal = false, isOutside = false } = judgeHealth(object(...args)) ?? {};
      return { isFinal, isOutside };
    };
    const [final, outside, none] = [
      { isFinal: true, isOutside: false },
      { isFinal: false, isOutside: true },
      { isFinal: false, isOutside: false },
    ];
    expect(flags('apps/v1 Deployment', says('Progressing=False/ProgressDeadlineExceeded'))).toEqual(final);
    expect(flags('batch/v1 Job', { status: conditions('Failed=True') })).toEqual(final);
    expect(flags('v1 Pod', phase('Failed'))).toEqual(final);
    expect(flags('v1 Pod', phase('Running', waits('CrashLoopBackOff')))).toEqual(none);
    expect(flags('v1 Service', { spec: { type: 'LoadBalancer' } })).toEqual(outside);
    expect(flags('networking.k8s.io/v1 Ingress', {})).toEqual(outside);
    expect(flags('v1 PersistentVolumeClaim', phase('Pending'))).toEqual(none);
    expect(flags('example.org/v1 Thing', says('Ready=False/Waiting'))).toEqual(none);
    const unrecoverable = 'Cluster is unrecoverable and needs manual intervention';
    const stuck = object('postgresql.cnpg.io/v1 Cluster', phase(unrecoverable, conditions('Ready=False')));
    expect(judgeHealth(stuck)).toMatchObject({ status: 'Suspended', isStuck: true });
  });

  it('has a bounded message without control characters', () => {
    const { message } = assessHealth(object('v1 Pod', phase('Failed', { message: `\u001b[31m${'x'.repeat(9_000)}` })))!;
    expect(message).toMatch(/^\[31mx+ … \(cut\)$/);
    expect(message?.length).toBeLessThan(1_100);
  });

  it('is as bad as the worst of several', () => {
    expect(findWorstHealth(['Healthy', null, 'Progressing', 'Suspended'])).toBe('Progressing');
    expect(findWorstHealth(['Degraded', 'Missing'])).toBe('Degraded');
    expect(findWorstHealth([null])).toBeNull();
  });
});
