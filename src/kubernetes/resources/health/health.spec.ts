import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import { assessHealth } from './health.js';
import { findWorstHealth } from './health-status.js';

const object = (apiVersion: string, kind: string, fields: object = {}, metadata: object = {}): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: 'x', generation: 2, ...metadata },
  ...fields,
});
const status = (...args: Parameters<typeof object>): string | null => assessHealth(object(...args))?.status ?? null;
const condition = (type: string, is: boolean, reason?: string): object => ({
  status: { observedGeneration: 2, conditions: [{ type, status: is ? 'True' : 'False', reason, message: 'why' }] },
});
const rollout = (fields: object): object => ({
  spec: { replicas: 2 },
  status: { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2, ...fields },
});
const pod = (phase: string, fields: object = {}, spec: object = {}): object => ({
  spec: { restartPolicy: 'Always', ...spec },
  status: { phase, ...fields },
});
const READY = { conditions: [{ type: 'Ready', status: 'True' }] };
const waits = (reason: string): object => ({ containerStatuses: [{ name: 'app', state: { waiting: { reason } } }] });

describe('the health of an object', () => {
  it.each<[string, string, object, string]>([
    ['apps/v1', 'Deployment', rollout({}), 'Healthy'],
    ['apps/v1', 'Deployment', rollout({ observedGeneration: 1 }), 'Progressing'],
    ['apps/v1', 'Deployment', rollout({ updatedReplicas: 1 }), 'Progressing'],
    ['apps/v1', 'Deployment', rollout({ replicas: 3 }), 'Progressing'],
    ['apps/v1', 'Deployment', rollout({ availableReplicas: 1 }), 'Progressing'],
    ['apps/v1', 'Deployment', { ...rollout({}), spec: { paused: true } }, 'Suspended'],
    ['apps/v1', 'Deployment', condition('Progressing', false, 'ProgressDeadlineExceeded'), 'Degraded'],
    ['apps/v1', 'StatefulSet', rollout({ currentRevision: 'a', updateRevision: 'a' }), 'Healthy'],
    ['apps/v1', 'StatefulSet', rollout({ currentRevision: 'a', updateRevision: 'b' }), 'Progressing'],
    ['apps/v1', 'StatefulSet', rollout({ readyReplicas: 1 }), 'Progressing'],
    ['apps/v1', 'StatefulSet', { ...rollout({}), status: {} }, 'Progressing'],
    ['apps/v1', 'DaemonSet', { status: { observedGeneration: 2, desiredNumberScheduled: 1 } }, 'Progressing'],
    [
      ...(['apps/v1', 'DaemonSet'] as const),
      { status: { observedGeneration: 2, desiredNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1 } },
      'Healthy',
    ],
    ['apps/v1', 'ReplicaSet', rollout({}), 'Healthy'],
    ['apps/v1', 'ReplicaSet', rollout({ availableReplicas: 1 }), 'Progressing'],
    ['apps/v1', 'ReplicaSet', condition('ReplicaFailure', true), 'Degraded'],
    ['v1', 'Pod', pod('Running', READY), 'Healthy'],
    ['v1', 'Pod', pod('Running'), 'Progressing'],
    ['v1', 'Pod', pod('Running', {}, { restartPolicy: 'Never' }), 'Progressing'],
    ['v1', 'Pod', pod('Running', waits('CrashLoopBackOff')), 'Degraded'],
    ['v1', 'Pod', pod('Pending', waits('ErrImagePull')), 'Degraded'],
    ['v1', 'Pod', pod('Pending', waits('ContainerCreating')), 'Progressing'],
    ['v1', 'Pod', pod('Succeeded'), 'Healthy'],
    ['v1', 'Pod', pod('Failed'), 'Degraded'],
    ['v1', 'Pod', {}, 'Unknown'],
    ['batch/v1', 'Job', condition('Complete', true), 'Healthy'],
    ['batch/v1', 'Job', condition('Failed', true, 'BackoffLimitExceeded'), 'Degraded'],
    ['batch/v1', 'Job', { spec: { suspend: true } }, 'Suspended'],
    ['batch/v1', 'Job', {}, 'Progressing'],
    ['batch/v1', 'CronJob', { spec: { suspend: true } }, 'Suspended'],
    ['batch/v1', 'CronJob', {}, 'Healthy'],
    ['v1', 'PersistentVolumeClaim', { status: { phase: 'Bound' } }, 'Healthy'],
    ['v1', 'PersistentVolumeClaim', { status: { phase: 'Pending' } }, 'Progressing'],
    ['v1', 'PersistentVolumeClaim', { status: { phase: 'Lost' } }, 'Degraded'],
    ['v1', 'Service', { spec: { type: 'ClusterIP' } }, 'Healthy'],
    ['v1', 'Service', { spec: { type: 'LoadBalancer' } }, 'Progressing'],
    [
      ...(['v1', 'Service'] as const),
      { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } },
      'Healthy',
    ],
    ['networking.k8s.io/v1', 'Ingress', { status: { loadBalancer: {} } }, 'Progressing'],
    ['autoscaling/v2', 'HorizontalPodAutoscaler', condition('AbleToScale', true), 'Healthy'],
    [
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      condition('ScalingActive', false, 'FailedGetResourceMetric'),
      'Degraded',
    ],
    ['autoscaling/v2', 'HorizontalPodAutoscaler', {}, 'Progressing'],
    ['apiregistration.k8s.io/v1', 'APIService', condition('Available', true), 'Healthy'],
    ['apiregistration.k8s.io/v1', 'APIService', condition('Available', false), 'Progressing'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', condition('Established', true), 'Healthy'],
    ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', condition('NamesAccepted', false), 'Degraded'],
    ['cert-manager.io/v1', 'Certificate', condition('Ready', true), 'Healthy'],
    ['cert-manager.io/v1', 'Certificate', condition('Ready', false, 'Issuing'), 'Progressing'],
    ['cert-manager.io/v1', 'Certificate', condition('Ready', false, 'IssueFailed'), 'Degraded'],
    ['example.org/v1', 'Thing', condition('Stalled', true), 'Degraded'],
    ['example.org/v1', 'Thing', { spec: { suspend: true } }, 'Suspended'],
  ])('%s %s %j is %s', (apiVersion, kind, fields, expected) => {
    expect(status(apiVersion, kind, fields)).toBe(expected);
  });

  it('is none for kinds that have none, and progresses while the object is being deleted', () => {
    for (const [apiVersion, kind] of [
      ['v1', 'ConfigMap'],
      ['rbac.authorization.k8s.io/v1', 'Role'],
      ['example.org/v1', 'Thing'],
    ] as const)
      expect(status(apiVersion, kind)).toBeNull();
    expect(status('v1', 'ConfigMap', {}, { deletionTimestamp: '2026-01-01T00:00:00Z' })).toBe('Progressing');
  });

  it('is computed for objects that do not have the structure of their kind', () => {
    for (const strange of [
      null,
      5,
      'text',
      [],
      { conditions: 'none' },
      { conditions: [null, 7] },
      { containerStatuses: 1 },
    ])
      for (const [apiVersion, kind] of [
        ['apps/v1', 'Deployment'],
        ['v1', 'Pod'],
        ['batch/v1', 'Job'],
        ['v1', 'Service'],
        ['example.org/v1', 'Thing'],
      ] as const)
        expect(() => status(apiVersion, kind, { spec: strange, status: strange })).not.toThrow();
  });

  it('is as bad as the worst of several', () => {
    expect(findWorstHealth(['Healthy', null, 'Progressing', 'Suspended'])).toBe('Progressing');
    expect(findWorstHealth(['Degraded', 'Missing'])).toBe('Degraded');
    expect(findWorstHealth([null])).toBeNull();
  });
});
