import type { Json } from '../../../core/json/json.js';
import { findValueChanges } from './value-changes.js';

const changes = (from: Json, to: Json) => [...findValueChanges(from, to)];

describe('what differs between two values', () => {
  it('is nothing when only keys stand in another order, at any depth', () => {
    expect(changes({ a: 1, b: { c: [1], d: null } }, { b: { d: null, c: [1] }, a: 1 })).toEqual([]);
  });

  it('is named by JSON Pointers, with what was and what is', () => {
    expect(changes({ a: { 'b/c': 1, gone: true } }, { a: { 'b/c': 2, 'n~w': {} } })).toEqual([
      { pointer: '/a/b~1c', change: 'changed', from: 1, to: 2 },
      { pointer: '/a/gone', change: 'removed', from: true },
      { pointer: '/a/n~0w', change: 'added', to: {} },
    ]);
  });

  it('is not the order of items that have an identity', () => {
    const env = [{ name: 'A', value: '1' }, { name: 'B', value: '2' }]; // prettier-ignore
    expect(changes({ env }, { env: env.toReversed() })).toEqual([]);
    const ports = [{ containerPort: 53, protocol: 'TCP' }, { containerPort: 53, protocol: 'UDP' }]; // prettier-ignore
    expect(changes({ ports }, { ports: ports.toReversed() })).toEqual([]);
  });

  it('is reported for the item with the same identity, wherever it is now', () => {
    const from = [{ name: 'A', value: '1' }, { name: 'B', value: '2' }]; // prettier-ignore
    const to = [{ name: 'C', value: '3' }, { name: 'B', value: '5' }]; // prettier-ignore
    expect(changes(from, to)).toEqual([
      { pointer: '/0', change: 'removed', from: from[0] },
      { pointer: '/0', change: 'added', to: to[0] },
      { pointer: '/1/value', change: 'changed', from: '2', to: '5' },
    ]);
  });

  it('is the order of plain items, and of containers that run one after another', () => {
    expect(changes({ args: ['a', 'b'] }, { args: ['b', 'a'] })).toHaveLength(2);
    const [one, two] = [{ name: 'one' }, { name: 'two' }];
    expect(changes({ initContainers: [one, two] }, { initContainers: [two, one] })).toEqual([
      { pointer: '/initContainers', change: 'reordered', from: ['one', 'two'], to: ['two', 'one'] },
    ]);
    expect(changes({ initContainers: [one, two] }, { initContainers: [two] })).toHaveLength(1);
  });

  it('is one item when one was put between others', () => {
    expect(changes(['a', 'b', 'c'], ['a', 'x', 'b', 'c'])).toEqual([{ pointer: '/1', change: 'added', to: 'x' }]);
    expect(changes(['a', 'x', 'b'], ['a', 'b'])).toEqual([{ pointer: '/1', change: 'removed', from: 'x' }]);
  });

  it('takes items of one identity for what they are: a list without identities', () => {
    const twice = [{ name: 'A', value: '1' }, { name: 'A', value: '2' }]; // prettier-ignore
    expect(changes(twice, twice.toReversed())).toHaveLength(2);
  });

  it('is a change when the type is another, and no change between equal numbers', () => {
    expect(changes({ a: '1' }, { a: 1 })).toEqual([{ pointer: '/a', change: 'changed', from: '1', to: 1 }]);
    expect(changes({ a: [] }, { a: {} })).toHaveLength(1);
    expect(changes({ a: null }, {})).toEqual([{ pointer: '/a', change: 'removed', from: null }]);
  });
});
