import type { JsonObject } from '../../../core/json/json.js';
import { evaluate } from './evaluate.js';
import { designOf, edgesIn, kubernetes, reasonOf, resource, workload } from './evaluation.fixture.js';

const web = workload('apps/v1 Deployment web', { app: 'web' });
const service = resource('v1 Service web', { spec: { selector: { app: 'web' } } });

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

it('gives each relationship its reason, with the places in both components', () => {
  const design = designOf(service, web);
  const { design: after, actions, trace } = evaluate(design, kubernetes);
  const [from, to] = design.components;
  expect(after.relationships).toMatchObject([
    {
      schemaVersion: 'relationships.meshery.io/v1alpha3',
      kind: 'edge',
      type: 'non-binding',
      subType: 'network',
      status: 'approved',
      model: { name: 'kubernetes', model: { version: 'v1.35.0' } },
      metadata: {
        reason: {
          text: 'Service web selects Deployment web: spec.selector app=web matches spec.template.metadata.labels.',
          places: [{ from: '/configuration/spec/selector', to: '/configuration/spec/template/metadata/labels' }],
          count: 1,
        },
      },
      selectors: [
        {
          allow: {
            from: [{ id: from?.id, kind: 'Service', model: { name: 'kubernetes' } }],
            to: [{ id: to?.id, kind: 'Deployment', model: { name: 'kubernetes' } }],
          },
        },
      ],
    },
  ]);
  expect(actions).toMatchObject([{ op: 'add_relationship', from: from?.id, to: to?.id }]);
  expect(trace.relationshipsAdded).toEqual(after.relationships);
});

it('changes neither argument, and says the same in whatever order the definitions come', () => {
  const design = frozen(designOf(service, web, resource('v1 Namespace default')));
  const one = evaluate(design, frozen(kubernetes));
  const other = evaluate(design, [...kubernetes].reverse());
  expect(JSON.stringify(other)).toBe(JSON.stringify(one));
  expect(one.design.relationships).toHaveLength(1);
});

it('finds nothing new the second time', () => {
  const first = evaluate(designOf(service, web), kubernetes);
  const second = evaluate(first.design, kubernetes);
  expect(second.actions).toEqual([]);
  expect(JSON.stringify(second.design)).toBe(JSON.stringify(first.design));
});

it('takes back what no longer holds, and renews what holds for another reason', () => {
  const { design } = evaluate(designOf(service, web), kubernetes);
  const emptied = { ...design, components: design.components.slice(0, 1) };
  expect(evaluate(emptied, kubernetes)).toMatchObject({
    design: { relationships: [] },
    actions: [{ op: 'delete_relationship', reason: 'It no longer holds.' }],
    trace: { relationshipsRemoved: [{ subType: 'network' }] },
  });
  const [first, ...others] = design.components;
  const renamed = designOf(resource('v1 Service web', { spec: { selector: { app: 'web', tier: 'front' } } }));
  const relabelled = designOf(workload('apps/v1 Deployment web', { app: 'web', tier: 'front' }));
  expect(first?.id).toBe(renamed.components[0]?.id);
  expect(others).toHaveLength(1);
  const moved = { ...design, components: [...renamed.components, ...relabelled.components] };
  const { design: after, actions } = evaluate(moved, kubernetes);
  expect(actions).toMatchObject([{ op: 'update_relationship' }]);
  expect(reasonOf(after.relationships[0])).toContain('app=web, tier=front');
});

