import { toModelCategory, chartCategory } from './model-category.js';
import { modelNameOfGroup, buildTargetModel, parseVersion } from './target-model.js';

it('names the model of an API group after its domain', () => {
  const groups = {
    'cert-manager.io': 'cert-manager',
    'acme.cert-manager.io': 'cert-manager',
    'monitoring.coreos.com': 'coreos',
    'sql.cnrm.cloud.google.com': 'google',
    'kueue.x-k8s.io': 'kueue',
    'gateway.networking.k8s.io': 'gateway-networking',
    'karpenter.k8s.aws': 'karpenter',
    'things.company.co.uk': 'company',
    apps: 'apps',
  };
  expect(Object.fromEntries(Object.keys(groups).map((group) => [group, modelNameOfGroup(group)]))).toEqual(groups);
});

it('takes what the caller says before what the content says', () => {
  const facts = { name: 'shop', displayName: 'The Shop', version: '2.1.0', category: 'App Definition' } as const;
  expect(buildTargetModel({}, facts)).toMatchObject({ name: 'shop', displayName: 'The Shop', version: '2.1.0', category: 'App Definition' }); // prettier-ignore
  const config = { model: 'My_Shop', version: 'v9', category: 'security-compliance', registrant: { hostname: 'github', kind: 'github' } }; // prettier-ignore
  expect(buildTargetModel(config, facts)).toMatchObject({ name: 'My_Shop', displayName: 'My Shop', version: 'v9', category: 'Security & Compliance', registrant: config.registrant }); // prettier-ignore
  expect(buildTargetModel({}, { name: 'x', category: 'Database' }).version).toBe('v1.0.0');
});

it('knows versions and categories', () => {
  expect(['1.2.3', 'v0.17.2', 'v1alpha1', 'devel', 'unversioned', '', '1 2'].map(parseVersion)).toEqual(['1.2.3', 'v0.17.2', 'v1alpha1', undefined, undefined, undefined, undefined]); // prettier-ignore
  expect(chartCategory('monitoring-logging')).toBe('Observability');
  expect(chartCategory('Service Mesh')).toBe('Service Mesh');
  expect(chartCategory('')).toBeUndefined();
  expect(toModelCategory('service-mesh')).toBe('Service Mesh');
  expect(toModelCategory('My own')).toBe('My own');
});
