import { type FieldSet, hasField, indexMembers, releaseFields } from '../../kubernetes/clusters/field-set.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { findRefusedMappings } from '../plan/defaulted-siblings.js';
import { findNewFields, findLeftovers } from '../plan/leftover-fields.js';
import { appliedConfiguration } from './applied-configuration.js';

describe('A set of fields', () => {
  it('knows the items of a list by their keys, values and indices', () => {
    const find = indexMembers({ '.': {}, 'k:{"containerPort":80,"protocol":"TCP"}': {}, 'k:{"name":"a"}': {}, 'v:"x"': {}, 'i:3': {} }); // prettier-ignore
    expect(find({ containerPort: 80 }, 0)).toBe('k:{"containerPort":80,"protocol":"TCP"}');
    expect(find({ containerPort: 80, protocol: 'UDP' }, 0)).toBeUndefined();
    expect(find({ name: 'a', value: '1' }, 0)).toBe('k:{"name":"a"}');
    expect([find('x', 0), find('y', 3), find('y', 0), find(null, 0)]).toEqual(['v:"x"', 'i:3', undefined, undefined]);
  });

  it('removes every item that was released', () => {
    const list = [{ name: 'a' }, { name: 'b' }, { name: 'a' }];
    expect(releaseFields(list, { 'k:{"name":"a"}': {} }, {})).toEqual([{ name: 'b' }]);
  });

  it('is compared with long lists in linear time', () => {
    const count = 10_000;
    const names = Array.from({ length: count }, (_, index) => `variable-${index}`);
    const list = names.map((name) => ({ name, value: name }));
    const fields: FieldSet = Object.fromEntries(names.map((name) => [`k:${JSON.stringify({ name })}`, { '.': {}, 'f:name': {}, 'f:value': {} }])); // prettier-ignore
    const object: KubernetesObject = {
      apiVersion: 'example.org/v1',
      kind: 'Thing',
      metadata: { name: 'a', managedFields: [{ manager: 'armature', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:env': fields } } }] }, // prettier-ignore
      spec: { env: list },
    };
    const kind = { subresources: [] as string[] } as Parameters<typeof findNewFields>[0];
    const startedAt = performance.now();
    expect(findLeftovers(object, object, object)).toEqual({});
    expect(findNewFields(kind, object, object)).toEqual({});
    expect(findRefusedMappings(object, object, [{ field: 'spec.env[0].value', reason: 'FieldValueForbidden' }])).toEqual([]); // prettier-ignore
    expect(appliedConfiguration(object)['spec']).toEqual({ env: list });
    expect(releaseFields(list, fields, fields)).toHaveLength(count);
    expect(names.every((_, index) => hasField(fields, list, [`${index}`, 'value']))).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});
