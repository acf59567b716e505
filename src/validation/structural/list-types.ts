import { isObject, type Json } from '../../core/json/json.js';
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

/** The values of the list map keys of an item. */
export function listKey(item: Json, node: SchemaNode): Json {
  const keys = node.raw['x-kubernetes-list-map-keys'];
  const names = Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
  const members = isObject(item) ? item : {};
  return Object.fromEntries(names.filter((name) => name in members).map((name) => [name, members[name] ?? null]));
}

/** JSON text with sorted keys, as Go writes it: equal for equal values. */
export function canonical(value: Json): string {
  return JSON.stringify(value, (_, member: Json) => {
    if (!isObject(member)) return member;
    const sorted = Object.create(null) as Record<string, Json>;
    for (const key of Object.keys(member).sort()) sorted[key] = member[key] ?? null;
    return sorted;
  });
}

/** Reports each duplicate value once, at its second occurrence. */
function reportRepeated(values: Json[], at: string, findings: Findings): void {
  const times = new Map<string, number>();
  for (const [index, value] of values.entries()) {
    const text = canonical(value);
    const seen = times.get(text) ?? 0;
    times.set(text, seen + 1);
    if (seen === 1)
      findings.error(at + toPointer(index), 'x-kubernetes-list-type', `Duplicate value: ${quoted(value)}`);
  }
}
