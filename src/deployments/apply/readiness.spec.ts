import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { becomesReady, getReadiness } from './readiness.js';
import { findPodFailure } from './pod-failure.js';

function workload(kind: string, spec: object, status: object, generation = 1): KubernetesObject {
  const apiVersion = { Pod: 'v1', ReplicationController: 'v1', Job: 'batch/v1' }[kind] ?? 'apps/v1';
  return { apiVersion, kind, metadata: { name: 'a', generation }, spec, status: { observedGeneration: 1, ...status } };
}

const condition = (type: string, status: string, reason?: string, message?: string) => ({
  conditions: [{ type, status, reason, message }],
});

describe('Readiness', () => {
  it.each<[string, KubernetesObject]>([
    [
      'a deployment',
      workload('Deployment', { replicas: 2 }, { replicas: 2, updatedReplicas: 2, availableReplicas: 2 }),
    ],
    ['a deployment of none', workload('Deployment', { replicas: 0 }, {})],
    ['a paused deployment', workload('Deployment', { paused: true }, {})],
    [
      'a stateful set',
      workload(
        'StatefulSet',
        { replicas: 1 },
        { readyReplicas: 1, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'a' },
      ),
    ],
    [
      'a stateful set updated by hand',
      workload('StatefulSet', { updateStrategy: { type: 'OnDelete' } }, { readyReplicas: 1 }),
    ],
    [
      'a partitioned stateful set',
      workload(
        'StatefulSet',
        { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } },
        { readyReplicas: 3, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
      ),
    ],
    [
      'a daemon set',
      workload('DaemonSet', {}, { desiredNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 2 }),
    ],
    ['a job', workload('Job', {}, condition('Complete', 'True'))],
    ['a suspended job', workload('Job', { suspend: true }, {})],
    ['a pod', workload('Pod', {}, condition('Ready', 'True'))],
    ['a pod that has done its work', workload('Pod', {}, { phase: 'Succeeded' })],
    ['what does not become ready', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }],
  ])('is reached by %s', (_, object) => {
    expect(getReadiness(object)).toEqual({ state: 'ready' });
  });

  it.each<[string, KubernetesObject]>([
    [
      'its controller has not seen it yet',
      workload('Deployment', {}, { replicas: 1, updatedReplicas: 1, availableReplicas: 1 }, 2),
    ],
    ['0 of 1 replicas are updated', workload('Deployment', {}, {})],
    [
      '0 of 1 replicas are updated (no room)',
      workload('Deployment', {}, condition('ReplicaFailure', 'True', 'FailedCreate', 'no room')),
    ],
    [
      '1 old replicas are still there',
      workload('Deployment', {}, { replicas: 2, updatedReplicas: 1, availableReplicas: 2 }),
    ],
    [
      '1 of 2 replicas are available',
      workload('Deployment', { replicas: 2 }, { replicas: 2, updatedReplicas: 2, availableReplicas: 1 }),
    ],
    ['0 of 1 replicas are ready', workload('StatefulSet', {}, {})],
    [
      '0 of 1 replicas are updated',
      workload('StatefulSet', {}, { readyReplicas: 1, currentRevision: 'a', updateRevision: 'b' }),
    ],
    [
      '1 of 2 nodes have the new pod',
      workload('DaemonSet', {}, { desiredNumberScheduled: 2, updatedNumberScheduled: 1 }),
    ],
    [
      'the pods of 0 of 1 nodes are available',
      workload('DaemonSet', {}, { desiredNumberScheduled: 1, updatedNumberScheduled: 1 }),
    ],
    ['0 of 1 replicas are ready', workload('ReplicaSet', {}, {})],
    ['it is not complete', workload('Job', {}, {})],
    ['it is not ready', workload('Pod', {}, { phase: 'Running' })],
  ])('is awaited while %s', (detail, object) => {
    expect(getReadiness(object)).toEqual({ state: 'waiting', detail });
  });

  it.each<[string, KubernetesObject]>([
    [
      'ProgressDeadlineExceeded: late',
      workload('Deployment', {}, condition('Progressing', 'False', 'ProgressDeadlineExceeded', 'late')),
    ],
    [
      `ProgressDeadlineExceeded: [31m${'x'.repeat(4_000 - 'ProgressDeadlineExceeded: _[31m'.length)} … (cut)`,
      workload('Deployment', {}, condition('Progressing', 'False', 'ProgressDeadlineExceeded', `\u001b[31m${'x'.repeat(9_000)}`)), // prettier-ignore
    ],
    [
      'BackoffLimitExceeded: too often',
      workload('Job', {}, condition('Failed', 'True', 'BackoffLimitExceeded', 'too often')),
    ],
    ['Evicted: disk', workload('Pod', {}, { phase: 'Failed', reason: 'Evicted', message: 'disk' })],
  ])('is out of reach after %s', (detail, object) => {
    expect(getReadiness(object)).toEqual({ state: 'failed', detail });
  });

  it('applies to workloads only', () => {
    expect(becomesReady({ apiVersion: 'apps/v1', kind: 'Deployment' })).toBe(true);
    expect(becomesReady({ apiVersion: 'example.com/v1', kind: 'Deployment' })).toBe(false);
    expect(becomesReady({ apiVersion: 'v1', kind: 'constructor' })).toBe(false);
  });
});

describe('The failure of a pod', () => {
  it.each([
    [
      'container app: ImagePullBackOff: no such image',
      {
        containerStatuses: [
          { name: 'app', state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
        ],
      },
    ],
    [
      'container init: Error with exit code 3',
      { initContainerStatuses: [{ name: 'init', state: { terminated: { reason: 'Error', exitCode: 3 } } }] },
    ],
    [
      'container app runs but is not ready',
      { containerStatuses: [{ name: 'app', ready: false, state: { running: {} } }] },
    ],
    ['Unschedulable: no node', condition('PodScheduled', 'False', 'Unschedulable', 'no node')],
    [undefined, {}],
  ])('is %s', (detail, status) => {
    expect(findPodFailure(workload('Pod', {}, status))?.detail).toBe(detail);
  });
});
