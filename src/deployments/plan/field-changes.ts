import { truncate as truncateText } from '../../core/errors/app-error.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { largeIntegerDigits, showLargeIntegers, stringifyExact } from '../../core/json/large-integers.js';
import { type Json } from '../../core/json/json.js';
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { maskSecrets } from '../../formats/design-file/secret-values.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { findAppliedFields, withoutOwner } from './owner.js';
import { type FieldChange } from './planned-resource.js';
import { omitServerMetadata } from './server-fields.js';

const MAX_CHANGES = 200;
const MAX_TEXT_LENGTH = 500;

/** The object without the fields that the API server and controllers write. */
export function omitServerFields(kind: Pick<ResourceKind, 'subresources'>, object: KubernetesObject): KubernetesObject {
  const rest = kind.subresources.includes('status') ? { ...object, status: undefined } : object;
  return { ...rest, metadata: omitServerMetadata(object.metadata) };
}

/**
 * The differences between the live object and the result of a dry run, without secret values; empty when nothing would change. At
 * most 200 entries; long values are truncated.
 */
export function diffFields(kind: ResourceKind, live: KubernetesObject, outcome: KubernetesObject): FieldChange[] {
  const changes = [...differences([], omitServerFields(kind, live), omitServerFields(kind, outcome))]
    .slice(0, MAX_CHANGES)
    .map((change) => toFieldChange(kind, change));
  const [before, after] = [fieldCount(live), fieldCount(outcome)];
  // Only the ownership of fields changes, not their values. This is reported as a change, because without the write the ownership
  // would stay.
  if (
    changes.length === 0 &&
    !isDeepStrictEqual(findAppliedFields(live)?.fieldsV1, findAppliedFields(outcome)?.fieldsV1)
  ) {
    changes.push({ path: '/metadata/managedFields', from: before, to: after });
  }
  return changes;
}

/** Annotations with which other deployment tools mark objects as theirs. */
const TOOL_ANNOTATIONS = /^(kubectl\.kubernetes\.io\/last-applied-configuration|meta\.helm\.sh\/.*)$/;

/** Whether an adoption changes nothing but the owner of the object and of its fields. */
export function isSameButOwner(kind: ResourceKind, live: KubernetesObject, outcome: KubernetesObject): boolean {
  const rest = (object: KubernetesObject): KubernetesObject => {
    const { metadata, ...fields } = withoutOwner(omitServerFields(kind, object));
    const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !TOOL_ANNOTATIONS.test(name));
    return { ...fields, metadata: { ...metadata, annotations: Object.fromEntries(annotations) } };
  };
  return isDeepStrictEqual(rest(live), rest(outcome));
}

/** Changes of fields of the design, without secret values; at most 200, long values are truncated. */
export const toFieldChanges = (
  kind: ResourceKind,
  changes: readonly { path: string[]; desired: unknown; live: unknown }[],
): FieldChange[] =>
  changes
    .slice(0, MAX_CHANGES)
    .map(({ path, desired, live }) => toFieldChange(kind, { path, from: live, to: desired }));

/** A hash of changes, including secret values, that does not reveal them. */
export const digestOf = (changes: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(changes)).digest('hex');

/** The changes of a replacement in the fields of the design. Defaults that the cluster adds are not known in advance. */
export function diffDesired(kind: ResourceKind, live: KubernetesObject, desired: KubernetesObject): FieldChange[] {
  return [...differences([], narrow(live, desired), desired)]
    .slice(0, MAX_CHANGES)
    .map((change) => toFieldChange(kind, change));
}

/** A hash of the changes of `diffDesired`, including secret values. */
export function digestDesired(kind: ResourceKind, live: KubernetesObject, desired: KubernetesObject): string {
  return digestOf([...differences([], narrow(omitServerFields(kind, live), desired), desired)]);
}

/** The value without members that the other value does not have. */
function narrow(value: unknown, to: unknown): unknown {
  if (!isContainer(value) || !isContainer(to) || Array.isArray(value) !== Array.isArray(to)) return value;
  if (Array.isArray(value))
    return value.map((item, index) => narrow(item, (to as unknown as unknown[])[index] ?? item));
  const names = Object.keys(value).filter((name) => Object.hasOwn(to, name));
  return Object.fromEntries(names.map((name) => [name, narrow(value[name], to[name])]));
}

const toFieldChange = (
  kind: ResourceKind,
  { path, from, to }: { path: string[]; from: unknown; to: unknown },
): FieldChange => ({
  path: truncateText(toPointer(...path), MAX_TEXT_LENGTH),
  from: truncate(maskSecrets(kind.kind, path, from)),
  to: truncate(maskSecrets(kind.kind, path, to)),
});

/** A hash of the differences, including secret values, that does not reveal them. */
export function digestChanges(kind: ResourceKind, live: KubernetesObject, outcome: KubernetesObject): string {
  const changes = [...differences([], omitServerFields(kind, live), omitServerFields(kind, outcome))];
  return digestOf([changes, findAppliedFields(live)?.fieldsV1, findAppliedFields(outcome)?.fieldsV1]);
}

function* differences(
  path: string[],
  from: unknown,
  to: unknown,
): Generator<{ path: string[]; from: unknown; to: unknown }> {
  if (isDeepStrictEqual(from, to)) return;
  if (isContainer(from) && isContainer(to) && Array.isArray(from) === Array.isArray(to)) {
    for (const name of new Set([...Object.keys(from), ...Object.keys(to)]))
      yield* differences([...path, name], from[name], to[name]);
  } else yield { path, from, to };
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function truncate(value: unknown): unknown {
  if (typeof value === 'string')
    return (
      largeIntegerDigits(value) ?? (value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value)
    );
  if (!isContainer(value)) return value;
  const text = stringifyExact(value);
  return text.length > 4 * MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : showLargeIntegers(value as Json);
}

function fieldCount(object: KubernetesObject): string {
  const leaves = (set: unknown): number =>
    isContainer(set)
      ? Object.entries(set).reduce((sum, [name, inner]) => sum + (name === '.' ? 0 : leaves(inner) || 1), 0)
      : 0;
  return `${leaves(findAppliedFields(object)?.fieldsV1)} fields held`;
}