describe('what a user drew', () => {
  const drawnBetween = (from: string, to: string, status: string): JsonObject => ({
    id: '7a1f0f1e-1111-4222-8333-444455556666',
    kind: 'edge',
    type: 'non-binding',
    subType: 'network',
    status,
    selectors: [{ allow: { from: [{ id: from }], to: [{ id: to }] } }],
  });

  it('is kept as it is, and stands for the same that is found', () => {
    const design = designOf(service, web);
    const [from, to] = design.components.map(({ id }) => id);
    const drawn = [drawnBetween(from ?? '', to ?? '', 'approved')];
    const { design: after, actions } = evaluate({ ...design, relationships: drawn }, kubernetes);
    expect(after.relationships).toEqual(drawn);
    expect(actions).toEqual([]);
  });

  it('is deleted by its status once one of its components is gone', () => {
    const design = designOf(service, web);
    const [from] = design.components.map(({ id }) => id);
    const relationships = [drawnBetween(from ?? '', 'gone', 'approved'), drawnBetween('gone', 'gone', 'ignored')];
    const { design: after, actions } = evaluate({ ...design, relationships }, []);
    expect(after.relationships.map(({ status }) => status)).toEqual(['deleted', 'ignored']);
    const id = '7a1f0f1e-1111-4222-8333-444455556666';
    expect(actions).toEqual([
      {
        op: 'update_relationship',
        id,
        from,
        to: 'gone',
        reason: 'One of its components is no longer in the design.',
        value: { id, path: ['status'], value: 'deleted' },
      },
    ]);
    expect(evaluate(after, []).actions).toEqual([]);
  });

  it('does not hide a fact once it is deleted', () => {
    const design = designOf(service, web);
    const [from, to] = design.components.map(({ id }) => id);
    const relationships = [drawnBetween(from ?? '', to ?? '', 'deleted')];
    expect(evaluate({ ...design, relationships }, kubernetes).design.relationships).toHaveLength(2);
  });
});

it('leaves relationships that a user dismissed or styled unchanged', () => {
  const { design } = evaluate(designOf(service, web), kubernetes);
  const [found = {}] = design.relationships;
  const metadata = { ...(found['metadata'] as JsonObject), styles: { color: 'red' } };
  const relationships = [{ ...found, status: 'deleted', metadata }];
  const { design: after, actions } = evaluate({ ...design, relationships }, kubernetes);
  expect(after.relationships).toEqual(relationships);
  expect(actions).toEqual([]);
});

describe('a component without a namespace', () => {
  const inShop = resource('v1 Service shop/web', { spec: { selector: { app: 'web' } } });
  const shop = resource('v1 Namespace shop');

  it('agrees with every namespace and is in none, unless the options place it', () => {
    const design = designOf(inShop, web, shop, resource('v1 Namespace default'));
    expect(edgesIn(evaluate(design, kubernetes).design)).toEqual([
      'Service shop/web > Deployment web network',
      'Service shop/web > Namespace shop inventory',
    ]);
    expect(edgesIn(evaluate(design, kubernetes, { namespace: 'shop' }).design)).toEqual([
      'Service shop/web > Deployment web network',
      'Service shop/web > Namespace shop inventory',
      'Deployment web > Namespace shop inventory',
    ]);
  });

  it('is meant by a name where no other is in the very namespace', () => {
    const spec = { serviceAccountName: 'robot' };
    const named = [workload('apps/v1 Deployment shop/web', {}, spec), workload('apps/v1 Deployment web', {}, spec)];
    const accounts = ['mall/robot', 'robot'].map((name) => resource(`v1 ServiceAccount ${name}`));
    expect(edgesIn(evaluate(designOf(...named, ...accounts), kubernetes).design)).toEqual([
      'Deployment shop/web > ServiceAccount robot reference',
      'Deployment web > ServiceAccount robot reference',
    ]);
    const placed = resource('v1 ServiceAccount shop/robot');
    expect(edgesIn(evaluate(designOf(...named.slice(0, 1), ...accounts, placed), kubernetes).design)).toEqual([
      'Deployment shop/web > ServiceAccount shop/robot reference',
    ]);
  });

  it('is not selected by the labels of a namespace', () => {
    const peer = (labels: JsonObject): JsonObject => ({ namespaceSelector: { matchLabels: labels }, podSelector: {} });
    const policy = (from: JsonObject): JsonObject =>
      resource('networking.k8s.io/v1 NetworkPolicy shop/p', {
        spec: { podSelector: { matchLabels: { app: 'none' } }, ingress: [{ from: [from] }] },
      });
    const found = (from: JsonObject): string[] => edgesIn(evaluate(designOf(policy(from), web), kubernetes).design);
    expect(found(peer({}))).toEqual(['NetworkPolicy shop/p > Deployment web firewall-ingress']);
    expect(found(peer({ team: 'a' }))).toEqual([]);
  });
});

