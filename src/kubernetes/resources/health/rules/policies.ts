import type { HealthRules, RuleLines } from '../health-rule.js';

const COMPLIANCE: RuleLines = [
  ['Progressing', { '/status/compliant': null }],
  ['Healthy', { '/status/compliant': 'Compliant' }],
];

export const POLICIES: HealthRules = {
  'policy.open-cluster-management.io/CertificatePolicy': [
    ...COMPLIANCE,
    ['Degraded', {}, 'A certificate does not comply'],
  ],
  'policy.open-cluster-management.io/ConfigurationPolicy': [
    ['Progressing', { '/status/compliant': null }],
    [
      'Progressing',
      { '/status/lastEvaluatedGeneration': { differs: '/metadata/generation' } },
      'Its controller has not seen the last change',
    ],
    ...COMPLIANCE,
    ['Degraded', {}, 'The cluster does not comply'],
  ],
  'policy.open-cluster-management.io/OperatorPolicy': [
    ['Healthy', { Compliant: 'True' }],
    ['Degraded', { Compliant: { not: 'True' } }],
  ],
  'policy.open-cluster-management.io/Policy': [
    ['Healthy', { '/spec/disabled': true }, 'It is disabled'],
    // Its placement has been decided, and no cluster was chosen.
    ['Healthy', { '/status/compliant': null, '/status/status': null, '/status/placement': { not: null } }],
    ...COMPLIANCE,
    ['Degraded', {}, 'A cluster does not comply'],
  ],
  'kyverno.io/Policy,ClusterPolicy': [['Healthy', { Ready: 'True', 'Ready.reason': 'Succeeded' }]],
};
