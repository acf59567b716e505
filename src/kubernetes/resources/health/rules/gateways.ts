import {
  compileRule,
  type HealthRule,
  type HealthRules,
  type RuleLine,
  type RuleLines,
  type Tests,
} from '../health-rule.js';

const STALE: Tests = { '*.observedGeneration': { above: 0, below: '/metadata/generation' } };

const SEEN: Tests = {
  '/conditions': {
    not: null,
    none: { '/observedGeneration': { above: 0, below: '/metadata/generation' } },
  },
};

/** What a gateway, or one that serves a route, says of it: `ResolvedRefs` and `Accepted` are decisions, `Programmed` comes later. */
function route(list: string, of: string, asks: boolean): RuleLines {
  const line = (status: RuleLine[0], type: string, found: 'False' | { not: 'True' }, says: string): RuleLine => [
    status,
    { [list]: { some: { [type]: found, ...(asks && SEEN) } } },
    `${of} ${says}`,
  ];
  return [
    line('Degraded', 'ResolvedRefs', 'False', 'cannot find what it refers to'),
    line('Degraded', 'Accepted', 'False', 'has not accepted it'),
    line('Progressing', 'Programmed', { not: 'True' }, 'does not serve it yet'),
  ];
}

/** Policies, as those who apply them see them. */
const POLICY: RuleLines = [
  ['Progressing', { '/status/ancestors': { some: STALE } }, 'Its controller has not seen the last change'],
  ['Degraded', { '/status/ancestors': { some: { Accepted: { not: 'True' } } } }, 'It is not accepted'],
  ['Degraded', { '/status/ancestors': { some: { ResolvedRefs: { not: 'True' } } } }, 'What it refers to is not found'],
  ['Healthy', { '/status/ancestors': { some: { Accepted: 'True' } } }],
];

const judgePolicy = compileRule([
  [
    'Progressing',
    { '/status/ancestors': { some: { '*.observedGeneration': { below: '/metadata/generation' } } } },
    'Its controller has not seen the last change',
  ],
  // Each has to accept it.
  ['Degraded', { '/status/ancestors': { some: { Accepted: null } } }, 'It is not accepted'],
  ...POLICY,
]);

/** Of the kinds of the Airlock Microgateway only policies have a state. */
const judgeMicrogateway: HealthRule = (object) =>
  object.kind.endsWith('Policy') ? judgePolicy(object) : { status: 'Healthy', message: null };

const STATES: RuleLines = [
  ['Degraded', { '/status/statuses': { some: { '/state': ['Warning', 'Rejected', 2, 3] } } }, 'It is rejected'],
  [
    'Suspended',
    { '/status/statuses': { some: { '/state': ['Pending', 0] } } },
    { message: 'It is not validated yet', isStuck: true },
  ],
  ['Healthy', { '/status/statuses': { some: { '/state': ['Accepted', 1] } } }],
  ['Degraded', { '/status/state': ['Warning', 'Rejected', 2, 3] }],
  ['Suspended', { '/status/state': ['Pending', 0] }, { message: 'It is not validated yet', isStuck: true }],
  ['Healthy', { '/status/state': ['Accepted', 1] }],
];

export const GATEWAYS: HealthRules = {
  'gateway.networking.k8s.io/GatewayClass': [
    ['Progressing', STALE, 'Its controller has not seen the last change'],
    ['Healthy', { Accepted: 'True' }],
    ['Degraded', { Accepted: 'False' }],
  ],
  'gateway.networking.k8s.io/Gateway': [
    ['Degraded', { ResolvedRefs: 'False' }],
    ['Degraded', { Accepted: 'False' }],
    ['Progressing', { Programmed: { not: 'True' } }],
    ...route('/status/listeners', 'A listener', false),
    ['Healthy', { '/status/conditions': { not: null } }],
    ['Healthy', { '/status/listeners': { not: null } }],
  ],
  'gateway.networking.k8s.io/HTTPRoute': [
    ...route('/status/parents', 'A gateway', true),
    ['Healthy', { '/status/parents': { some: SEEN } }],
  ],
  'gateway.networking.k8s.io/GRPCRoute,TLSRoute,TCPRoute,UDPRoute': [
    ...route('/status/parents', 'A gateway', false),
    ['Healthy', { '/status/parents': { some: { '/conditions': { not: null } } } }],
  ],
  'gateway.networking.k8s.io/BackendTLSPolicy': POLICY,
  'projectcontour.io/ExtensionService': [
    ['Healthy', { Valid: 'True', 'Valid.observedGeneration': { equals: '/metadata/generation' } }],
    ['Degraded', { Valid: 'False', 'Valid.observedGeneration': { equals: '/metadata/generation' } }],
  ],
  'projectcontour.io/HTTPProxy': [
    ['Healthy', { Valid: 'True', 'Valid.observedGeneration': { equals: '/metadata/generation' } }],
    // A parent and its children wait for one another, so that neither can be judged alone.
    [
      'Healthy',
      {
        Valid: 'False',
        'Valid.observedGeneration': { equals: '/metadata/generation' },
        '/spec/includes': { not: null },
      },
    ],
    ['Degraded', { Valid: 'False', 'Valid.observedGeneration': { equals: '/metadata/generation' } }],
  ],
  'microgateway.airlock.com/*': judgeMicrogateway,
  'gateway.solo.io/Gateway,MatchableHttpGateway,RouteOption,RouteTable,VirtualHostOption,VirtualService': STATES,
  'gloo.solo.io/Proxy,Settings,Upstream,UpstreamGroup': STATES,
};
