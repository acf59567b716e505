import { parseExactJson } from '../../core/json/large-integers.js';

/**
 * A set of fields in the format of managed fields (FieldsV1): `f:` fields, `k:` items by key fields, `v:` items by
 * value, `i:` items by index.
 */
export type FieldSet = { [member: string]: unknown };

/** Default values of key fields that objects may omit. */
const DEFAULTS: Record<string, unknown> = { protocol: 'TCP' };

export const isFieldSet = (value: unknown): value is FieldSet =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of a set; empty for a field that is owned as a whole. `.` is the field itself. */
export function membersOf(fields: FieldSet): readonly string[] {
  const known = memberLists.get(fields);
  if (known) return known;
  const members = Object.keys(fields).filter((key) => key !== '.');
  memberLists.set(fields, members);
  return members;
}

/** Field sets are not changed once they are read, and are asked again for each item of a long list. */
const memberLists = new WeakMap<FieldSet, readonly string[]>();

/** Reports whether a set contains the field at the path, or an ancestor as a whole. */
export function hasField(fields: unknown, value: unknown, [name, ...rest]: readonly string[]): boolean {
  if (!isFieldSet(fields)) return false;
  if (name === undefined) return true;
  const members = membersOf(fields);
  if (members.length === 0) return true;
  if (Array.isArray(value)) {
    const item = (value as unknown[])[Number(name)];
    const key = indexMembers(fields)(item, Number(name));
    return key !== undefined && hasField(fields[key], item, rest);
  }
  const field = `f:${name}`;
  return Object.hasOwn(fields, field) && hasField(fields[field], memberOf(value, name), rest);
}

/** Returns the values of an object at a set of fields, in the order of the set; undefined for missing ones. */
export function pickFields(fields: unknown, value: unknown): unknown {
  if (value === undefined || !isFieldSet(fields)) return value;
  const members = membersOf(fields);
  if (members.length === 0) return value;
  const find = Array.isArray(value) ? findItems(value) : (member: string) => memberOf(value, member.slice(2));
  return members.map((member) => [member, pickFields(fields[member], find(member))]);
}

/** The union of two sets; a field that one set contains as a whole stays whole. */
export function mergeFieldSets(one: FieldSet, other: FieldSet): FieldSet {
  if (membersOf(one).length === 0 || membersOf(other).length === 0) return {};
  const merged: FieldSet = { ...one };
  for (const [member, fields] of Object.entries(other)) {
    const known = one[member];
    merged[member] = isFieldSet(known) && isFieldSet(fields) ? mergeFieldSets(known, fields) : fields;
  }
  return merged;
}

/** The fields of a set that are not in the other. */
export function subtractFieldSets(from: FieldSet, other: FieldSet): FieldSet {
  const left: FieldSet = {};
  for (const member of membersOf(from)) {
    const [fields, taken] = [from[member], other[member]];
    if (!isFieldSet(taken)) left[member] = fields;
    else if (isFieldSet(fields) && membersOf(fields).length > 0 && membersOf(taken).length > 0) {
      const inner = subtractFieldSets(fields, taken);
      if (Object.keys(inner).length > 0) left[member] = inner;
    }
  }
  return left;
}

/** The set of the fields at these paths of members. */
export const toFieldSet = (paths: readonly (readonly string[])[]): FieldSet =>
  uniteFieldSets(paths.map((path) => path.reduceRight<FieldSet>((inner, member) => ({ [member]: inner }), {})));

/** All fields of some sets, where the field itself (`.`) and the fields below it are told apart, as in managed fields. */
export function uniteFieldSets(sets: readonly FieldSet[]): FieldSet {
  const copies = new WeakMap<FieldSet, number>();
  return sets.reduce<FieldSet>((united, set) => unite(united, set, copies), {});
}

/** @param copies sets that may be changed, with the number of their members, so that each set is copied and counted once */
function unite(one: FieldSet, other: FieldSet, copies: WeakMap<FieldSet, number>): FieldSet {
  const sizeOf = (set: FieldSet): number => copies.get(set) ?? Object.keys(set).length;
  const united = copies.has(one) ? one : { ...one };
  let size = sizeOf(one);
  for (const [member, fields] of Object.entries(other)) {
    const known = united[member];
    if (!Object.hasOwn(united, member)) size += 1;
    if (!isFieldSet(known) || !isFieldSet(fields)) united[member] = fields;
    else {
      const isWhole = sizeOf(known) === 0 || sizeOf(fields) === 0;
      const inner = unite(known, fields, copies);
      const left = sizeOf(inner);
      if (isWhole && left > 0 && !Object.hasOwn(inner, '.')) {
        inner['.'] = {};
        copies.set(inner, left + 1);
      }
      united[member] = inner;
    }
  }
  copies.set(united, size);
  return united;
}

/** The set without the fields of another, each with all that is below it. */
export function omitFields(from: FieldSet, other: FieldSet): FieldSet {
  const left: FieldSet = {};
  for (const [member, fields] of Object.entries(from)) {
    const omitted = other[member];
    if (!isFieldSet(omitted)) left[member] = fields;
    else if (isFieldSet(fields) && membersOf(omitted).length > 0) {
      const inner = omitFields(fields, omitted);
      if (Object.keys(inner).length > 0) left[member] = inner;
    }
  }
  return left;
}

