import type { FieldSet } from '../clusters/field-set.js';
import type { KubernetesObject } from '../clusters/kubernetes-object.js';
import { digestApplied, rememberApplied } from './applied-fields.js';

const BOTH: FieldSet = { 'f:data': { 'f:colour': {}, 'f:size': {} } };
const FIRST = '2026-01-01T00:00:00Z';

const settings = (fieldsV1: FieldSet | null, data: object, time = FIRST): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'settings',
    managedFields: fieldsV1 ? [{ manager: 'armature', operation: 'Apply', time, fieldsV1 }] : [],
  },
  data,
});

/** The digests of consecutive states that a watch receives. */
function digests(states: KubernetesObject[]): (string | null)[] {
  let known: ReturnType<typeof rememberApplied> = null;
  return states.map((state) => {
    known = rememberApplied(state, known);
    return known && digestApplied(state.kind, state, known);
  });
}

describe('what this server applied to an object', () => {
  it('differs with each value of it, also after another manager took the field over', () => {
    const taken: FieldSet = { 'f:data': { 'f:size': {} } };
    const [applied, changed, back, again, gone] = digests([
      settings(BOTH, { colour: 'blue', size: 1 }),
      settings(taken, { colour: 'red', size: 1 }),
      settings(taken, { colour: 'blue', size: 1 }),
      settings(null, { colour: 'green', size: 1 }),
      settings(null, { size: 1 }),
    ]);
    expect(back).toBe(applied);
    expect(new Set([applied, changed, again, gone]).size).toBe(4);
  });

  it('differs with nothing that others add', () => {
    const [applied, added] = digests([
      settings(BOTH, { colour: 'blue', size: 1 }),
      { ...settings(BOTH, { colour: 'blue', size: 1, other: 2 }), status: { ready: true } },
    ]);
    expect(added).toBe(applied);
  });

  it('is only what was applied last, once it is applied again', () => {
    const colour: FieldSet = { 'f:data': { 'f:colour': {} } };
    const later = '2026-01-01T00:00:01Z';
    const [, applied, other] = digests([
      settings(BOTH, { colour: 'blue', size: 1 }),
      settings(colour, { colour: 'blue', size: 1 }, later),
      settings(colour, { colour: 'blue', size: 2 }, later),
    ]);
    expect(other).toBe(applied);
  });

  it('finds items of lists by keys, by defaults of keys and by values', () => {
    const fields: FieldSet = {
      'f:spec': {
        'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {}, 'f:name': {} } },
        'f:finalizers': { 'v:"one"': {} },
        'f:rules': { 'i:1': {} },
      },
    };
    const state = (spec: object): KubernetesObject => ({ ...settings(fields, {}), spec });
    const port = { port: 80, name: 'http' };
    const [first, moved, renamed, without, replaced] = digests([
      state({ ports: [port, { port: 81 }], finalizers: ['one'], rules: ['a', 'b'] }),
      state({ ports: [{ port: 82 }, port], finalizers: ['two', 'one'], rules: ['c', 'b'] }),
      state({ ports: [{ ...port, name: 'web' }], finalizers: ['one'], rules: ['a', 'b'] }),
      state({ ports: [port], finalizers: ['two'], rules: ['a', 'b'] }),
      state({ ports: [port], finalizers: ['one'], rules: ['a', 'c'] }),
    ]);
    expect(moved).toBe(first);
    expect(new Set([first, renamed, without, replaced]).size).toBe(4);
  });

  it('is nothing from which values of a Secret could be guessed', () => {
    const state: KubernetesObject = { ...settings(BOTH, { colour: 'Ymx1ZQ==' }), kind: 'Secret' };
    state.metadata.resourceVersion = '7';
    expect(digests([state])).toEqual(['version 7']);
  });

  it('is bounded: of very many fields whole parts are compared', () => {
    const names = Array.from({ length: 20_000 }, (_, index) => `name-${index}`);
    const fields: FieldSet = {
      'f:metadata': { 'f:labels': { 'f:app': {} } },
      'f:data': Object.fromEntries(names.map((name) => [`f:${name}`, {}])),
    };
    const state = settings(fields, { 'name-1': 'a' });
    expect(rememberApplied(state, null)?.fields).toEqual({ 'f:metadata': { 'f:labels': {} }, 'f:data': {} });
    const [first, other] = digests([state, settings(fields, { 'name-1': 'b' })]);
    expect(other).not.toBe(first);
  });

  it('is compared in time that grows with the list, not with its square', () => {
    const items = Array.from({ length: 50_000 }, (_, index) => ({ name: `n${index}`, value: index }));
    const members = items.slice(0, 2_000).map(({ name }) => [`k:{"name":"${name}"}`, { 'f:value': {} }]);
    const state = { ...settings({ 'f:items': Object.fromEntries(members) as FieldSet }, {}), items };
    const startedAt = performance.now();
    digests([state]);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
