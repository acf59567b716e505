import { toCanonicalDesign } from '../../../formats/design-file/canonical-design.js';
import type { Json, JsonObject } from '../../../core/json/json.js';
import { evaluate } from './evaluate.js';
import { type ModelledDefinition } from './evaluation.js';
import { designOf, edgesIn, kubernetes, resource, stating, workload } from './evaluation.fixture.js';

const parsed = (text: string): JsonObject => JSON.parse(text) as JsonObject;

afterEach(() => {
  expect(Object.keys(Object.prototype)).toEqual([]);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

it('follows cycles of owners once, and refers nothing to itself', () => {
  const owned = (name: string, owner: string): JsonObject =>
    resource(`apps/v1 Deployment ${name}`, {
      metadata: { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: owner }] },
    });
  const { design } = evaluate(designOf(owned('a', 'b'), owned('b', 'a'), owned('c', 'c')), kubernetes);
  expect(edgesIn(design)).toEqual(['Deployment a > Deployment b inventory', 'Deployment b > Deployment a inventory']);
});

it('takes names and labels of the prototype as what they are: text', () => {
  const labels = parsed('{"__proto__":"x","constructor":"y","toString":"z"}');
  const design = designOf(
    resource('v1 Service __proto__', { spec: { selector: labels } }),
    workload('apps/v1 Deployment constructor', labels, { serviceAccountName: '__proto__' }),
    workload('apps/v1 Deployment hasOwnProperty', {}),
    resource('v1 ServiceAccount __proto__'),
  );
  expect(edgesIn(evaluate(design, kubernetes).design)).toEqual([
    'Service __proto__ > Deployment constructor network',
    'Deployment constructor > ServiceAccount __proto__ reference',
  ]);
});

