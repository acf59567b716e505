import type { HealthRules, RuleLine, RuleLines } from '../health-rule.js';

const UNSEEN: RuleLine = [
  'Progressing',
  { '/status/observedGeneration': { below: '/metadata/generation' } },
  'Its controller has not seen the last change',
];

const FAULTS: RuleLines = [
  UNSEEN,
  ['Degraded', { '/status/phase': 'Failed' }],
  [
    'Degraded',
    { '/metadata/labels/numaplane.numaproj.io~1progressive-result-state': 'failed' },
    'Its progressive upgrade has failed',
  ],
  ['Degraded', { '*': 'False' }],
];

/** Rollouts replace what they deploy, so that the state of their children counts. */
function rollout(fault: RuleLine[1][string], paused?: string): RuleLines {
  const upgrading = 'An upgrade is in progress';
  return [
    ['Progressing', { '/status': null }],
    UNSEEN,
    // One that has failed is not in progress, though its record stays.
    ['Degraded', { '/status/phase': 'Failed', ProgressiveUpgradeSucceeded: 'False' }],
    ['Degraded', { ProgressiveUpgradeSucceeded: 'False', 'ChildResourcesHealthy.reason': { not: 'Progressing' } }],
    ['Progressing', { '/status/phase': 'Pending' }, upgrading],
    ['Progressing', { '/status/upgradeInProgress': { not: null } }, upgrading],
    ['Progressing', { ChildResourcesHealthy: 'False', 'ChildResourcesHealthy.reason': 'Progressing' }],
    ['Degraded', { '/status/phase': 'Failed' }],
    [
      'Degraded',
      {
        ChildResourcesHealthy: 'False',
        'ChildResourcesHealthy.reason': fault,
      },
    ],
    ['Degraded', { ProgressiveUpgradeSucceeded: 'False' }],
    ...(paused ? [['Healthy', { [paused]: 'True' }] as const] : []),
    ['Healthy', { ChildResourcesHealthy: 'True' }],
    ['Unknown', {}],
  ];
}

export const NUMAPROJ: HealthRules = {
  'numaflow.numaproj.io/InterStepBufferService': [...FAULTS, ['Healthy', { '/status/phase': 'Running' }]],
  'numaflow.numaproj.io/MonoVertex,Pipeline,Vertex': [
    ...FAULTS,
    ['Healthy', { '/status/phase': ['Running', 'Paused', 'Pausing'] }],
  ],
  'numaplane.numaproj.io/ISBServiceRollout': rollout('ISBSvcFailed'),
  'numaplane.numaproj.io/NumaflowControllerRollout': rollout({ not: 'Progressing' }),
  'numaplane.numaproj.io/MonoVertexRollout': rollout('MonoVertexFailed', 'MonoVertexPausingOrPaused'),
  'numaplane.numaproj.io/PipelineRollout': rollout('PipelineFailed', 'PipelinePausingOrPaused'),
};
