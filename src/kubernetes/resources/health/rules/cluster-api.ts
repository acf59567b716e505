import type { HealthRules } from '../health-rule.js';
import { byWord, PAUSED } from './common.js';

/** Clusters that are objects of a cluster: Cluster API, Karmada, Gardener's kin. */
export const CLUSTER_API: HealthRules = {
  'addons.cluster.x-k8s.io/ClusterResourceSet': [
    ['Healthy', { ResourcesApplied: 'True' }],
    ['Degraded', { ResourcesApplied: 'False' }],
  ],
  'cluster.x-k8s.io/Cluster': [
    PAUSED,
    ['Degraded', { Ready: 'False', 'Ready.severity': { not: 'Info' } }],
    ...byWord('/status/phase', { Healthy: 'Provisioned', Degraded: 'Failed' }),
    ['Progressing', { Ready: 'False' }],
  ],
  'cluster.x-k8s.io/Machine': [
    ...byWord('/status/phase', { Healthy: 'Running', Degraded: 'Failed' }),
    ['Progressing', { Ready: 'False' }],
  ],
  'cluster.x-k8s.io/MachineDeployment': [
    PAUSED,
    ...byWord('/status/phase', { Healthy: 'Running', Degraded: 'Failed', Progressing: ['ScalingUp', 'ScalingDown'] }),
  ],
  'cluster.x-k8s.io/MachinePool': byWord('/status/phase', {
    Healthy: ['Running', 'Scaling'],
    Degraded: ['Failed', 'Unknown'],
  }),
  'cluster.x-k8s.io/MachineHealthCheck': [
    ['Progressing', { '/status/currentHealthy': null }],
    ['Healthy', { '/status/expectedMachines': { equals: '/status/currentHealthy' } }],
    ['Degraded', {}, '{/status/currentHealthy} of {/status/expectedMachines} machines are healthy'],
  ],
  'controlplane.cluster.x-k8s.io/AWSManagedControlPlane': [
    ['Degraded', { '/status/failureMessage': { not: null } }, { message: '{/status/failureMessage}', isFinal: true }],
    ['Progressing', { EKSControlPlaneUpdating: 'True' }],
    ['Healthy', { Ready: 'True' }],
    ['Degraded', { '*': 'False', '*.severity': 'Error' }],
    ['Progressing', { Ready: 'False' }],
  ],
  'work.karmada.io/ResourceBinding,ClusterResourceBinding': [
    ['Progressing', { '/status/aggregatedStatus': null }],
    [
      'Degraded',
      { '/status/aggregatedStatus': { some: { '/health': 'Unhealthy' } } },
      'It is not healthy in a cluster',
    ],
    [
      'Degraded',
      { '/status/aggregatedStatus': { some: { '/health': 'Unknown', '/applied': { not: true } } } },
      'It was not applied in a cluster',
    ],
    [
      'Progressing',
      { '/status/aggregatedStatus/length': { below: '/spec/clusters/length' } },
      'The state in {/status/aggregatedStatus/length} of {/spec/clusters/length} clusters is known',
    ],
    ['Healthy', {}],
  ],
};