describe('what a design has switched off', () => {
  it('is neither found nor removed, and the trace says so', () => {
    const { design } = evaluate(designOf(service, web), kubernetes);
    const preferences = { layers: { relationships: { 'edge-non-binding-network': false } } };
    const { actions, trace } = evaluate({ ...design, preferences }, kubernetes);
    expect(actions).toEqual([]);
    expect(trace.definitions.find(({ subType }) => subType === 'network')?.notes).toEqual([
      'The design has switched off edge-non-binding-network.',
    ]);
    expect(evaluate({ ...designOf(service, web), preferences }, kubernetes).actions).toEqual([]);
    const emptied = { ...design, preferences, components: design.components.slice(0, 1) };
    expect(evaluate(emptied, kubernetes).actions).toMatchObject([{ op: 'delete_relationship' }]);
  });
});

it('names several places of the same relationship in one reason', () => {
  const env = ['A', 'B', 'C'].map((name) => ({
    name,
    valueFrom: { configMapKeyRef: { name: 'settings', key: name } },
  }));
  const design = designOf(
    workload('apps/v1 Deployment web', {}, { containers: [{ name: 'web', env }] }),
    resource('v1 ConfigMap settings'),
  );
  const [relationship] = evaluate(design, kubernetes).design.relationships;
  expect(reasonOf(relationship)).toBe(
    'Deployment web takes variables from ConfigMap settings: spec.template.spec.containers[0].env[0].valueFrom.configMapKeyRef.name is settings (and 2 more).',
  );
});

it('stops at its limit, says so, and always keeps the same ones', () => {
  const many = Array.from({ length: 20 }, (_, index) => workload(`apps/v1 Deployment web-${index}`, { app: 'web' }));
  const design = designOf(service, ...many);
  const one = evaluate(design, kubernetes, { limit: 7 });
  expect(one.design.relationships).toHaveLength(7);
  expect(one.trace.truncated).toBe(true);
  const other = evaluate(design, [...kubernetes].reverse(), { limit: 7 });
  expect(JSON.stringify(other)).toBe(JSON.stringify(one));
});

it('keeps what was found earlier when it stops at its limit, for that may still hold', () => {
  const many = Array.from({ length: 20 }, (_, index) => workload(`apps/v1 Deployment web-${index}`, { app: 'web' }));
  const whole = evaluate(designOf(service, ...many), kubernetes).design;
  const { design, trace } = evaluate(whole, kubernetes, { limit: 7 });
  expect(trace).toMatchObject({ truncated: true, relationshipsRemoved: [] });
  expect(new Set(design.relationships)).toEqual(new Set(whole.relationships));
  const fewer = { ...whole, components: whole.components.slice(0, -1) };
  const after = evaluate(fewer, kubernetes, { limit: 7 });
  expect(after.trace.relationshipsRemoved).toHaveLength(1);
  expect(after.design.relationships).toHaveLength(whole.relationships.length - 1);
});

it('evaluates 500 components without work that explodes', () => {
  const resources = Array.from({ length: 100 }, (_, index) => [
    workload(
      `apps/v1 Deployment app-${index % 20}/web-${index}`,
      { app: `web-${index}`, 'app.kubernetes.io/instance': `shop-${index % 10}` },
      {
        serviceAccountName: `web-${index}`,
        containers: [{ name: 'web', envFrom: [{ configMapRef: { name: `web-${index}` } }] }],
        volumes: [{ name: 'settings', configMap: { name: `web-${index}` } }],
      },
    ),
    resource(`v1 Service app-${index % 20}/web-${index}`, { spec: { selector: { app: `web-${index}` } } }),
    resource(`v1 ConfigMap app-${index % 20}/web-${index}`),
    resource(`v1 ServiceAccount app-${index % 20}/web-${index}`),
    index < 20
      ? resource(`v1 Namespace app-${index}`)
      : resource(`networking.k8s.io/v1 NetworkPolicy app-${index % 20}/all-${index}`, {
          spec: { podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] },
        }),
  ]).flat();
  const design = designOf(...resources);
  evaluate(design, kubernetes);
  const began = performance.now();
  const { design: after } = evaluate(design, kubernetes);
  expect(after.relationships.length).toBeGreaterThan(1000);
  expect(performance.now() - began).toBeLessThan(10_000);
});
