import type { JsonObject } from '../../../core/json/json.js';
import { evaluate } from './evaluate.js';
import { designOf, edgesIn, kubernetes, resource } from './evaluation.fixture.js';

const namespaced = designOf(resource('v1 Pod web'), resource('v1 Namespace shop'));
const [pod, namespace] = namespaced.components;

function drawn(status: string, patch: JsonObject = {}): JsonObject {
  return {
    id: 'drawn',
    kind: 'hierarchical',
    type: 'parent',
    subType: 'inventory',
    status,
    selectors: [
      {
        allow: {
          from: [{ id: pod?.id ?? '', patch: { patchStrategy: 'replace', mutatedRef: [['configuration', 'metadata', 'namespace']], ...patch } }], // prettier-ignore
          to: [{ id: namespace?.id ?? '', patch: { mutatorRef: [['displayName']] } }],
        },
      },
    ],
  };
}

it('is applied only when it is asked for, and what was pending is approved', () => {
  const design = { ...namespaced, relationships: [drawn('pending')] };
  expect(evaluate(design, kubernetes).design).toEqual(design);
  const { design: after, actions, trace } = evaluate(design, kubernetes, { applyPatches: true });
  expect(actions).toEqual([
    { op: 'update_component_configuration', id: pod?.id, pointer: '/configuration/metadata/namespace', old: null, new: 'shop', relationship: 'drawn', value: { id: pod?.id, path: ['configuration', 'metadata', 'namespace'], value: 'shop' } }, // prettier-ignore
    { op: 'update_relationship', id: 'drawn', from: pod?.id, to: namespace?.id, reason: 'Its patches have been applied.', value: { id: 'drawn', path: ['status'], value: 'approved' } }, // prettier-ignore
  ]);
  expect(after.components[0]?.configuration).toEqual({ metadata: { name: 'web', namespace: 'shop' } });
  expect(pod?.configuration).toEqual({ metadata: { name: 'web' } });
  expect(after.relationships).toMatchObject([{ id: 'drawn', status: 'approved' }]);
  expect(trace).toMatchObject({ componentsUpdated: [{ id: pod?.id }], relationshipsUpdated: [{ id: 'drawn' }] });
  expect(evaluate(after, kubernetes, { applyPatches: true }).actions).toEqual([]);
});

it('lets rules see what patches made', () => {
  const service = resource('v1 Service shop/web', { spec: { selector: { app: 'web' } } });
  const labelled = resource('v1 Pod web', { metadata: { labels: { app: 'web' } } });
  const design = { ...designOf(labelled, resource('v1 Namespace shop'), service), relationships: [drawn('approved')] };
  const { design: after } = evaluate(design, kubernetes, { applyPatches: true });
  expect(edgesIn(after)).toContain('Service shop/web > Pod shop/web network');
});

it('is not applied for what was dismissed, nor where it leads through something else', () => {
  const options = { applyPatches: true };
  const dismissed = { ...namespaced, relationships: [drawn('deleted')] };
  expect(evaluate(dismissed, kubernetes, options).actions).toEqual([]);
  const astray = ['_', 'name'].map((step) =>
    drawn('approved', { mutatedRef: [['configuration', 'metadata', step, 'deep']] }),
  );
  const { actions, trace } = evaluate({ ...namespaced, relationships: astray }, [], options);
  expect(actions).toEqual([]);
  expect(trace.notes).toEqual([
    'Relationship drawn: configuration.metadata.*.deep is not one place.',
    'Relationship drawn: configuration.metadata.name.deep leads through a value that is not an object.',
  ]);
});

