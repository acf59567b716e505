import { isObject, type Json, type JsonObject, asText } from '../../src/core/json/json.js';
import { METADATA } from './metadata.js';
import { changed, type Spot, spotsOf } from './places.js';
import type { Random } from './random.js';

/** An object that something was done to. */
export interface Mutant {
  /** What was done. */
  way: string;
  object: JsonObject;
}

type Change = (spot: Spot, random: Random) => (Json | undefined)[];

const OTHER: Record<string, Json[]> = {
  string: [7, true, ['a'], { a: 'b' }],
  integer: ['7', true, [], 'x'],
  number: ['7', true, {}],
  boolean: ['yes', 'true', 1, {}],
  array: ['a', 1, {}, true],
  object: ['a', 1, [], true],
};

const ofType =
  (...types: string[]) =>
  ({ value }: Spot): boolean =>
    types.includes(Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

/** Ways to break a value; each answers what to put in its place (undefined takes it away), or nothing where it does not apply. */
const WAYS: Record<string, { applies: (spot: Spot) => boolean; change: Change }> = {
  'wrong type': {
    applies: ({ node }) => node.types.length > 0,
    change: ({ node }, random) => [random.pick(OTHER[node.types[0] ?? ''] ?? [7]) ?? 7],
  },
  'required away': { applies: ({ required }) => required, change: () => [undefined] },
  'member away': {
    applies: ({ required, path }) => !required && typeof path.at(-1) === 'string',
    change: () => [undefined],
  },
  null: { applies: () => true, change: () => [null] },
  'null item': { applies: ofType('array'), change: ({ value }) => [[...(value as Json[]), null]] },
  'unknown field': {
    applies: ofType('object'),
    change: ({ value }, random) => [
      { ...(value as JsonObject), [random.pick(['unknownField', 'x-y', 'spec.a', '__proto__x']) ?? 'x']: 'a' },
    ],
  },
  'bad enum': {
    applies: ({ node, value }) => node.enumeration !== undefined && typeof value === 'string',
    change: ({ value }) => [`${asText(value)}X`],
  },
  'out of range': {
    applies: ofType('number'),
    change: ({ node }, random) => {
      const edges = [
        (node.number('minimum') ?? 0) - 1,
        (node.number('maximum') ?? 2 ** 31) + 1,
        -1,
        0,
        70_000,
        2 ** 40,
      ];
      return [random.pick(edges) ?? -1];
    },
  },
  fraction: { applies: ofType('number'), change: () => [1.5] },
  'bad format': {
    applies: ({ node, value }) => node.format !== undefined && typeof value === 'string',
    change: (_, random) => [
      random.pick(['not valid !', '', '2024-13-45T00:00:00Z', '1.2.3.4.5', '::g', 'YWJ', '-']) ?? '',
    ],
  },
  'bad quantity': {
    applies: ({ node, path }) => node.goType === 'quantity' || /cpu|memory|storage|size/i.test(String(path.at(-1))),
    change: (_, random) => [random.pick(['1 Gi', 'abc', '-1', '1.5.2', '10gb', '1e', '', '0x10', '1Ki5']) ?? ''],
  },
  'bad pattern': {
    applies: ({ node, value }) => node.pattern !== undefined && typeof value === 'string',
    change: ({ value }, random) => [
      random.pick([`${asText(value)}!!`, ' ', 'ÄÖ', `-${asText(value)}`, `${asText(value)}\n`]) ?? '',
    ],
  },
  'same item twice': {
    applies: ({ value }) => Array.isArray(value) && value.length > 0,
    change: ({ value }) => [[...(value as Json[]), structuredClone((value as Json[])[0] ?? null)]],
  },
  'too long': {
    applies: ofType('string'),
    change: ({ node }) => ['a'.repeat((node.number('maxLength') ?? 300) + 1)],
  },
  'too many': {
    applies: ({ node, value }) => Array.isArray(value) && value.length > 0 && (node.number('maxItems') ?? 100) <= 64,
    change: ({ node, value }) => [
      Array.from({ length: (node.number('maxItems') ?? 64) + 1 }, () => structuredClone((value as Json[])[0] ?? null)),
    ],
  },
  empty: {
    applies: ofType('string', 'array', 'object'),
    change: ({ value }) => [Array.isArray(value) ? [] : isObject(value) ? {} : ''],
  },
  'odd text': {
    applies: ofType('string'),
    change: (_, random) => [
      random.pick([
        'Upper Case',
        'a_b',
        '-a',
        'a.b',
        '/abs',
        '../up',
        'a/b/c',
        '😀',
        '1',
        'None',
        'Always',
        'x'.repeat(64),
      ]) ?? '',
    ],
  },
  'int or string': {
    applies: ({ node }) => node.isIntOrString,
    change: (_, random) => [random.pick<Json>([true, {}, 1.5, '150%', 'a b', -1, '%', 0]) ?? 0],
  },
  embedded: {
    applies: ({ node }) => node.embeds,
    change: (_, random) => [
      random.pick<Json>([
        { kind: 'A' },
        { apiVersion: 'v1', kind: '' },
        { apiVersion: 'a/b/c', kind: 'A' },
        { apiVersion: 'v1', kind: 'A_B' },
        { apiVersion: 'v1', kind: 'A', metadata: { labels: { a: 1 } } },
        { apiVersion: 'v1', kind: 'A', metadata: { name: 'a/b' } },
      ]) ?? {},
    ],
  },
  'more members': {
    applies: ({ node, value }) => isObject(value) && node.propertyNames.some((name) => !Object.hasOwn(value, name)),
    change: ({ node, value }, random) => {
      const missing = node.propertyNames.filter((name) => !Object.hasOwn(value as JsonObject, name));
      const copy = { ...(value as JsonObject) };
      for (const name of random.some(missing, 2)) copy[name] = plausible(node.property(name)?.types[0], random);
      return [copy];
    },
  },
  'rule shaken': {
    applies: ({ node, value }) => node.rules.length > 0 && isObject(value),
    change: ({ node, value }, random) => {
      const names = node.rules.flatMap(({ rule }) =>
        [...asText(rule).matchAll(/self\.(\w+)/g)].map(([, name]) => name ?? ''),
      );
      const copy = { ...(value as JsonObject) };
      for (const name of random.some([...new Set(names)], 2)) {
        if (Object.hasOwn(copy, name) && random.next() < 0.5) delete copy[name];
        else copy[name] = plausible(node.property(name)?.types[0], random);
      }
      return [copy];
    },
  },
};

/** Breaks an object in every way at some of its places, and its metadata and type besides. */
export function mutantsOf(object: JsonObject, schema: JsonObject, random: Random, perWay: number): Mutant[] {
  const spots = spotsOf(object, schema).slice(1);
  const mutants: Mutant[] = [];
  for (const [way, { applies, change }] of Object.entries(WAYS))
    for (const spot of random.some(spots.filter(applies), perWay))
      for (const value of change(spot, random)) mutants.push({ way, object: changed(object, spot.path, value) });
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  for (const broken of random.some(METADATA, 2))
    mutants.push({ way: 'metadata', object: { ...object, metadata: { ...metadata, ...broken } } });
  if (random.next() < 0.3)
    mutants.push({ way: 'root field', object: { ...object, [random.pick(['extra', 'specs', 'data2']) ?? 'x']: {} } });
  return mutants;
}

function plausible(type: string | undefined, random: Random): Json {
  const values: Record<string, Json[]> = {
    string: ['a', 'example.com', '10.0.0.1', ''],
    integer: [0, 1, 5],
    number: [0, 1.5],
    boolean: [true, false],
    array: [[], ['a'], [{}]],
    object: [{}, { a: 'b' }, { name: 'a' }],
  };
  return structuredClone(random.pick(values[type ?? 'object'] ?? [{}]) ?? {});
}
