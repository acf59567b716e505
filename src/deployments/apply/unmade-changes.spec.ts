import { type KubernetesObject, type ManagedFields } from '../../kubernetes/clusters/kubernetes-object.js';
import { isAsApplied } from './unmade-changes.js';

const FIRST = '2026-01-01T00:00:00Z';

describe('whether nothing was applied since', () => {
  const entry = (manager: string, names: string[], time = FIRST): ManagedFields => ({
    manager,
    operation: manager === 'armature' ? 'Apply' : 'Update',
    apiVersion: 'v1',
    time,
    fieldsV1: { 'f:data': Object.fromEntries(names.map((name) => [`f:${name}`, {}])) },
  });
  const map = (data: object, ...managedFields: ManagedFields[]): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', uid: 'one', managedFields },
    data,
  });
  const previous = map({ a: '1', b: '1' }, entry('armature', ['a', 'b']));
  const others = map({ a: '1' }, entry('kubectl-create', ['a']));

  it.each<[string, KubernetesObject, KubernetesObject, boolean]>([
    ['the same', previous, previous, true],
    [
      'a field of others',
      map({ a: '1', b: '1', c: '2' }, entry('armature', ['a', 'b']), entry('x', ['c'])),
      previous,
      true,
    ],
    [
      'a field that others took over',
      map({ a: '2', b: '1' }, entry('armature', ['b']), entry('x', ['a'])),
      previous,
      true,
    ],
    [
      'another value of its own in the same second',
      map({ a: '2', b: '1' }, entry('armature', ['a', 'b'])),
      previous,
      false,
    ],
    ['a field that it left in the same second', map({ b: '1' }, entry('armature', ['b'])), previous, false],
    ['a field that it has taken', map({ a: '1', b: '1', c: '1' }, entry('armature', ['a', 'b', 'c'])), previous, false],
    ['a later time', map({ a: '1', b: '1' }, entry('armature', ['a', 'b'], '2026-01-01T00:00:01Z')), previous, false],
    [
      'an object that is not adopted',
      map({ a: '2' }, entry('kubectl-create', ['a'], '2026-01-02T00:00:00Z')),
      others,
      true,
    ],
    ['an object that is adopted', map({ a: '1' }, entry('armature', ['a'])), others, false],
  ])('%s', (_, now, before, expected) => {
    expect(isAsApplied(now, before)).toBe(expected);
  });
});
