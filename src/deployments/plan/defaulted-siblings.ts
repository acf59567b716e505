import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../core/json/json.js';
import { type ClusterCause } from '../../kubernetes/clusters/cluster-error.js';
import { findItems, type FieldSet, isFieldSet, toFieldSet } from '../../kubernetes/clusters/field-set.js';
import { type KubernetesObject, managedFieldsOf } from '../../kubernetes/clusters/kubernetes-object.js';
import { fieldsOf } from './field-ownership.js';

type Mapping = Record<string, unknown>;

/** The maximum number of mappings that are changed for one apply; a refusal names one or two. */
const MAX_MAPPINGS = 100;

/** A mapping of the live object with members that the design does not have and the cluster refuses beside those of the design. */
export interface RefusedMapping {
  /** Members of a field set that lead to it. */
  path: string[];
  live: Mapping;
  desired: Mapping;
  siblings: string[];
}

/** A mapping, or an item of a list, that both the live and the desired object have. */
interface Place {
  path: string[];
  live: unknown;
  desired: unknown;
  fields: FieldSet;
}

/**
 * Finds what the cluster's refusal of a change says must go: defaults such as the `rollingUpdate` of a strategy that becomes
 * `Recreate`, and the other members of a union. Server-side apply does not remove them, because nobody owns them.
 */
export function findRefusedMappings(
  live: KubernetesObject,
  desired: KubernetesObject,
  causes: ClusterCause[],
): RefusedMapping[] {
  const fields = fieldsOf(managedFieldsOf(live));
  const found = causes.flatMap((cause): RefusedMapping[] => {
    const names = parseFieldPath(cause.field);
    const last = names.pop();
    if (last === undefined || names.length === 0) return [];
    return placesAt({ path: [], live, desired, fields }, names).flatMap((place): RefusedMapping[] => {
      if (!isObject(place.live) || !isObject(place.desired)) return [];
      const siblings = findSiblings(place.live, place.desired, last, cause);
      return siblings.length > 0 ? [{ path: place.path, live: place.live, desired: place.desired, siblings }] : [];
    });
  });
  const some = found.slice(0, MAX_MAPPINGS);
  return some.filter(({ path }, index) => some.findIndex((other) => isDeepStrictEqual(other.path, path)) === index);
}

/** The refused member, or for one that the design has, the containers beside it. */
function findSiblings(live: Mapping, desired: Mapping, refused: string, { reason }: ClusterCause): string[] {
  const absent = Object.keys(live).filter((name) => desired[name] === undefined);
  if (absent.includes(refused)) return [refused];
  if (reason !== 'FieldValueForbidden' || desired[refused] === undefined) return [];
  return absent.filter((name) => typeof live[name] === 'object' && live[name] !== null);
}

/** The siblings as a field set. */
export function siblingFields(mappings: RefusedMapping[]): FieldSet {
  return toFieldSet(mappings.flatMap(({ path, siblings }) => siblings.map((name) => [...path, `f:${name}`])));
}

/** The object with the members of each mapping replaced. */
export function replaceMappings(
  object: KubernetesObject,
  mappings: RefusedMapping[],
  toMembers: (mapping: RefusedMapping, now: Mapping) => Mapping,
): KubernetesObject {
  const copy = structuredClone(object);
  for (const mapping of mappings) {
    const at = mapping.path.reduce<unknown>(memberAt, copy);
    if (!isObject(at)) continue;
    const members = toMembers(mapping, { ...at });
    for (const name of Object.keys(at)) delete at[name];
    Object.assign(at, members);
  }
  return copy;
}

function placesAt(at: Place, [name, ...rest]: string[]): Place[] {
  if (name === undefined) return [at];
  return childrenOf(at, name).flatMap((child) => placesAt(child, rest));
}

function childrenOf({ path, live, desired, fields }: Place, name: string): Place[] {
  if (Array.isArray(live) && Array.isArray(desired)) {
    const [items, wanted] = [findItems(live), findItems(desired)];
    return Object.keys(fields)
      .filter((member) => member.startsWith('k:'))
      .map((member) => ({
        path: [...path, member],
        live: items(member),
        desired: wanted(member),
        fields: fieldsAt(fields, member),
      }));
  }
  if (!isObject(live) || !isObject(desired)) return [];
  const member = `f:${name}`;
  return [{ path: [...path, member], live: live[name], desired: desired[name], fields: fieldsAt(fields, member) }];
}

const fieldsAt = (fields: FieldSet, member: string): FieldSet => {
  const inner = fields[member];
  return isFieldSet(inner) ? inner : {};
};

function memberAt(value: unknown, member: string): unknown {
  if (Array.isArray(value)) return findItems(value)(member);
  return isObject(value) && Object.hasOwn(value, member.slice(2)) ? value[member.slice(2)] : undefined;
}

/** The names of a path as the API server writes it: `spec.template.spec.volumes[0].configMap`. */
function parseFieldPath(path = ''): string[] {
  return path.split(/[.[\]]/).filter(Boolean);
}
