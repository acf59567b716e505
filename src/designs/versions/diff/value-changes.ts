import { isDeepStrictEqual } from 'node:util';
import { escapePointerSegment } from '../../../core/json/storable-json.js';
import { isObject, type Json, type JsonObject } from '../../../core/json/json.js';

/** One difference between two values. */
export interface ValueChange {
  /** JSON Pointer into the new value, or into the old one for removals. */
  pointer: string;
  change: 'added' | 'removed' | 'changed' | 'reordered';
  /** The old value; for a new order, the identities in their old order. */
  from?: Json;
  to?: Json;
}

/**
 * The fields that identify the items of a list in Kubernetes and Compose; the first match applies. The first field of each entry is
 * required.
 */
const IDENTITY_FIELDS: readonly (readonly string[])[] = [
  ['name'],
  ['id'],
  ['mountPath'],
  ['containerPort', 'protocol'],
  ['port', 'protocol'],
  ['topologyKey', 'whenUnsatisfiable'],
  ['key', 'operator'],
  ['devicePath'],
  ['ip'],
  ['host'],
  ['secretName'],
  ['type'],
];

/** Lists whose order matters although their items have identities, because the items run one after another. */
const ORDERED_LISTS = new Set(['initContainers']);

/** The semantic differences of a value: keys may be in any order, and so may the items of a list that have an identity. */
export function* findValueChanges(from: Json | undefined, to: Json | undefined, pointer = ''): Generator<ValueChange> {
  if (isDeepStrictEqual(from, to)) return;
  if (from === undefined) yield { pointer, change: 'added', to };
  else if (to === undefined) yield { pointer, change: 'removed', from };
  else if (isObject(from) && isObject(to)) yield* findMemberChanges(from, to, pointer);
  else if (Array.isArray(from) && Array.isArray(to)) yield* findListChanges(from, to, pointer);
  else yield { pointer, change: 'changed', from, to };
}

function* findMemberChanges(from: JsonObject, to: JsonObject, pointer: string): Generator<ValueChange> {
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)]))
    yield* findValueChanges(from[name], to[name], `${pointer}/${escapePointerSegment(name)}`);
}

function* findListChanges(from: readonly Json[], to: readonly Json[], pointer: string): Generator<ValueChange> {
  const identity = findCommonIdentity(from, to);
  if (!identity) {
    yield* findPositionalChanges(from, to, pointer);
    return;
  }
  const before = indexByIdentity(from, identity);
  const after = indexByIdentity(to, identity);
  for (const [key, index] of before) {
    if (!after.has(key)) yield { pointer: `${pointer}/${index}`, change: 'removed', from: from[index] };
  }
  for (const [key, index] of after) {
    const was = before.get(key);
    yield* findValueChanges(was === undefined ? undefined : from[was], to[index], `${pointer}/${index}`);
  }
  if (!ORDERED_LISTS.has(pointer.slice(pointer.lastIndexOf('/') + 1))) return;
  const common = (keys: Iterable<string>, others: ReadonlyMap<string, number>) =>
    [...keys].filter((key) => others.has(key));
  const [stood, stand] = [common(before.keys(), after), common(after.keys(), before)];
  if (!isDeepStrictEqual(stood, stand)) yield { pointer, change: 'reordered', from: stood, to: stand };
}

/** Compares lists without identities: skips the common start and end, and compares the rest by index. */
function* findPositionalChanges(from: readonly Json[], to: readonly Json[], pointer: string): Generator<ValueChange> {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && isDeepStrictEqual(from[start], to[start])) start += 1;
  let end = 0;
  while (end < shorter - start && isDeepStrictEqual(from.at(-1 - end), to.at(-1 - end))) end += 1;
  const [lastFrom, lastTo] = [from.length - end, to.length - end];
  for (let at = start; at < Math.max(lastFrom, lastTo); at += 1)
    yield* findValueChanges(at < lastFrom ? from[at] : undefined, at < lastTo ? to[at] : undefined, `${pointer}/${at}`);
}

function findCommonIdentity(from: readonly Json[], to: readonly Json[]): readonly string[] | undefined {
  return IDENTITY_FIELDS.find((fields) => [from, to].every((list) => identifiesItems(fields, list)));
}

function identifiesItems(fields: readonly string[], list: readonly Json[]): boolean {
  const [first = ''] = fields;
  const all = list.every((item) => isObject(item) && ['string', 'number'].includes(typeof item[first]));
  return all && indexByIdentity(list, fields).size === list.length;
}

/** The index of each identity in the list. */
function indexByIdentity(list: readonly Json[], fields: readonly string[]): Map<string, number> {
  return new Map(
    list.map((item, index) => {
      const values = fields.map((field) => (isObject(item) ? (item[field] ?? null) : null));
      return [values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(' '), index];
    }),
  );
}
