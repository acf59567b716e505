import type { HealthRules, RuleLines } from '../health-rule.js';

/** Kinds that configure and whose controllers write no status. */
const CONFIGURATION =
  'Composition,CompositionRevision,DeploymentRuntimeConfig,ClusterProviderConfig,ProviderConfig,ProviderConfigUsage,ControllerConfig';

const GOOD = ['Ready', 'Healthy', 'Offered', 'Established', 'ValidPipeline', 'RevisionHealthy'];

const MANAGED: RuleLines = [
  ['Degraded', { LastAsyncOperation: 'False' }],
  ['Suspended', { Synced: 'False', 'Synced.reason': 'ReconcilePaused' }],
  ['Degraded', { Synced: 'False' }],
  ...GOOD.map((type) => ['Healthy', { [type]: 'True' }] as const),
  ['Progressing', { Ready: { not: 'True' } }],
];

const CONFIGURED: RuleLines = [
  ['Degraded', { Synced: 'False' }],
  ['Healthy', { '/status/conditions': null }],
  ...MANAGED,
];

/** Of the first provider for AWS, which says whether it could reach it before whether it is there. */
const CLASSIC: RuleLines = [
  ['Healthy', { Ready: 'True', Synced: 'True' }],
  ['Suspended', { Synced: 'False', 'Synced.reason': 'ReconcilePaused' }],
  ['Progressing', { Synced: 'True' }],
  ['Degraded', { Synced: { not: 'True' } }],
  ['Degraded', { '*': { not: null } }],
];

export const CROSSPLANE: HealthRules = {
  [`*.crossplane.io/${CONFIGURATION}`]: CONFIGURED,
  '*.crossplane.io/*': MANAGED,
  '*.upbound.io/ClusterProviderConfig,ProviderConfig,ProviderConfigUsage': CONFIGURED,
  '*.upbound.io/*': MANAGED,
  'pkg.crossplane.io/Provider,Function,Configuration': [
    ['Healthy', { Installed: 'True', Healthy: 'True' }],
    ['Degraded', { Installed: { not: 'True' } }],
    ['Degraded', { Healthy: { not: 'True' } }],
    ['Degraded', { '*': { not: null } }],
  ],
  'stacks.crossplane.io/ClusterStackInstall': [
    ['Healthy', { '/status/conditionedStatus/conditions': { some: { '/type': 'Ready', '/status': 'True' } } }],
    ['Progressing', {}, 'The stack is not installed yet'],
  ],
  'iam.aws.crossplane.io/Policy,Role,RolePolicyAttachment': CLASSIC,
  'rds.aws.crossplane.io/DBCluster,DBInstance': CLASSIC,
  'route53.aws.crossplane.io/ResourceRecordSet': CLASSIC,
  's3.aws.crossplane.io/Bucket': CLASSIC,
  'cloudfront.aws.crossplane.io/Distribution': CLASSIC,
};
