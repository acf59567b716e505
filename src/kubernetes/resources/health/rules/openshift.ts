import type { HealthRules } from '../health-rule.js';
import { byWord } from './common.js';

const AVAILABLE = 'NewReplicationControllerAvailable';

/** OpenShift, and the Operator Lifecycle Manager. */
export const OPENSHIFT: HealthRules = {
  'apps.openshift.io/DeploymentConfig': [
    ['Progressing', { '/status/conditions': null }],
    ['Progressing', { '/status/replicas': { not: 0, below: 0 } }],
    ['Healthy', { '/status/replicas': 0 }],
    ['Healthy', { Available: 'True', Progressing: 'True', 'Progressing.reason': AVAILABLE }],
    ['Progressing', { Available: 'True' }, 'Its new version is not rolled out yet'],
    ['Progressing', { Progressing: 'True', 'Progressing.reason': AVAILABLE }, 'It is not available yet'],
    ['Degraded', { Available: { not: 'True' } }],
    ['Degraded', {}, 'It is not available'],
  ],
  'route.openshift.io/Route': [
    ['Progressing', { '/status/ingress': null }],
    ['Degraded', { '/status/ingress': { some: { Admitted: 'False' } } }, 'A router has not admitted it'],
    ['Healthy', { '/status/ingress': { every: { Admitted: 'True' } } }],
  ],
  'operator.openshift.io/IngressController': [
    ['Degraded', { Degraded: 'True' }],
    ['Progressing', { DeploymentReplicasAllAvailable: 'False' }],
    ['Progressing', { Progressing: 'True' }],
    ['Healthy', { Available: 'True' }],
  ],
  'operators.coreos.com/Subscription': [
    ['Degraded', { '/status/state': 'UpgradeFailed' }],
    ['Degraded', { CatalogSourcesUnhealthy: 'True' }],
    ['Degraded', { InstallPlanFailed: 'True' }],
    ['Degraded', { ResolutionFailed: 'True' }],
    [
      'Degraded',
      { 'InstallPlanMissing.reason': { not: 'ReferencedInstallPlanNotFound' }, '/status/conditions': { not: null } },
    ],
    // An upgrade waits for an approval by hand, and what is installed goes on.
    [
      'Healthy',
      {
        '/spec/installPlanApproval': 'Manual',
        '/status/installedCSV': { not: null },
        'InstallPlanPending.reason': 'RequiresApproval',
        InstallPlanPending: 'True',
      },
      'An upgrade waits for approval',
    ],
    ['Progressing', { InstallPlanPending: 'True' }],
    ['Progressing', { '/status/state': [null, 'UpgradeAvailable', 'UpgradePending'] }],
    ['Healthy', { '/status/conditions': { not: null } }],
  ],
  'nmstate.io/NodeNetworkConfigurationPolicy': [
    ['Healthy', { Available: 'True' }],
    ['Degraded', { Degraded: 'True' }],
    ['Progressing', { Progressing: 'True' }],
    ['Suspended', { Ignored: 'True' }],
  ],
  'kubevirt.io/VirtualMachine': [
    ['Suspended', { Paused: 'True' }],
    ['Healthy', { Ready: 'True' }],
    ['Progressing', { Ready: { not: 'True' }, '/status/created': true }],
    ['Suspended', { Ready: { not: 'True' } }, 'It is stopped'],
  ],
  'kubevirt.io/VirtualMachineInstance': [
    ...byWord('/status/phase', {
      Degraded: 'Failed',
      Progressing: ['Pending', 'Scheduling', 'Scheduled'],
      Unknown: 'Unknown',
    }),
    ['Suspended', { '/status/phase': 'Succeeded' }, 'It is stopped'],
    ['Suspended', { Paused: 'True' }],
    ['Healthy', { Ready: 'True' }],
    ['Degraded', { Ready: { not: 'True' } }],
  ],
};
