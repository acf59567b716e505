import type { HealthRules, RuleLines } from '../health-rule.js';
import { byWord } from './common.js';

const ASTRA_RUN: RuleLines = [
  ...byWord('/status/state', { Healthy: 'Completed', Progressing: 'Running' }),
  ['Degraded', { '/status/state': { not: null } }],
];

export const STORAGE: HealthRules = {
  'ceph.rook.io/CephCluster': [
    ['Degraded', { '/status/ceph/health': ['HEALTH_ERR', 'HEALTH_WARN'] }],
    ['Degraded', { '/status/state': 'Error' }],
    ['Healthy', { '/status/ceph/health': 'HEALTH_OK', '/status/state': ['Created', 'Connected', null] }],
  ],
  'ceph.rook.io/CephObjectStore': byWord('/status/phase', { Healthy: 'Ready', Degraded: 'Failure' }),
  'objectbucket.io/ObjectBucketClaim': byWord('/status/phase', { Healthy: 'Bound', Degraded: 'Failed' }),
  'ocs.openshift.io/StorageCluster': [
    ['Degraded', { Degraded: 'True' }],
    ['Progressing', { Progressing: 'True' }],
    ['Healthy', { Available: 'True' }],
    ['Unknown', {}],
  ],
  'minio.min.io/Tenant': byWord('/status/currentState', {
    Healthy: 'Initialized',
    Degraded: [
      'Statefulset not controlled by operator',
      'Another MinIO Tenant already exists in the namespace',
      'Tenant credentials are not set properly',
      'Different versions across MinIO Pools',
      'Pool Decommissioning Not Allowed',
    ],
  }),
  'trident.netapp.io/TridentBackendConfig': [
    ['Degraded', { '/status/lastOperationStatus': 'Failed' }],
    ['Healthy', { '/status/phase': 'Bound', '/status/lastOperationStatus': 'Success' }],
  ],
  'trident.netapp.io/TridentOrchestrator': byWord('/status/status', {
    Healthy: 'Installed',
    Degraded: ['Failed', 'Error'],
  }),
  'astra.netapp.io/AppVault': byWord('/status/state', {
    Healthy: ['available', 'Available'],
    Degraded: ['failed', 'Failed'],
  }),
  'astra.netapp.io/Application': [
    ['Healthy', { Ready: 'True' }],
    ['Degraded', { Ready: 'False' }],
  ],
  'astra.netapp.io/Backup,ExecHooksRun,ResourceBackup,ResticVolumeBackup,Snapshot': ASTRA_RUN,
  'astra.netapp.io/ExecHook': [
    ['Healthy', { '/spec/enabled': true }],
    ['Suspended', { '/spec/enabled': false }, 'It is disabled'],
  ],
  'astra.netapp.io/Schedule': [['Healthy', {}]],
  'cdi.kubevirt.io/DataVolume': [
    ...byWord('/status/phase', { Healthy: 'Succeeded', Degraded: ['Failed', 'Unknown'], Suspended: 'Paused' }),
    ['Degraded', { Running: 'False', 'Running.reason': 'Error' }],
  ],
};
