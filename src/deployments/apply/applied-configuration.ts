import { parseExactJson } from '../../core/json/large-integers.js';
import { isDeepStrictEqual } from 'node:util';
import { type KubernetesObject, managedFieldsOf } from '../../kubernetes/clusters/kubernetes-object.js';
import { type FieldSet, indexMembers, subtractFieldSets } from '../../kubernetes/clusters/field-set.js';
import { findAppliedFields } from '../plan/owner.js';

/**
 * The configuration that this server last applied to an object: the fields that it owns by `managedFields`. Applying it again
 * restores that state and leaves the fields of other managers alone.
 */
export function appliedConfiguration(object: KubernetesObject): KubernetesObject {
  const { apiVersion, kind, metadata } = object;
  const set = findAppliedFields(object)?.fieldsV1;
  const fields = (set ? extract(object, set) : {}) as Partial<KubernetesObject>;
  const named = { name: metadata.name, ...(metadata.namespace && { namespace: metadata.namespace }) };
  return { ...fields, apiVersion, kind, metadata: { ...fields.metadata, ...named } };
}

/**
 * The previous values of the fields that this server has taken over from other managers and that no other manager owns now. When
 * another field manager applies them, they remain after this server releases the fields.
 * @returns undefined when there are no such fields
 */
export function takenConfiguration(now: KubernetesObject, previous: KubernetesObject): KubernetesObject | undefined {
  const ours = findAppliedFields(now);
  if (!ours?.fieldsV1 || ours.apiVersion !== previous.apiVersion) return undefined;
  const others = managedFieldsOf(now).filter((entry) => entry !== ours);
  const held = [findAppliedFields(previous), ...others].map((entry) => entry?.fieldsV1 ?? {});
  const taken = held.reduce((left, fields) => subtractFieldSets(left, fields), ours.fieldsV1);
  if (Object.keys(taken).length === 0) return undefined;
  const { metadata, ...fields } = (omitEmpty(extract(previous, taken)) ?? {}) as Partial<KubernetesObject>;
  if (metadata === undefined && Object.keys(fields).length === 0) return undefined;
  const { name, namespace, uid } = previous.metadata;
  const named = { name, ...(namespace && { namespace }), ...(uid && { uid }) };
  return { ...fields, apiVersion: previous.apiVersion, kind: previous.kind, metadata: { ...metadata, ...named } };
}

/** The value without empty mappings; undefined when nothing is left. */
function omitEmpty(value: unknown): unknown {
  if (!isMapping(value)) return value;
  const held = Object.entries(value)
    .map(([name, inner]) => [name, omitEmpty(inner)] as const)
    .filter(([, inner]) => inner !== undefined);
  return held.length > 0 ? Object.fromEntries(held) : undefined;
}

/** Selects the fields of a FieldsV1 set from a value; a set without members selects the whole value. */
function extract(value: unknown, set: FieldSet): unknown {
  const members = Object.keys(set).filter((name) => name !== '.');
  if (members.length === 0) return Object.hasOwn(set, '.') ? emptyContainer(value) : value;
  if (Array.isArray(value)) return extractItems(value, set);
  if (typeof value !== 'object' || value === null) return value;
  const fields = members
    .filter((member) => member.startsWith('f:') && Object.hasOwn(value, member.slice(2)))
    .map(
      (member) => [member.slice(2), extract((value as FieldSet)[member.slice(2)], set[member] as FieldSet)] as const,
    );
  return Object.fromEntries(fields);
}

/** Returns the items in the order of the list, because the members of the set are not ordered. */
function extractItems(list: unknown[], set: FieldSet): unknown[] {
  const find = indexMembers(set);
  return list.flatMap((item, index) => {
    const member = find(item, index);
    if (member === undefined) return [];
    if (!member.startsWith('k:')) return [item];
    const keys = parseExactJson(member.slice(2)) as FieldSet;
    const inner = set[member] as FieldSet;
    return [Object.keys(inner).length === 0 ? item : { ...keys, ...(extract(item, inner) as FieldSet) }];
  });
}

/** The set owns the container itself but not its contents. */
function emptyContainer(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : value;
}

/** The RFC 7386 merge patch that turns `from` into `to`. */
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