/**
 * The value without the fields that were released, unless they are still held. As server-side apply does, it removes a field with
 * all that is in it when nothing of it is held, including what nobody owned.
 */
export function releaseFields(value: unknown, released: FieldSet, held: FieldSet): unknown {
  if (membersOf(released).length === 0 || typeof value !== 'object' || value === null) return value;
  const release = (member: string | undefined, inner: unknown): unknown[] => {
    if (member === undefined || !Object.hasOwn(released, member)) return [inner];
    if (!Object.hasOwn(held, member)) return [];
    const [left, kept] = [released[member], held[member]];
    return isFieldSet(left) && isFieldSet(kept) && membersOf(kept).length > 0
      ? [releaseFields(inner, left, kept)]
      : [inner];
  };
  if (Array.isArray(value)) {
    const find = indexMembers(released);
    return value.flatMap((item: unknown, index) => release(find(item, index), item));
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => release(`f:${name}`, inner).map((left) => [name, left])),
  );
}

/** The names of the key fields of a list, by the items in these sets; undefined for a list without keys. */
export function findKeyNames(sets: readonly FieldSet[]): string[] | undefined {
  for (const set of sets)
    for (const member of membersOf(set)) {
      const key = member.startsWith('k:') ? parseMember(member) : undefined;
      if (isFieldSet(key)) return Object.keys(key);
    }
  return undefined;
}

/** The values of the key fields of a list item as text: equal for items with the same key. */
export const toItemKey = (names: readonly string[], item: unknown): string =>
  JSON.stringify(names.map((name) => memberOf(item, name) ?? DEFAULTS[name] ?? null));

/** The member that identifies each item of a list in these sets, by the index of the item. */
export function findItemMembers(sets: readonly FieldSet[], list: readonly unknown[]): Map<number, string> {
  const find = indexItems(list);
  const found = new Map<number, string>();
  for (const member of sets.flatMap(membersOf)) {
    const index = find(member);
    if (index !== undefined) found.set(index, member);
  }
  return found;
}

/** The sets of the items or fields below this member. */
export const below = (sets: readonly FieldSet[], member: string): FieldSet[] =>
  sets.flatMap((set) => {
    const inner = set[member];
    return isFieldSet(inner) ? [inner] : [];
  });

/** Looks up list items by members of a set in constant time, for long lists. */
export function findItems(list: readonly unknown[]): (member: string) => unknown {
  const find = indexItems(list);
  return (member) => {
    const index = find(member);
    return index === undefined ? undefined : list[index];
  };
}

/** Looks up the indices of list items by members of a set in constant time, for long lists. */
export function indexItems(list: readonly unknown[]): (member: string) => number | undefined {
  const indices = new Map<string, Map<string, number>>();
  const find = (names: string, toKey: (item: unknown) => unknown, wanted: unknown): number | undefined => {
    const index = indices.get(names) ?? new Map(list.map((item, at) => [JSON.stringify(toKey(item)), at]));
    indices.set(names, index);
    return index.get(JSON.stringify(wanted));
  };
  return (member) => {
    const [type, wanted] = [member.slice(0, 2), parseMember(member)];
    if (type === 'i:') return Number(wanted) < list.length ? Number(wanted) : undefined;
    if (type === 'v:') return find('', (item) => item, wanted);
    if (type !== 'k:' || !isFieldSet(wanted)) return undefined;
    const names = Object.keys(wanted);
    const keysOf = (item: unknown): unknown[] => names.map((name) => memberOf(item, name) ?? DEFAULTS[name]);
    return find(JSON.stringify(names), keysOf, Object.values(wanted));
  };
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

type FindMember = (item: unknown, index: number) => string | undefined;

const memberIndices = new WeakMap<FieldSet, FindMember>();

/** Looks up the member of a set that identifies a list item in constant time, for long lists. */
export function indexMembers(fields: FieldSet): FindMember {
  const known = memberIndices.get(fields);
  if (known) return known;
  const keyed = new Map<string, { names: string[]; members: Map<string, string> }>();
  const others = new Map<string, string>();
  for (const member of membersOf(fields)) {
    const [type, wanted] = [member.slice(0, 2), parseMember(member)];
    if (type !== 'k:' || !isFieldSet(wanted)) others.set(`${type}${JSON.stringify(wanted)}`, member);
    else {
      const names = Object.keys(wanted);
      const group = keyed.get(JSON.stringify(names)) ?? { names, members: new Map<string, string>() };
      keyed.set(JSON.stringify(names), group);
      group.members.set(toItemKey(names, wanted), member);
    }
  }
  const find: FindMember = (item, index) => {
    for (const { names, members } of keyed.values()) {
      const found = members.get(toItemKey(names, item));
      if (found !== undefined) return found;
    }
    return others.size > 0 ? (others.get(`v:${JSON.stringify(item)}`) ?? others.get(`i:${index}`)) : undefined;
  };
  memberIndices.set(fields, find);
  return find;
}

/** Parses the JSON after the type prefix of a member; undefined when it is not JSON. */
function parseMember(member: string): unknown {
  try {
    return parseExactJson(member.slice(2));
  } catch {
    return undefined;
  }
}
