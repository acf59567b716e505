import { parseExactJson } from '../../core/json/large-integers.js';
import { isDeepStrictEqual } from 'node:util';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { findAppliedFields } from '../plan/owner.js';

type FieldSet = Record<string, unknown>;

/**
 * What this server last applied to an object: those of its fields that managedFields says are ours.
 * Applied again, it takes the object back to that state and leaves the fields of others alone.
 */
export function appliedConfiguration(object: KubernetesObject): KubernetesObject {
  const { apiVersion, kind, metadata } = object;
  const set = findAppliedFields(object)?.fieldsV1;
  const fields = (set ? extract(object, set) : {}) as Partial<KubernetesObject>;
  const named = { name: metadata.name, ...(metadata.namespace && { namespace: metadata.namespace }) };
  return { ...fields, apiVersion, kind, metadata: { ...fields.metadata, ...named } };
}

/** Walks a value along a FieldsV1 set; a set without members stands for the whole value. */
function extract(value: unknown, set: FieldSet): unknown {
  const members = Object.keys(set).filter((name) => name !== '.');
  if (members.length === 0) return Object.hasOwn(set, '.') ? emptyContainer(value) : value;
  if (Array.isArray(value)) return extractItems(value, set, members);
  if (typeof value !== 'object' || value === null) return value;
  const fields = members
    .filter((member) => member.startsWith('f:') && Object.hasOwn(value, member.slice(2)))
    .map(
      (member) => [member.slice(2), extract((value as FieldSet)[member.slice(2)], set[member] as FieldSet)] as const,
    );
  return Object.fromEntries(fields);
}

/** Items come in the order of the list, which the order of the set's members says nothing of. */
function extractItems(list: unknown[], set: FieldSet, members: string[]): unknown[] {
  return list.flatMap((item, index) => {
    const member = members.find((one) => isNamedBy(one, item, index));
    if (member === undefined) return [];
    if (!member.startsWith('k:')) return [item];
    const keys = parseExactJson(member.slice(2)) as FieldSet;
    const inner = set[member] as FieldSet;
    return [Object.keys(inner).length === 0 ? item : { ...keys, ...(extract(item, inner) as FieldSet) }];
  });
}

function isNamedBy(member: string, item: unknown, index: number): boolean {
  const text = member.slice(2);
  switch (member.slice(0, 2)) {
    case 'k:':
      return Object.entries(parseExactJson(text) as FieldSet).every(([key, value]) =>
        isDeepStrictEqual((item as FieldSet | null)?.[key], value),
      );
    case 'v:':
      return isDeepStrictEqual(parseExactJson(text), item);
    case 'i:':
      return Number(text) === index;
    default:
      return false;
  }
}

/** Only the thing itself is ours, not what it holds. */
function emptyContainer(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : value;
}

/** The RFC 7386 merge patch that makes `from` into `to`. */
export function mergePatch(from: Record<string, unknown>, to: Record<string, unknown>): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
    const [before, after] = [from[name], to[name]];
    if (isDeepStrictEqual(before, after)) continue;
    patch[name] = isMapping(before) && isMapping(after) ? mergePatch(before, after) : (after ?? null);
  }
  return patch;
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
