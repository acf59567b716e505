import type { HealthRules, RuleLines } from '../health-rule.js';
import { byWord, READY, UNREPORTED } from './common.js';

const RUN: RuleLines = [
  ...byWord('/status/phase', {
    Healthy: ['Succeeded', 'Successful'],
    Degraded: ['Failed', 'Error'],
    Progressing: ['', 'Pending', 'Running'],
  }),
  UNREPORTED,
  ['Unknown', {}],
];

const ABORTED = ['RolloutAborted', 'ProgressDeadlineExceeded'];

/** What Argo CD promotes; a change that no controller has seen is one of any of these kinds. */
const PROMOTED: RuleLines = [
  ['Progressing', { '/status': null }],
  [
    'Progressing',
    { '*.observedGeneration': { above: 0, below: '/metadata/generation' } },
    'Its controller has not seen the last change',
  ],
  ...READY,
  ['Progressing', { Ready: 'Unknown' }],
];

/** Of validations of commits: the phases of its environments. */
const VALIDATION: RuleLines = [
  ...PROMOTED.filter(([status]) => status !== 'Healthy'),
  [
    'Degraded',
    { '/status/environments': { some: { '/phase': 'failure' } } },
    'The validation of an environment has failed',
  ],
  [
    'Progressing',
    { '/status/environments': { some: { '/phase': { not: 'success' } } } },
    'The validation of an environment is pending',
  ],
  ['Healthy', { Ready: 'True' }],
];

export const ARGO: HealthRules = {
  'argoproj.io/Application': [
    ...byWord('/status/health/status', {
      Degraded: 'Degraded',
      Progressing: 'Progressing',
      Suspended: 'Suspended',
      Missing: 'Missing',
      Unknown: 'Unknown',
    }),
    ['Healthy', { '/status/health/status': 'Healthy' }],
  ],
  'argoproj.io/ApplicationSet': [
    ['Degraded', { ErrorOccurred: 'True' }],
    ['Degraded', { ResourcesUpToDate: 'False' }],
    ['Progressing', { RolloutProgressing: 'True' }],
    ['Healthy', { ResourcesUpToDate: 'True' }],
  ],
  'argoproj.io/Workflow,AnalysisRun,Experiment': RUN,
  'argoproj.io/CronWorkflow': [
    ['Degraded', { SpecError: 'True' }],
    ['Degraded', { SubmissionError: 'True' }],
    ['Healthy', {}],
  ],
  'argoproj.io/EventBus,EventSource,Sensor': [
    ['Degraded', { Deployed: 'False' }],
    ['Healthy', { Deployed: 'True' }],
  ],
  'argoproj.io/Rollout': [
    [
      'Progressing',
      {
        '/spec/workloadRef': { not: null },
        '/metadata/annotations/rollout.argoproj.io~1workload-generation': {
          not: null,
          differs: '/status/workloadObservedGeneration',
        },
      },
      'Its controller has not seen the last change of its workload',
    ],
    ...byWord('/status/phase', {
      Healthy: 'Healthy',
      Degraded: 'Degraded',
      Suspended: 'Paused',
      Progressing: 'Progressing',
    }),
    ['Degraded', { InvalidSpec: { not: null } }, { isFinal: true }],
    ['Degraded', { 'Progressing.reason': ABORTED }],
    ['Suspended', { '/status/pauseConditions': { not: null } }, 'It is paused'],
    ['Suspended', { '/spec/paused': true }, 'It is paused'],
    ['Progressing', { '/status/currentPodHash': null }],
    [
      'Progressing',
      { '/status/updatedReplicas': { below: '/spec/replicas' } },
      '{/status/updatedReplicas} of {/spec/replicas} replicas are updated',
    ],
    [
      'Progressing',
      { '/status/availableReplicas': { below: '/status/updatedReplicas' } },
      '{/status/availableReplicas} of {/status/updatedReplicas} replicas are available',
    ],
    [
      'Progressing',
      {
        '/spec/strategy/blueGreen': { not: null },
        '/status/blueGreen/activeSelector': { differs: '/status/currentPodHash' },
      },
      'The active service has not been switched over yet',
    ],
    [
      'Progressing',
      {
        '/spec/strategy/blueGreen': { not: null },
        '/status/stableRS': { not: null, differs: '/status/currentPodHash' },
      },
      'Its analysis has not ended yet',
    ],
    [
      'Progressing',
      { '/spec/strategy/canary': { not: null }, '/status/replicas': { above: '/status/updatedReplicas' } },
      'Replicas of the previous version are still there',
    ],
    [
      'Progressing',
      {
        '/spec/strategy/canary': { not: null },
        '/status/stableRS': { differs: '/status/currentPodHash' },
        '/status/canary/stableRS': { differs: '/status/currentPodHash' },
      },
      'Its steps have not ended yet',
    ],
    ['Healthy', {}],
  ],
  'promoter.argoproj.io/ArgoCDCommitStatus': [
    ...PROMOTED.filter(([status]) => status !== 'Healthy'),
    ['Degraded', { Ready: 'True', '/status/applicationsSelected': null }, 'It selects no applications'],
    ['Healthy', { Ready: 'True' }],
  ],
  'promoter.argoproj.io/CommitStatus,GitRepository,ScmProvider,ClusterScmProvider': PROMOTED,
  'promoter.argoproj.io/PullRequest': [
    ...PROMOTED,
    ['Degraded', { Reconciled: 'False' }],
    ['Healthy', { Reconciled: 'True' }],
  ],
  'promoter.argoproj.io/GitCommitStatus,TimedCommitStatus,WebRequestCommitStatus': VALIDATION,
  'promoter.argoproj.io/ChangeTransferPolicy': [
    ...PROMOTED.filter(([status]) => status !== 'Healthy'),
    ['Progressing', { '/status/active/dry/sha': null }, 'The active commit is not known yet'],
    ['Progressing', { '/status/proposed/dry/sha': { differs: '/status/active/dry/sha' } }, 'It is being promoted'],
    ['Healthy', { Ready: 'True' }],
  ],
  'promoter.argoproj.io/PromotionStrategy': [
    ...PROMOTED.filter(([status]) => status !== 'Healthy'),
    ['Degraded', { Ready: 'True', '/status/environments': null }, 'It has no environments'],
    [
      'Progressing',
      { '/status/environments': { some: { '/active/dry/sha': null } } },
      'The active commit of an environment is not known yet',
    ],
    [
      'Progressing',
      { '/status/environments': { some: { '/proposed/dry/sha': null, '/proposed/note/drySha': null } } },
      'The proposed commit of an environment is not known yet',
    ],
    [
      'Progressing',
      { '/status/environments': { some: { '/proposed/dry/sha': { differs: './active/dry/sha' } } } },
      'An environment is being promoted',
    ],
    [
      'Progressing',
      {
        '/status/environments': {
          some: { '/proposed/note/drySha': { differs: '/status/environments/0/proposed/note/drySha' } },
        },
      },
      'The proposed commit is not that of all environments yet',
    ],
    ['Healthy', { Ready: 'True' }],
  ],
};
