import type { HealthRules } from '../health-rule.js';
import { byWord, READY } from './common.js';

/** Objects that stand for something of a cloud. */
export const CLOUDS: HealthRules = {
  '*.cnrm.cloud.google.com/*': [
    ['Healthy', { '/status/healthy': true }],
    ['Degraded', { '/status/healthy': false }, 'Its controller says that it is not healthy'],
    ['Healthy', { '*': 'True', '*.reason': 'UpToDate' }],
    ['Degraded', { '*.reason': ['UpdateFailed', 'DependencyNotFound'] }],
    ['Suspended', { '*.reason': 'DependencyNotReady' }, { isStuck: true }],
  ],
  '*.services.k8s.aws/*': [
    ['Degraded', { 'ACK.Terminal': 'True' }, { isFinal: true }],
    ['Healthy', { Ready: 'True' }],
    ['Progressing', { Ready: 'False' }],
  ],
  'networking.gke.io/ManagedCertificate': [
    [
      'Degraded',
      { '/status/domainStatus': { some: { '/status': 'FailedNotVisible' } } },
      'A certificate could not be provisioned: its domain is not visible',
    ],
    ['Healthy', { '/status/certificateStatus': 'Active' }],
    ['Progressing', {}, 'A certificate is still being provisioned'],
  ],
  'iammanager.keikoproj.io/Iamrole': byWord('/status/state', {
    Healthy: 'Ready',
    Degraded: ['Error', 'RolesMaxLimitReached', 'PolicyNotAllowed', 'RoleNameNotAvailable'],
  }),
  'services.cloud.sap.com/ServiceBinding,ServiceInstance': [
    [
      'Progressing',
      { '*.observedGeneration': { above: 0, below: '/metadata/generation' } },
      'Its controller has not seen the last change',
    ],
    ['Degraded', { Succeeded: 'False' }],
    ['Degraded', { Failed: 'True' }],
    ['Healthy', { '*': { not: null } }],
  ],
  'pulumi.com/Stack': [
    [
      'Progressing',
      { '/status/observedGeneration': { below: '/metadata/generation' } },
      'Its controller has not seen the last change',
    ],
    ['Degraded', { Stalled: 'True' }, { isFinal: true }],
    ['Progressing', { Reconciling: 'True' }],
    ['Healthy', { Ready: 'True' }],
  ],
  'spot.io/SpotDeployment': [
    ['Degraded', { InvalidSpec: { not: null } }],
    ['Degraded', { 'Progressing.reason': ['RolloutAborted', 'ProgressDeadlineExceeded'] }],
    ['Suspended', { Paused: 'True' }],
    ['Progressing', { '/status/phase': 'Progressing' }],
    ['Healthy', { '/status/conditions': { not: null } }],
  ],
  'core.gardener.cloud/Shoot': byWord('/metadata/labels/shoot.gardener.cloud~1status', {
    Healthy: 'healthy',
    Degraded: 'unhealthy',
    Unknown: 'unknown',
  }),
  'karpenter.k8s.aws/EC2NodeClass': READY,
  'karpenter.sh/NodePool': READY,
  'karpenter.sh/NodeClaim': [
    ['Suspended', { Disrupting: 'True' }],
    ...READY,
    ['Progressing', { Initialized: 'True' }, 'The node is initialized and not ready yet'],
    ['Progressing', { Registered: 'True' }, 'The node is registered and not initialized yet'],
    ['Progressing', { Launched: 'True' }, 'The node is launched and not registered yet'],
    ['Progressing', {}, 'The node is not launched yet'],
  ],
};
