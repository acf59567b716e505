import type { JsonObject } from '../../core/json/json.js';
import { evaluate } from '../relationships/evaluation/evaluate.js';
import { designOf, edgesIn, kubernetes, resource, workload } from '../relationships/evaluation/evaluation.fixture.js';
import { loadKubernetesRelationships } from './kubernetes-relationships.js';

const found = (...resources: JsonObject[]): string[] => edgesIn(evaluate(designOf(...resources), kubernetes).design);

it('has definitions that say what they are, each in words of its own, and all of them understood', () => {
  const definitions = loadKubernetesRelationships();
  expect(definitions.length).toBeGreaterThan(50);
  for (const { kind, type, subType, metadata, selectors } of definitions) {
    expect([kind, type, subType].join(' ')).toMatch(/^(?:edge non-binding|hierarchical (?:parent|sibling)) [a-z-]+$/);
    expect(metadata['description']).toMatch(/^(?:An?|The) .+\.$|^[A-Z].+\.$/);
    expect(selectors.length).toBeGreaterThan(0);
  }
  expect(new Set(definitions.map(({ metadata }) => metadata['description'])).size).toBe(definitions.length);
  for (const { notes } of evaluate(designOf(), kubernetes).trace.definitions)
    for (const note of notes) expect(note).toMatch(/^The design has no .+|^Nothing in the design fits it\.$/);
});

it('gives everybody a copy of their own', () => {
  const [first] = loadKubernetesRelationships();
  first?.selectors.splice(0);
  expect(loadKubernetesRelationships()[0]?.selectors).not.toEqual([]);
});

const NET = 'networking.k8s.io/v1';
const web = workload('apps/v1 Deployment web', { app: 'web' });

