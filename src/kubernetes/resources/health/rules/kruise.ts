import type { HealthRules, RuleLine, RuleLines } from '../health-rule.js';
import { UNREPORTED } from './common.js';

const UNSEEN: RuleLine = [
  'Progressing',
  { '/status/observedGeneration': { below: '/metadata/generation' } },
  'Its controller has not seen the last change',
];
const PARTLY = 'Only a part of it is updated: its partition has to be changed';

/** Workloads of OpenKruise: what stops at a partition waits for somebody, so that it is `Suspended`. */
function workload(strategy: string, partition: RuleLine, end: RuleLines): RuleLines {
  return [
    UNREPORTED,
    UNSEEN,
    ['Suspended', { [`/spec/updateStrategy${strategy}/paused`]: true }, 'It is paused'],
    partition,
    ...end,
  ];
}

export const KRUISE: HealthRules = {
  'apps.kruise.io/CloneSet': workload(
    '',
    [
      'Suspended',
      {
        '/spec/updateStrategy/partition': { not: [0, null] },
        '/metadata/generation': { above: 1 },
        '/status/updatedReplicas': { atLeast: '/status/expectedUpdatedReplicas' },
      },
      PARTLY,
    ],
    [
      [
        'Progressing',
        { '/spec/updateStrategy/partition': { not: [0, null] }, '/metadata/generation': { above: 1 } },
        '{/status/updatedReplicas} of {/status/expectedUpdatedReplicas} replicas are updated',
      ],
      ['Healthy', { '/status/updatedAvailableReplicas': { equals: '/status/replicas' } }],
      ['Degraded', {}, '{/status/updatedAvailableReplicas} of {/status/replicas} replicas are updated and available'],
    ],
  ),
  'apps.kruise.io/StatefulSet': workload(
    '/rollingUpdate',
    [
      'Suspended',
      {
        '/spec/updateStrategy/rollingUpdate/partition': { above: 0 },
        '/metadata/generation': { above: 1 },
        '/status/updatedReplicas': { above: ['/status/replicas', '/spec/updateStrategy/rollingUpdate/partition'] },
      },
      PARTLY,
    ],
    [
      [
        'Progressing',
        { '/spec/updateStrategy/rollingUpdate/partition': { above: 0 }, '/metadata/generation': { above: 1 } },
        '{/status/updatedReplicas} replicas are updated',
      ],
      ['Healthy', { '/status/updatedAvailableReplicas': { equals: '/status/replicas' } }],
      ['Degraded', {}, '{/status/updatedAvailableReplicas} of {/status/replicas} replicas are updated and available'],
    ],
  ),
  'apps.kruise.io/DaemonSet': workload(
    '/rollingUpdate',
    [
      'Suspended',
      {
        '/spec/updateStrategy/rollingUpdate/partition': { above: 0 },
        '/metadata/generation': { above: 1 },
        '/status/updatedNumberScheduled': {
          above: ['/status/desiredNumberScheduled', '/spec/updateStrategy/rollingUpdate/partition'],
        },
      },
      PARTLY,
    ],
    [
      [
        'Healthy',
        {
          '/status/updatedNumberScheduled': { equals: '/status/desiredNumberScheduled' },
          '/status/numberAvailable': { equals: '/status/desiredNumberScheduled' },
        },
      ],
      [
        'Degraded',
        {
          '/status/updatedNumberScheduled': { equals: '/status/desiredNumberScheduled' },
          '/status/numberUnavailable': { equals: '/status/desiredNumberScheduled' },
        },
        'None of its pods is available',
      ],
      ['Progressing', {}, '{/status/numberAvailable} of {/status/desiredNumberScheduled} pods are available'],
    ],
  ),
  'apps.kruise.io/BroadcastJob': [
    ['Healthy', { '/status/phase': 'completed' }],
    ['Degraded', { '/status/phase': 'failed' }, { message: 'It has failed', isFinal: true }],
    ['Suspended', { '/status/phase': 'paused' }, 'It is paused'],
    ['Progressing', {}, 'It is not complete'],
  ],
  'apps.kruise.io/AdvancedCronJob': [
    ['Suspended', { '/spec/paused': true, '/status/lastScheduleTime': null }, 'It is paused'],
    ['Progressing', { '/status/active': { not: null } }, 'A job of it is running'],
    ['Degraded', { '/status/lastScheduleTime': null }, 'It has not run yet'],
    ['Healthy', {}],
  ],
  'game.kruise.io/GameServer': [
    ['Progressing', { '/status/currentState': { differs: '/status/desiredState' } }],
    [
      'Degraded',
      { '/status/podStatus/conditions': { some: { '/type': 'KruisePodReady', '/status': { not: 'True' } } } },
      'Its pod is not ready',
    ],
    ['Healthy', { '/status/currentState': 'Ready' }],
    ['Unknown', {}],
  ],
  'game.kruise.io/GameServerSet': [
    UNSEEN,
    ['Suspended', { '/spec/updateStrategy/rollingUpdate/paused': true }, 'It is paused'],
    [
      'Suspended',
      {
        '/spec/updateStrategy/rollingUpdate/partition': { above: 0 },
        '/status/updatedReplicas': { atLeast: ['/status/replicas', '/spec/updateStrategy/rollingUpdate/partition'] },
      },
      PARTLY,
    ],
    ['Healthy', { '/status/updatedReadyReplicas': { equals: '/status/replicas' } }],
    ['Progressing', {}, '{/status/readyReplicas} of {/status/replicas} replicas are ready'],
  ],
  'rollouts.kruise.io/Rollout': [
    UNSEEN,
    ['Healthy', { '/status/phase': 'Healthy', '/status/canaryStatus/currentStepState': 'Completed' }],
    [
      'Degraded',
      { '/status/phase': ['Terminating', 'Disabled'], '/status/canaryStatus/currentStepState': 'StepPaused' },
    ],
    [
      'Suspended',
      { '/status/phase': 'Progressing', '/status/canaryStatus/currentStepState': 'StepPaused' },
      'It is paused at a step',
    ],
  ],
};
