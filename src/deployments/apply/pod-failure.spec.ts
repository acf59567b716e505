import { findPodFailure } from './pod-failure.js';

const condition = (type: string, status: string, reason?: string, message?: string) => ({
  conditions: [{ type, status, reason, message }],
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
    expect(findPodFailure({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, status })?.detail).toBe(detail);
  });
});
