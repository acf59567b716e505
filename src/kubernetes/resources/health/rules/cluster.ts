import type { KubernetesObject } from '../../../clusters/kubernetes-object.js';
import { compileRule, type HealthRules, type RuleLines } from '../health-rule.js';
import type { Judgement } from '../health-status.js';

const INGRESS: RuleLines = [
  ['Healthy', { '/status/loadBalancer/ingress': { not: null } }],
  ['Progressing', {}, { message: 'No controller has given it an address yet', isOutside: true }],
];

const METRICS = ['FailedGetResourceMetric', 'FailedGetObjectMetric', 'FailedGetPodsMetric', 'FailedGetExternalMetric'];

const AUTOSCALER: RuleLines = [
  ['Degraded', { 'AbleToScale.reason': ['FailedGetScale', 'FailedUpdateScale'] }],
  ['Degraded', { 'ScalingActive.reason': 'InvalidSelector' }],
  // Metrics come from a server of the cluster, and only some time after the pods have started.
  ['Degraded', { 'ScalingActive.reason': [...METRICS, 'FailedComputeMetricsReplicas'] }, { isOutside: true }],
  ['Healthy', { AbleToScale: 'True' }],
  ['Healthy', { ScalingLimited: 'True' }],
  ['Progressing', {}, 'It has not scaled yet'],
];
const judgeAutoscaler = compileRule(AUTOSCALER);

/** `autoscaling/v1` has the conditions as JSON in an annotation. */
function judgeAnyAutoscaler(object: KubernetesObject): Judgement {
  const written = object.metadata.annotations?.['autoscaling.alpha.kubernetes.io/conditions'];
  if (written === undefined) return judgeAutoscaler(object);
  return judgeAutoscaler({ ...object, status: { conditions: JSON.parse(written) as unknown } });
}

/** What is not a workload: volumes, network, autoscaling, and the APIs themselves. */
export const CLUSTER: HealthRules = {
  '/PersistentVolumeClaim': [
    ['Healthy', { '/status/phase': 'Bound' }],
    ['Degraded', { '/status/phase': 'Lost' }, 'Its volume is lost'],
    ['Progressing', {}, 'It is not bound to a volume'],
  ],
  '/Service': [
    [
      'Progressing',
      { '/spec/type': 'LoadBalancer', '/status/loadBalancer/ingress': null },
      { message: 'No load balancer has given it an address yet', isOutside: true },
    ],
    ['Healthy', {}],
  ],
  'networking.k8s.io/Ingress': INGRESS,
  'extensions/Ingress': INGRESS,
  '/Namespace': [
    ['Progressing', { '/status/phase': 'Terminating' }, 'It is being deleted'],
    ['Healthy', {}],
  ],
  '/Node': [
    ['Healthy', { Ready: 'True' }],
    ['Degraded', { Ready: { not: 'True' } }],
    ['Degraded', {}, 'It is not ready'],
  ],
  'autoscaling/HorizontalPodAutoscaler': judgeAnyAutoscaler,
  'policy/PodDisruptionBudget': [
    ['Degraded', { '*': 'False', '*.reason': { not: 'InsufficientPods' } }],
    ['Healthy', { '*': { not: null } }],
  ],
  'apiregistration.k8s.io/APIService': [
    ['Healthy', { Available: 'True' }],
    ['Progressing', { Available: { not: 'True' } }],
  ],
  'apiextensions.k8s.io/CustomResourceDefinition': [
    ['Progressing', { Terminating: 'True' }],
    ['Degraded', { NamesAccepted: 'False' }],
    ['Degraded', { NonStructuralSchema: 'True' }],
    ['Healthy', { Established: 'True' }],
    ['Progressing', { 'Established.reason': 'Installing' }],
    ['Degraded', { '*': { not: null } }, 'It is not established'],
  ],
  'snapshot.storage.k8s.io/VolumeSnapshot,VolumeSnapshotContent': [
    ['Healthy', { '/status/readyToUse': true }],
    ['Degraded', { '/status/error': { not: null } }],
  ],
};
