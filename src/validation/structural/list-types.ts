import { canonicalJson } from '../../core/json/canonical-json.js';
import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { type Findings, quoted } from '../schema/findings.js';
import type { SchemaNode } from '../schema/schema-node.js';

/** Checks the uniqueness of items that `x-kubernetes-list-type` requires. */
export function checkListType(list: Json[], node: SchemaNode, at: string, findings: Findings): void {
  const type = node.raw['x-kubernetes-list-type'];
  if (type === 'set') reportRepeated(list, at, findings);
  if (type !== 'map') return;
  const odd = list.findIndex((item) => item !== null && !isObject(item));
  if (odd >= 0) {
    const where = at + toPointer(odd);
    findings.error(
      where,
      'x-kubernetes-list-type',
      `Invalid value: ${quoted(list[odd])}: must be an object for an array of list-type map`,
    );
    return;
  }
  reportRepeated(
    list.map((item) => listKey(item, node)),
    at,
    findings,
  );
}

/** The keyword of an item with the key of an earlier one, in a list of a built-in type. */
export const REPEATED_ITEM = 'duplicate-item';

/**
 * Checks that the items of a list of a built-in type have different keys. An API server takes some with equal keys when an object is
 * created, but never when it is applied.
 */
export function checkItemKeys(list: Json[], node: SchemaNode, at: string, findings: Findings): void {
  if (node.raw['x-kubernetes-list-type'] !== 'map') return;
  const seen = new Map<string, number>();
  const defaults = defaultKey(node);
  for (const [index, item] of list.entries()) {
    if (!isObject(item)) return;
    const key = listKey({ ...defaults, ...item }, node);
    if (Object.keys(key).length === 0) continue;
    const first = seen.get(canonicalJson(key));
    seen.set(canonicalJson(key), first ?? index);
    if (first === undefined) continue;
    const names = Object.entries(key).map(([name, value]) => `${name} ${quoted(value)}`);
    const detail = `has the key of item ${first} again, ${names.join(' and ')}; of the two the last one holds`;
    findings.error(at + toPointer(index), REPEATED_ITEM, detail);
  }
}

/** The defaults of the key fields, such as the protocol of a port. */
function defaultKey(node: SchemaNode): JsonObject {
  const defaults: JsonObject = {};
  for (const name of keyNames(node)) defaults[name] = node.items?.property(name)?.raw['default'] ?? null;
  return Object.fromEntries(Object.entries(defaults).filter(([, value]) => value !== null));
}

/** The values of the list map keys of an item. */
export function listKey(item: Json, node: SchemaNode): JsonObject {
  const members = isObject(item) ? item : {};
  const names = keyNames(node);
  return Object.fromEntries(names.filter((name) => name in members).map((name) => [name, members[name] ?? null]));
}

function keyNames(node: SchemaNode): string[] {
  const keys = node.raw['x-kubernetes-list-map-keys'];
  return Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
}

/** Reports each duplicate value once, at its second occurrence. */
function reportRepeated(values: Json[], at: string, findings: Findings): void {
  const times = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const text = canonicalJson(value);
    const seen = times.get(text) ?? 0;
    times.set(text, seen + 1);
    if (seen === 1)
      findings.error(at + toPointer(index), 'x-kubernetes-list-type', `Duplicate value: ${quoted(value)}`);
  }
}