describe('a path through a list', () => {
  const container = (name: string): JsonObject => ({ name, envFrom: [{ configMapRef: { name: 'old' } }] });
  const path = ['configuration', 'spec', 'template', 'spec', 'containers', '_', 'envFrom', '0', 'configMapRef', 'name'];

  function patched(...containers: JsonObject[]): ReturnType<typeof evaluate> {
    const design = designOf(
      resource('v1 ConfigMap settings'),
      resource('apps/v1 Deployment web', { spec: { template: { spec: { containers } } } }),
    );
    const [from, to] = design.components.map(({ id }) => id);
    const allow = {
      from: [{ id: from ?? '', patch: { mutatorRef: [['displayName']] } }],
      to: [{ id: to ?? '', patch: { mutatedRef: [path] } }],
    };
    const relationships = [{ id: 'drawn', status: 'pending', selectors: [{ allow }] }];
    return evaluate({ ...design, relationships }, [], { applyPatches: true });
  }

  it('leads to its only item', () => {
    const { design, actions } = patched(container('web'));
    expect(actions).toMatchObject([{ new: 'settings' }, { op: 'update_relationship' }]);
    expect(design.relationships).toMatchObject([{ status: 'approved' }]);
    expect(JSON.stringify(design.components[1]?.configuration)).not.toContain('old');
  });

  it('leads nowhere among several, and the relationship stays pending', () => {
    for (const containers of [[], [container('web'), container('proxy')]]) {
      const { design, actions, trace } = patched(...containers);
      expect(actions).toEqual([]);
      expect(design.relationships).toMatchObject([{ status: 'pending' }]);
      expect(trace.notes).toEqual([
        'Relationship drawn: configuration.spec.template.spec.containers.*.envFrom.0.configMapRef.name is not one place.',
      ]);
    }
  });
});

it('is not applied when the mutator has no value, unless the mutated has none either', () => {
  const patch = { mutatedRef: [['displayName'], ['configuration', 'metadata', 'labels']] };
  const mutator = { mutatorRef: [['displayName'], ['configuration', 'metadata', 'labels']] };
  const copied = (labels: JsonObject | undefined): ReturnType<typeof evaluate> => {
    const design = designOf(resource('v1 Pod a'), resource('v1 Pod b', labels && { metadata: { labels } }));
    const [from, to] = design.components.map(({ id }) => id);
    const allow = { from: [{ id: from ?? '', patch: mutator }], to: [{ id: to ?? '', patch }] };
    const relationships = [{ id: 'drawn', status: 'pending', selectors: [{ allow }] }];
    return evaluate({ ...design, relationships }, [], { applyPatches: true });
  };
  expect(copied(undefined).design.relationships).toMatchObject([{ status: 'approved' }]);
  const { design, trace, actions } = copied({ app: 'b' });
  expect(design.relationships).toMatchObject([{ status: 'pending' }]);
  expect(actions).toMatchObject([{ op: 'update_component', pointer: '/displayName' }]);
  expect(trace.notes).toEqual(['Relationship drawn: configuration.metadata.labels has no value.']);
});

it('merges objects when it says so, and reports strategies that are not applied', () => {
  const design = designOf(
    resource('v1 ConfigMap a', { data: { one: '1', two: '2' } }),
    resource('v1 ConfigMap b', { data: { two: 'x', three: '3' } }),
  );
  const [giver, taker] = design.components.map(({ id }) => id);
  const copy = (patchStrategy: string): JsonObject => ({
    id: 'copy',
    status: 'approved',
    selectors: [
      {
        allow: {
          from: [{ id: giver ?? '', patch: { mutatorRef: [['configuration', 'data']] } }],
          to: [{ id: taker ?? '', patch: { patchStrategy, mutatedRef: [['configuration', 'data']] } }],
        },
      },
    ],
  });
  const merged = evaluate({ ...design, relationships: [copy('merge')] }, [], { applyPatches: true });
  expect(merged.design.components[1]?.configuration['data']).toEqual({ one: '1', two: '2', three: '3' });
  const moved = evaluate({ ...design, relationships: [copy('move')] }, [], { applyPatches: true });
  expect(moved.trace.notes).toEqual(['Relationship copy: the patch strategy "move" is not applied.']);
});
