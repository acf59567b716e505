import { isDeepStrictEqual } from 'node:util';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type FieldSet, isFieldSet, omitFields, uniteFieldSets } from '../../kubernetes/clusters/field-set.js';
import {
  type KubernetesObject,
  type ManagedFields,
  managedFieldsOf,
  type ObjectMetadata,
} from '../../kubernetes/clusters/kubernetes-object.js';
import { FIELD_MANAGER, findAppliedFields } from './owner.js';

/**
 * The tools whose fields an adoption takes over, as `kubectl apply --server-side` does with those of the client-side apply. What
 * controllers write stays theirs. `before-first-apply` holds the fields of an object that had no managed fields.
 */
const TOOLS =
  /^(kubectl|kubectl-client-side-apply|kubectl-create|kubectl-edit|kubectl-patch|[hH]elm|before-first-apply)$/;

/** Whether adopting an object takes over this entry. Helm 4 and `kubectl apply --server-side` have entries of `Apply`. */
function isOfTool({ manager = '', subresource }: ManagedFields): boolean {
  return TOOLS.test(manager) && !subresource;
}

/** The entries that adopting an object takes over. Fields of another version of the kind cannot be merged, and stay. */
export function findToolEntries(object: ObjectMetadata): ManagedFields[] {
  return managedFieldsOf(object).filter((entry) => isOfTool(entry) && entry.apiVersion === object.apiVersion);
}

/**
 * Whether an entry says all that its tool wants of the object, as ours does: what the design does not have leaves at once. Of a tool
 * that changes single fields, an adoption takes over those of the design.
 */
export function isDeclarative({ manager = '', operation }: ManagedFields): boolean {
  return operation === 'Apply' || /^(kubectl-client-side-apply|[hH]elm)$/.test(manager);
}

/** The entry without the fields that another set has, none when nothing is left of it; undefined when they share no field. */
export function withoutShared(entry: ManagedFields, fields: FieldSet): ManagedFields[] | undefined {
  const before = entry.fieldsV1 ?? {};
  const after = fieldsBeside(before, fields);
  if (isDeepStrictEqual(after, before)) return undefined;
  return Object.keys(after).length > 0 ? [{ ...entry, fieldsV1: after }] : [];
}

function fieldsBeside(from: FieldSet, other: FieldSet): FieldSet {
  const left: FieldSet = {};
  for (const [member, fields] of Object.entries(from)) {
    if (member === '.') continue;
    const shared = other[member];
    if (!isFieldSet(shared)) left[member] = fields;
    else if (isFieldSet(fields) && Object.keys(fields).length > 0 && Object.keys(shared).length > 0) {
      const inner = fieldsBeside(fields, shared);
      if (Object.keys(inner).length > 0) left[member] = inner;
    }
  }
  return Object.hasOwn(from, '.') && Object.keys(left).length > 0 ? { '.': {}, ...left } : left;
}

/** All fields of some entries. */
export const fieldsOf = (entries: readonly ManagedFields[]): FieldSet =>
  uniteFieldSets(entries.map(({ fieldsV1 }) => fieldsV1 ?? {}));

/**
 * What stays of an object that is adopted though the design does not name it: finalizers and owners, on which other programs rely, and
 * the annotations of tools, without which a Deployment would be of another generation.
 */
const LEFT_ALONE: FieldSet = {
  'f:metadata': {
    'f:finalizers': {},
    'f:ownerReferences': {},
    'f:annotations': {
      'f:kubectl.kubernetes.io/last-applied-configuration': {},
      'f:meta.helm.sh/release-name': {},
      'f:meta.helm.sh/release-namespace': {},
    },
  },
};

/** The fields of some entries that an adoption takes. */
export function fieldsToTake(entries: ManagedFields[]): FieldSet {
  return omitFields(fieldsOf(entries), LEFT_ALONE);
}

/** The fields of all managers but this server. */
export function fieldsOfOthers(object: ObjectMetadata, without: ManagedFields[] = []): FieldSet {
  const ours = findAppliedFields(object);
  return fieldsOf(
    managedFieldsOf(object).filter((entry) => entry !== ours && !without.some((one) => isSameEntry(one, entry))),
  );
}

export interface OwnershipChange {
  /** Entries whose fields become those of this server. */
  taken: ManagedFields[];
  /** Fields that entries of other tools lose, because this server applies them. */
  applied?: FieldSet;
  /** More fields that become those of this server. */
  fields: FieldSet;
  /** No other manager keeps these fields. */
  force: boolean;
}

/**
 * The managed fields of an object after this server has become the owner of fields, so that its next apply removes those that it
 * does not name. Only so can server-side apply remove a field that nobody owns, such as a default.
 */
export function changeOwnership(
  live: ObjectMetadata,
  { taken, applied = {}, fields, force }: OwnershipChange,
): ManagedFields[] {
  const ours = findAppliedFields(live);
  const added = uniteFieldSets([fieldsToTake(taken), fields]);
  const others = managedFieldsOf(live).filter(
    (entry) => entry !== ours && !taken.some((one) => isSameEntry(one, entry)),
  );
  const shared = others.flatMap((entry) => (isOfTool(entry) && withoutShared(entry, applied)) || [entry]);
  const left = force ? shared.flatMap((entry) => withoutFields(entry, fields)) : shared;
  const entry = {
    manager: FIELD_MANAGER,
    operation: 'Apply' as const,
    apiVersion: live.apiVersion,
    time: new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
    fieldsType: 'FieldsV1',
    ...ours,
    fieldsV1: uniteFieldSets([ours?.fieldsV1 ?? {}, added]),
  };
  return [...left, entry];
}

/** The entry without fields; none when nothing is left of it. */
export function withoutFields(entry: ManagedFields, fields: FieldSet): ManagedFields[] {
  if (!isFieldSet(entry.fieldsV1) || Object.keys(fields).length === 0) return [entry];
  const fieldsV1 = omitFields(entry.fieldsV1, fields);
  return Object.keys(fieldsV1).length > 0 ? [{ ...entry, fieldsV1 }] : [];
}

/**
 * Stores the managed fields of an object and changes nothing else, if it still has the resource version of `live`.
 * @throws ClusterError `conflict` when the object has changed
 */
export async function storeManagedFields(
  cluster: ClusterClient,
  kind: ResourceKind,
  live: KubernetesObject,
  managedFields: ManagedFields[],
): Promise<KubernetesObject> {
  const { name, namespace, uid, resourceVersion } = live.metadata;
  const patch = { type: 'merge' as const, body: { metadata: { uid, resourceVersion, managedFields } } };
  return (await cluster.patch(kind, name, namespace, patch, { fieldManager: FIELD_MANAGER })).object;
}

export function isSameEntry(one: ManagedFields, other: ManagedFields): boolean {
  return (['manager', 'operation', 'apiVersion', 'subresource'] as const).every((name) => one[name] === other[name]);
}
