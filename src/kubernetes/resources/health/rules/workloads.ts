import type { HealthRules, RuleLine, RuleLines } from '../health-rule.js';
import { judgePod } from './pod.js';

/** These controllers always say which change they have seen. */
const UNSEEN: RuleLine = [
  'Progressing',
  { '/status/observedGeneration': { below: '/metadata/generation' } },
  'Its controller has not seen the last change',
];

const REPLICAS: RuleLines = [
  UNSEEN,
  ['Degraded', { ReplicaFailure: 'True' }],
  [
    'Progressing',
    { '/status/availableReplicas': { below: '/spec/replicas' } },
    '{/status/availableReplicas} of {/spec/replicas} replicas are available',
  ],
  ['Healthy', {}],
];

/** As `kubectl rollout status` and Argo CD. */
export const WORKLOADS: HealthRules = {
  'apps/Deployment': [
    ['Suspended', { '/spec/paused': true }, 'It is paused'],
    UNSEEN,
    ['Degraded', { 'Progressing.reason': 'ProgressDeadlineExceeded' }, { isFinal: true }],
    [
      'Progressing',
      { '/status/updatedReplicas': { below: '/spec/replicas' } },
      '{/status/updatedReplicas} of {/spec/replicas} replicas are updated',
    ],
    [
      'Progressing',
      { '/status/replicas': { above: '/status/updatedReplicas' } },
      'Replicas of the previous version are still there',
    ],
    [
      'Progressing',
      { '/status/availableReplicas': { below: '/status/updatedReplicas' } },
      '{/status/availableReplicas} of {/status/updatedReplicas} replicas are available',
    ],
    ['Healthy', {}],
  ],
  'apps/StatefulSet': [
    UNSEEN,
    [
      'Progressing',
      { '/status/readyReplicas': { below: '/spec/replicas' } },
      '{/status/readyReplicas} of {/spec/replicas} replicas are ready',
    ],
    ['Healthy', { '/spec/updateStrategy/type': 'OnDelete' }],
    [
      'Progressing',
      {
        '/spec/updateStrategy/rollingUpdate': { not: null },
        '/status/updatedReplicas': { below: ['/spec/replicas', '/spec/updateStrategy/rollingUpdate/partition'] },
      },
      '{/status/updatedReplicas} of {/spec/replicas} replicas are updated',
    ],
    ['Healthy', { '/spec/updateStrategy/rollingUpdate': { not: null } }],
    [
      'Progressing',
      { '/status/updateRevision': { differs: '/status/currentRevision' } },
      '{/status/updatedReplicas} of {/spec/replicas} replicas are updated',
    ],
    ['Healthy', {}],
  ],
  'apps/DaemonSet': [
    UNSEEN,
    ['Healthy', { '/spec/updateStrategy/type': 'OnDelete' }],
    [
      'Progressing',
      { '/status/updatedNumberScheduled': { below: '/status/desiredNumberScheduled' } },
      '{/status/updatedNumberScheduled} of {/status/desiredNumberScheduled} nodes have the new pod',
    ],
    [
      'Progressing',
      { '/status/numberAvailable': { below: '/status/desiredNumberScheduled' } },
      'The pods of {/status/numberAvailable} of {/status/desiredNumberScheduled} nodes are available',
    ],
    ['Healthy', {}],
  ],
  'apps/ReplicaSet': REPLICAS,
  '/ReplicationController': REPLICAS,
  '/Pod': judgePod,
  'batch/Job': [
    ['Degraded', { Failed: 'True' }, { isFinal: true }],
    ['Healthy', { Complete: 'True' }],
    ['Suspended', { '/spec/suspend': true }, 'It is suspended'],
    ['Suspended', { Suspended: 'True' }],
    ['Progressing', {}, 'It is not complete'],
  ],
  'batch/CronJob': [
    ['Healthy', { '/spec/suspend': true }, 'It is suspended'],
    ['Progressing', { '/status': null }],
    ['Healthy', { '/status/active': { not: null } }, 'A job of it is running'],
    ['Healthy', { '/status/lastSuccessfulTime': null }],
    [
      'Degraded',
      { '/status/lastSuccessfulTime': { below: '/status/lastScheduleTime' } },
      { message: 'Its last job has failed: none has succeeded since {/status/lastSuccessfulTime}', isOutside: true },
    ],
    ['Healthy', {}],
  ],
};