it('takes any shape where it looks for another', () => {
  const shapes: Json[] = [null, 0, true, 'text', [], {}, [null], { a: null }, [[[]]]];
  const resources = shapes.flatMap((shape): JsonObject[] => [
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec: shape },
    { apiVersion: 'v1', kind: 'Service', metadata: { name: 'x' }, spec: { selector: shape } },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: shape, spec: { template: shape } },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', labels: shape }, spec: { volumes: shape } },
    { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', spec: { podSelector: shape, ingress: shape } },
    { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', spec: { selector: { matchExpressions: shape } } },
    { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', spec: shape },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'x', labels: shape } },
  ]);
  const relationships = shapes.map((shape) => ({ id: shape, selectors: shape, metadata: shape }));
  const design = { ...designOf(...resources), relationships };
  const { design: after } = evaluate(design, kubernetes, { applyPatches: true });
  expect(after.relationships.slice(0, shapes.length)).toEqual(relationships);
});

it('takes definitions of any shape, and says what is wrong with them', () => {
  const shapes: Json[] = [null, 0, 'text', [], {}, [null], [[]], ['_'], [['configuration', '__proto__', 'polluted']]];
  const definitions: ModelledDefinition[] = shapes.flatMap((shape) => [
    ...stating('edge non-binding network', { allow: shape, deny: shape }),
    ...stating('edge non-binding network', {
      allow: { from: [{ kind: '*', match: shape, patch: shape }], to: [{ kind: '*', match: shape, patch: shape }] },
    }),
    ...['reference', 'labelSelector', 'equal', 'sameValue', 'unheard'].flatMap((strategy) =>
      stating('edge non-binding network', {
        allow: { from: [{ kind: '*' }], to: [{ kind: '*' }] },
        match: { strategy, refs: shape, selectors: shape, labels: shape, from: shape, to: shape, paths: shape },
      }),
    ),
  ]);
  const { design, trace } = evaluate(designOf(resource('v1 Pod a'), resource('v1 Pod b')), definitions);
  expect(design.relationships).toEqual([]);
  expect(trace.definitions).toHaveLength(definitions.length);
  for (const { notes } of trace.definitions) expect(notes).not.toEqual([]);
});

it('writes no patch into a prototype', () => {
  const design = designOf(resource('v1 Pod a'), resource('v1 Pod b'));
  const [from, to] = design.components.map(({ id }) => id);
  const paths = ['["__proto__", "polluted"]', '["configuration", "__proto__", "polluted"]', '["configuration", "constructor", "prototype", "polluted"]', '["metadata", "polluted"]']; // prettier-ignore
  const relationships = paths.map((path) =>
    parsed(
      `{"id":"x","status":"approved","selectors":[{"allow":{"from":[{"id":"${from}","patch":{"mutatorRef":[["displayName"]]}}],"to":[{"id":"${to}","patch":{"mutatedRef":[${path}]}}]}}]}`,
    ),
  );
  const { design: after, trace } = evaluate({ ...design, relationships }, kubernetes, { applyPatches: true });
  expect(trace.notes).toHaveLength(3);
  const { constructor } = after.components[1]!.configuration;
  expect(constructor).toEqual({ prototype: { polluted: 'a' } });
});

it.each<[string, JsonObject]>([
  ['displayName', { data: { length: 100 } }],
  ['displayName', { data: { toString: 1 } }],
  ['displayName', { data: 5 }],
  ['configuration', { data: 'text' }],
  ['configuration', { data: [1] }],
])('writes no %s of another type, %j', (path, giver) => {
  const design = designOf(resource('v1 ConfigMap a', giver), resource('v1 ConfigMap b'));
  const [from, to] = design.components.map(({ id }) => id);
  const allow = {
    from: [{ id: from ?? '', patch: { mutatorRef: [['configuration', 'data']] } }],
    to: [{ id: to ?? '', patch: { mutatedRef: [[path]] } }],
  };
  const relationships = [{ id: 'drawn', status: 'pending', selectors: [{ allow }] }];
  const { design: after, actions, trace } = evaluate({ ...design, relationships }, [], { applyPatches: true });
  expect(after).toEqual({ ...design, relationships });
  expect(actions).toEqual([]);
  expect(trace.notes).toEqual([
    `Relationship drawn: ${path} must be ${path === 'displayName' ? 'text' : 'an object'}.`,
  ]);
});

it('compiles many clauses within a bound of time and notes', () => {
  const clauses = Array.from({ length: 400 }, (_, index) => ({ kind: `K${index}` }));
  const bound = (kind: string): JsonObject => ({
    kind,
    match: { from: [{ kind: 'self', mutatorRef: [['displayName']] }], to: [{ kind: `${kind}${'x'.repeat(500)}`, mutatedRef: [['displayName']] }] }, // prettier-ignore
  });
  const bounds = clauses.map(({ kind }) => bound(kind));
  const definitions = [
    ...stating('edge binding none', { allow: { from: clauses, to: clauses } }),
    ...stating('edge binding various', { allow: { from: bounds, to: bounds } }),
  ];
  const design = designOf(resource('v1 K0 a'), resource('v1 K1 b'));
  const began = performance.now();
  const { trace } = evaluate(design, definitions);
  expect(performance.now() - began).toBeLessThan(4_000);
  expect(JSON.stringify(trace).length).toBeLessThan(50_000);
  for (const { notes } of trace.definitions) expect(notes).toContain('Only the first 2500 pairs of its clauses are evaluated.'); // prettier-ignore
  expect(trace.definitions[0]?.notes).toHaveLength(2);
  expect(trace.definitions[0]?.notes[1]).toMatch(
    /^K0, K1, .*, K19 and 380 more → K0, .* and gives nothing to find them by\.$/,
  );
});

it('evaluates the pairs of clauses up to its bound, in their order', () => {
  const path = [['configuration', 'data', 'key']];
  const from = Array.from({ length: 50 }, (_, index) => ({ kind: `A${index}`, patch: { mutatorRef: path } }));
  const to = Array.from({ length: 51 }, (_, index) => ({ kind: `B${index}`, patch: { mutatedRef: path } }));
  const resources = ['A0 a', 'B0 b', 'A49 y', 'B50 z'].map((name) => resource(`v1 ${name}`, { data: { key: 'x' } }));
  const { design, trace } = evaluate(designOf(...resources), stating('edge binding key', { allow: { from, to } }));
  expect(edgesIn(design)).toEqual(['A0 a > B0 b key', 'A0 a > B50 z key', 'A49 y > B0 b key']);
  expect(trace.definitions[0]?.notes).toEqual(['Only the first 2500 pairs of its clauses are evaluated.']);
});

it('ends soon when everything refers to everything', () => {
  const peers = Array.from({ length: 200 }, () => ({ podSelector: {} }));
  const policies = Array.from({ length: 300 }, (_, index) =>
    resource(`networking.k8s.io/v1 NetworkPolicy p${index}`, { spec: { podSelector: {}, ingress: [{ from: peers }] } }),
  );
  const pods = Array.from({ length: 300 }, (_, index) => resource(`v1 Pod p${index}`));
  const began = performance.now();
  const { trace, design } = evaluate(designOf(...policies, ...pods), kubernetes);
  expect(trace.truncated).toBe(true);
  expect(design.relationships.length).toBeLessThanOrEqual(20_000);
  expect(performance.now() - began).toBeLessThan(10_000);
});

it.each<[string, JsonObject]>([
  ['references', { strategy: 'reference', refs: [{ at: 'spec.names[*]', default: { kind: 'Nothing' } }] }],
  ['siblings', { strategy: 'sameValue', paths: ['spec.names[*]'] }],
  ['containment', { strategy: 'equal', from: ['spec.lists'], to: ['spec.lists'], strategies: [['to_contains_from']] }],
])('counts what is read for %s that are not there', (_, match) => {
  const configuration = (index: number): JsonObject => ({
    metadata: { name: 'same' },
    spec: { names: match['strategy'] === 'sameValue' ? Array.from({ length: 60 }, (_each, item) => `${index} ${item}`) : Array<string>(60).fill('same'), lists: [[index], Array.from({ length: 60 }, (_each, item) => ({ item, index }))] }, // prettier-ignore
  });
  const resources = Array.from({ length: 20 }, (_each, index) => ({ apiVersion: 'v1', kind: 'A', ...configuration(index) })); // prettier-ignore
  const everything = [{ kind: '*' }];
  const definition = stating('edge binding all', { allow: { from: everything, to: everything }, match });
  const base = designOf(...resources);
  const design = { ...base, components: base.components.map((each, index) => ({ ...each, id: `${index}` })) };
  // A limit of one allows 20 turns of 50 comparisons.
  expect(evaluate(design, definition, { limit: 1 }).trace.truncated).toBe(true);
  expect(evaluate(design, definition).trace).toMatchObject({ truncated: false, definitions: [{ found: 0 }] });
});

it('finds siblings by values of any length', () => {
  const text = 'x'.repeat(10_000);
  const named = (name: string, value: string): JsonObject => resource(`v1 ConfigMap ${name}`, { data: { value } });
  const resources = [named('a', `${text}1`), named('b', `${text}2`), named('c', `${text}1`)];
  const allow = { from: [{ kind: '*' }], to: [{ kind: '*' }] };
  const definition = stating('hierarchical sibling value', { allow, match: { strategy: 'sameValue', paths: ['data.value'] } }); // prettier-ignore
  expect(edgesIn(evaluate(designOf(...resources), definition).design)).toEqual(['ConfigMap a > ConfigMap c value']);
});

it('leaves every definition its share when others find no end', () => {
  const path = [['component', 'version']];
  const everything = { kind: '*', patch: { mutatorRef: path } };
  const greedy = Array.from(
    { length: 12 },
    (_, index) =>
    stating(`edge binding all-${index}`, { allow: { from: [everything], to: [{ kind: '*', patch: { mutatedRef: path } }] } }), // prettier-ignore
  ).flat();
  const pods = Array.from({ length: 100 }, (_, index) =>
    resource(`v1 Pod p${index}`, { metadata: { labels: { app: `p${index}` } } }),
  );
  const service = resource('v1 Service s', { spec: { selector: { app: 'p99' } } });
  const { design, trace } = evaluate(designOf(...pods, service), [...greedy, ...kubernetes], {}, 500_000);
  expect(trace.truncated).toBe(true);
  expect(edgesIn(design)).toContain('Service s > Pod p99 network');
  expect(JSON.stringify(design.relationships).length).toBeLessThan(510_000);
  const counts = trace.definitions.filter(({ subType }) => subType.startsWith('all-')).map(({ found }) => found);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(50);
});

it('bounds the values of aliases, and what is compared for two components', () => {
  const big = workload('apps/v1 Deployment web', {}, { text: 'x'.repeat(1_000_000) });
  const path = ['configuration', 'spec', 'template', 'spec'];
  const base = designOf(big, ...Array.from({ length: 200 }, (_, index) => ({ apiVersion: 'v1', kind: 'Pod', metadata: {}, index }))); // prettier-ignore
  const [parent, ...pods] = base.components;
  const components = [parent!, ...pods.map((pod) => ({ ...pod, configuration: {} }))];
  const entry = { resolved_parent_id: parent?.id ?? '', resolved_ref_field_path: path };
  const resolvedAliases = Object.fromEntries(pods.map(({ id }, index) => [`${id}${index}`, entry]));
  const named = components.map((each, index) => (index === 0 ? each : { ...each, id: `${each.id}${index - 1}` }));
  const alias = stating('hierarchical parent alias', {
    allow: {
      from: [{ kind: 'Pod', patch: { mutatorRef: [['configuration', 'spec']] } }],
      to: [{ kind: 'Deployment', patch: { mutatedRef: [['configuration', 'spec']] } }],
    },
  });
  const lists = [0, 1, 2, 3, 4, 5].map((index) => ['configuration', 'spec', `l${index}`, '_', 'v']);
  const many = stating('edge binding all', {
    allow: { from: [{ kind: 'A', patch: { mutatorRef: [...lists, ['configuration', 'spec', 'l0', '_', 'w']] } }], to: [{ kind: 'B', patch: { mutatedRef: [...lists, ['configuration', 'spec', 'l0', '_', 'w']] } }] }, // prettier-ignore
  });
  const spec = (w: string): JsonObject =>
    Object.fromEntries(lists.map((_, index) => [`l${index}`, Array.from({ length: 60 }, () => ({ v: 'same', w }))]));
  const began = performance.now();
  evaluate({ ...base, components: named, metadata: { resolvedAliases } }, alias);
  evaluate(designOf(resource('x/v1 A a', { spec: spec('a') }), resource('x/v1 B b', { spec: spec('b') })), many);
  expect(performance.now() - began).toBeLessThan(5_000);
});

it('answers with no more than a few times its bound when every reason is long', () => {
  const labels = { app: 'x'.repeat(4_000) };
  const services = Array.from({ length: 200 }, (_, index) =>
    resource(`v1 Service s${index}`, { spec: { selector: labels } }),
  );
  const pods = Array.from({ length: 100 }, (_, index) => resource(`v1 Pod p${index}`, { metadata: { labels } }));
  const design = designOf(...services, ...pods);
  const result = evaluate(design, kubernetes, { limit: 1e9 });
  expect(result.trace.truncated).toBe(true);
  expect(result.design.relationships.length).toBeGreaterThan(100);
  expect(JSON.stringify(result).length).toBeLessThan(4 * 5 * 1024 * 1024 + 2 * JSON.stringify(design).length);
});

it('copies no more than its bound when patches copy each component into the other, and says so', () => {
  const base = designOf(resource('v1 Pod a', { spec: { x: 'y' } }), resource('v1 Pod b'));
  const [a, b] = base.components.map(({ id }) => id);
  const relationships = Array.from({ length: 60 }, (_, index): JsonObject => {
    const [from, to] = index % 2 ? [a, b] : [b, a];
    const patch = { mutatedRef: [['configuration', `k${index}`]] };
    return {
      id: `copy ${index}`,
      status: 'pending',
      selectors: [
        {
          allow: {
            from: [{ id: from ?? '', patch: { mutatorRef: [['configuration']] } }],
            to: [{ id: to ?? '', patch }],
          },
        },
      ],
    };
  });
  const result = evaluate({ ...base, relationships }, kubernetes, { applyPatches: true });
  expect(result.trace.truncated).toBe(true);
  expect(result.trace.notes).toEqual([
    expect.stringMatching(
      /^Relationship copy \d+: its patches and those after it copy too much, and are not applied\.$/,
    ),
  ]);
  expect(JSON.stringify(result).length).toBeLessThan(4 * 5 * 1024 * 1024);
  const [first, last] = [result.design.relationships[0], result.design.relationships.at(-1)];
  expect([first?.['status'], last?.['status']]).toEqual(['approved', 'pending']);
});

it('names long ids and paths in no more notes than its bound', () => {
  const base = designOf(resource('v1 Pod a'), resource('v1 Pod b'));
  const [a, b] = base.components.map(({ id }) => id);
  const paths = Array.from({ length: 5_000 }, () => ['metadata', 'x'.repeat(5_000)]);
  const selectors = [
    {
      allow: {
        from: [{ id: a ?? '', patch: { mutatorRef: paths } }],
        to: [{ id: b ?? '', patch: { mutatedRef: paths } }],
      },
    },
  ];
  const relationship = { id: 'r'.repeat(50_000), selectors };
  const { trace } = evaluate({ ...base, relationships: [relationship] }, kubernetes, { applyPatches: true });
  expect(trace.notes.length).toBeGreaterThan(10);
  expect(JSON.stringify(trace.notes).length).toBeLessThan(5 * 1024 * 1024 + 10_000);
});

it('bears two components of one id, and components without a name', () => {
  const design = toCanonicalDesign(
    {
      components: [
        {
          id: 'same',
          component: { kind: 'Service', version: 'v1' },
          configuration: { spec: { selector: { a: 'b' } } },
        },
        { id: 'same', component: { kind: 'Pod', version: 'v1' }, configuration: { metadata: { labels: { a: 'b' } } } },
        { id: 'shape', component: { kind: 'Text', version: '' }, metadata: { isAnnotation: true } },
      ],
    },
    'odd',
  );
  const once = evaluate(design, kubernetes);
  expect(once.design.relationships).toHaveLength(1);
  expect(evaluate(once.design, kubernetes).actions).toEqual([]);
});
