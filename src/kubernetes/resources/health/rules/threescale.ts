import type { HealthRules, RuleLines } from '../health-rule.js';

const FAULTS: RuleLines = [
  ['Degraded', { Invalid: 'True' }],
  ['Degraded', { Orphan: 'True' }],
  ['Degraded', { Failed: 'True' }],
];
const READY: RuleLines = [['Healthy', { Ready: 'True' }], ...FAULTS];
const SYNCED: RuleLines = [['Healthy', { Synced: 'True' }], ...FAULTS];

/** 3scale API Management. */
export const THREESCALE: HealthRules = {
  'apps.3scale.net/APIManager': [
    [
      'Healthy',
      {
        '/status/deployments/ready': { not: null },
        '/status/deployments/starting': null,
        '/status/deployments/stopped': null,
      },
    ],
    ['Healthy', { Available: 'True' }],
    ['Degraded', { Available: { not: 'True' }, 'Available.reason': { not: null } }],
  ],
  'capabilities.3scale.net/ActiveDoc,ApplicationAuth,CustomPolicyDefinition,OpenAPI': READY,
  'capabilities.3scale.net/Backend,Product': SYNCED,
  'capabilities.3scale.net/DeveloperAccount': [...READY, ['Suspended', { Waiting: 'True' }]],
  'capabilities.3scale.net/DeveloperUser': [
    ['Suspended', { '/status/developerUserState': 'suspended' }, 'It is suspended'],
    ...READY,
  ],
  'capabilities.3scale.net/ProxyConfigPromote': READY,
  'capabilities.3scale.net/Application': [
    ['Suspended', { '/status/state': 'suspended' }, 'It is suspended'],
    ['Healthy', { Ready: 'True' }],
    ['Degraded', { Ready: { not: 'True' }, '/status/adminId': { below: 1 } }],
  ],
  'capabilities.3scale.net/Tenant': [
    ['Healthy', { Ready: 'True', '/status/tenantId': { above: 0 }, '/status/adminId': { above: 0 } }],
    ['Degraded', { Ready: { not: 'True' } }],
  ],
};
