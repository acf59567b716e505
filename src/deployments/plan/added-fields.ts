import { isObject, type Json } from '../../core/json/json.js';
import { findPersonFields } from '../../kubernetes/clusters/field-managers.js';
import {
  findKeyNames,
  type FieldSet,
  indexItems,
  isFieldSet,
  membersOf,
  toItemKey,
} from '../../kubernetes/clusters/field-set.js';
import { type KubernetesObject, type ManagedFields } from '../../kubernetes/clusters/kubernetes-object.js';
import { type HeldFields } from './keyed-lists.js';

/** A field that a person has added to an object, and that the design does not have. */
export interface AddedField extends HeldFields {
  live: Json;
  manager: string;
  at: string | null;
}

const MAX_ADDED = 100;

/**
 * What people have added to an object by hand: the fields that they own by the managed fields and that the design does not have. An
 * added item of a list, or an added object, is one field. At most 100.
 */
export function findAddedFields(desired: KubernetesObject, live: KubernetesObject): AddedField[] {
  const found = new Map<string, AddedField>();
  for (const { entry, fields } of findPersonFields(live))
    for (const held of findHeld(fields, desired as Json, live as Json, { path: [], members: [] })) {
      const key = JSON.stringify(held.path);
      if (!found.has(key) && found.size < MAX_ADDED) found.set(key, toAddedField(held, entry));
    }
  return [...found.values()];
}

const toAddedField = (held: HeldFields & { live: Json }, { manager = '', time }: ManagedFields): AddedField => ({
  ...held,
  manager,
  at: time ?? null,
});

function* findHeld(
  fields: FieldSet,
  desired: Json | undefined,
  live: Json | undefined,
  at: HeldFields,
): Generator<HeldFields & { live: Json }> {
  if (live === undefined) return;
  const members = membersOf(fields);
  const isAbsent = desired === undefined || desired === null;
  if (isAbsent && (members.length === 0 || Object.hasOwn(fields, '.'))) {
    yield { ...at, live };
    return;
  }
  const findIndex = Array.isArray(live) ? indexItems(live) : undefined;
  const names = findIndex && findKeyNames([fields]);
  // The items of a set are known by their values.
  const keyOf = (item: Json): string => (names ? toItemKey(names, item) : JSON.stringify(item));
  const wanted = new Map(Array.isArray(desired) ? desired.map((item) => [keyOf(item), item]) : []);
  for (const member of members) {
    const inner = fields[member];
    if (!isFieldSet(inner)) continue;
    const name = findIndex ? findIndex(member) : member.slice(2);
    if (name === undefined) continue;
    const next = { path: [...at.path, `${name}`], members: [...at.members, member] };
    if (typeof name === 'number') {
      const item = (live as Json[])[name] as Json;
      yield* findHeld(inner, wanted.get(keyOf(item)), item, next);
    } else if (isObject(live)) yield* findHeld(inner, isObject(desired) ? desired[name] : undefined, live[name], next);
  }
}