describe('Kubernetes', () => {
  it('mounts what a volume projects, and reads what containers of all sorts take from', () => {
    const spec: JsonObject = {
      imagePullSecrets: [{ name: 'registry' }],
      containers: [{ name: 'a', envFrom: [{ configMapRef: { name: 'settings' } }, { secretRef: { name: 'keys' } }] }],
      initContainers: [{ name: 'b', env: [{ name: 'K', valueFrom: { secretKeyRef: { name: 'init', key: 'k' } } }] }],
      volumes: [
        { name: 'all', projected: { sources: [{ configMap: { name: 'settings' } }, { secret: { name: 'keys' } }] } },
      ],
    };
    const others = ['ConfigMap settings', 'Secret keys', 'Secret init', 'Secret registry', 'Secret unused'];
    const design = [workload('apps/v1 Deployment web', {}, spec), ...others.map((each) => resource(`v1 ${each}`))];
    expect(found(...design)).toEqual([
      'Deployment web > ConfigMap settings mount',
      'Deployment web > ConfigMap settings reference',
      'Deployment web > Secret keys mount',
      'Deployment web > Secret keys reference',
      'Deployment web > Secret init reference',
      'Deployment web > Secret registry reference',
    ]);
  });

  it('looks for Pods where each kind of workload keeps them', () => {
    const template = { metadata: { labels: { app: 'x' } } };
    expect(
      found(
        resource('v1 Service x', { spec: { selector: { app: 'x' } } }),
        resource('batch/v1 CronJob cron', { spec: { jobTemplate: { spec: { template } } } }),
        resource('batch/v1 Job job', { spec: { template } }),
        resource('v1 Pod pod', { metadata: { labels: { app: 'x' } } }),
        resource('apps/v1 Deployment named-only', { metadata: { labels: { app: 'x' } }, spec: {} }),
        resource('batch.volcano.sh/v1alpha1 Job other', { spec: { template } }),
      ),
    ).toEqual(['Service x > CronJob cron network', 'Service x > Job job network', 'Service x > Pod pod network']);
  });

  it('selects peers by their namespaces', () => {
    const from: JsonObject[] = [
      { namespaceSelector: { matchLabels: { team: 'a' } }, podSelector: { matchLabels: { app: 'web' } } },
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'c' } } },
      { ipBlock: { cidr: '10.0.0.0/8' } },
    ];
    const edges = found(
      resource(`${NET} NetworkPolicy d/p`, { spec: { podSelector: { matchLabels: { app: 'db' } }, ingress: [{ from }, {}], egress: [{}] } }), // prettier-ignore
      resource('v1 Namespace a', { metadata: { labels: { team: 'a' } } }),
      workload('apps/v1 Deployment a/web', { app: 'web' }),
      workload('apps/v1 Deployment a/other', { app: 'other' }),
      workload('apps/v1 Deployment b/web', { app: 'web' }),
      workload('apps/v1 Deployment c/any', {}),
      workload('apps/v1 Deployment d/db', { app: 'db' }),
    );
    expect(edges.filter((edge) => edge.includes('NetworkPolicy'))).toEqual([
      'NetworkPolicy d/p > Deployment a/web firewall-ingress',
      'NetworkPolicy d/p > Deployment c/any firewall-ingress',
      'NetworkPolicy d/p > Deployment d/db firewall',
    ]);
  });

  it('keeps namespaces apart unless a reference crosses them', () => {
    const rbac = 'rbac.authorization.k8s.io/v1';
    expect(
      found(
        resource(`${rbac} RoleBinding a/grant`, {
          roleRef: { kind: 'Role', name: 'reader' },
          subjects: [
            { kind: 'ServiceAccount', name: 'bot', namespace: 'b' },
            { kind: 'User', name: 'bot' },
          ],
        }),
        resource(`${rbac} Role b/reader`),
        resource(`${rbac} Role a/reader`),
        resource(`${rbac} ClusterRole reader`),
        resource('v1 ServiceAccount a/bot'),
        resource('v1 ServiceAccount b/bot'),
      ),
    ).toEqual([
      'RoleBinding a/grant > Role a/reader permission',
      'RoleBinding a/grant > ServiceAccount b/bot permission',
    ]);
  });

  it('knows owners, definitions and claims that a controller makes', () => {
    const claim = { metadata: { name: 'data' }, spec: {} };
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1' };
    expect(
      found(
        workload('apps/v1 StatefulSet db', {}, {}, { volumeClaimTemplates: [claim] }),
        ...['data-db-0', 'data-db-11', 'data-db-x', 'data-dbx-0'].map((name) =>
          resource(`v1 PersistentVolumeClaim ${name}`),
        ),
        resource('v1 Pod web-1-a', { metadata: { ownerReferences: [owner] } }),
        workload('apps/v1 ReplicaSet web-1', { app: 'web' }, {}, { selector: { matchLabels: { app: 'web' } } }),
        resource('apiextensions.k8s.io/v1 CustomResourceDefinition c', { spec: { group: 'shop.io', scope: 'Cluster', names: { kind: 'Cart' } } }), // prettier-ignore
        resource('shop.io/v1 Cart default/mine'),
        resource('mall.io/v1 Cart default/theirs'),
        resource('v1 Namespace default'),
      ),
    ).toEqual([
      'StatefulSet db > PersistentVolumeClaim data-db-0 mount',
      'StatefulSet db > PersistentVolumeClaim data-db-11 mount',
      'Pod web-1-a > ReplicaSet web-1 inventory',
      'CustomResourceDefinition c > Cart default/mine definition',
      'Cart default/theirs > Namespace default inventory',
    ]);
  });

  it('asks a selector what Kubernetes asks it', () => {
    const budget = (name: string, selector: JsonObject): JsonObject => resource(`policy/v1 PodDisruptionBudget ${name}`, { spec: { selector } }); // prettier-ignore
    const where = (key: string, operator: string, ...values: string[]): JsonObject => ({ matchExpressions: [{ key, operator, values }] }); // prettier-ignore
    expect(
      found(
        web,
        budget('all', {}),
        budget('in', where('app', 'In', 'web', 'db')),
        budget('not-in', where('app', 'NotIn', 'web')),
        budget('not-in-absent', where('tier', 'NotIn', 'web')),
        budget('exists', where('app', 'Exists')),
        budget('absent', where('app', 'DoesNotExist')),
        budget('unheard', where('app', 'Near', 'web')),
        resource('policy/v1 PodDisruptionBudget none', { spec: {} }),
        resource('v1 Service none', { spec: { selector: {} } }),
      ).map((edge) => edge.split(' ')[1]),
    ).toEqual(['all', 'in', 'not-in-absent', 'exists']);
  });

  it('scales and attaches whatever a reference names by its kind', () => {
    expect(
      found(
        resource('autoscaling/v2 HorizontalPodAutoscaler web', {
          spec: { scaleTargetRef: { kind: 'Rollout', name: 'web' } },
        }),
        web,
        resource('argoproj.io/v1alpha1 Rollout web'),
        resource('gateway.networking.k8s.io/v1 HTTPRoute web', { spec: { parentRefs: [{ name: 'web' }], rules: [{ backendRefs: [{ name: 'web' }] }] } }), // prettier-ignore
        resource('networking.istio.io/v1 Gateway web'),
        resource('gateway.networking.k8s.io/v1 Gateway web'),
        resource('v1 Service web'),
      ),
    ).toEqual([
      'HorizontalPodAutoscaler web > Rollout web reference',
      'HTTPRoute web > Gateway web network',
      'HTTPRoute web > Service web network',
    ]);
  });

  it('takes the host names of a mesh apart', () => {
    const hosts = ['web', 'web.shop', 'web.shop.svc.cluster.local', 'web.example.com', '*.shop', '*'];
    const edges = found(
      ...hosts.map((host, index) => resource(`networking.istio.io/v1 DestinationRule r${index}`, { spec: { host } })),
      resource('v1 Service web'),
      resource('v1 Service shop/web'),
    );
    expect(edges).toEqual([
      'DestinationRule r0 > Service web network',
      'DestinationRule r1 > Service shop/web network',
      'DestinationRule r2 > Service shop/web network',
    ]);
  });
});
