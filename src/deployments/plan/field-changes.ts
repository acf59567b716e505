import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { shown } from '../../formats/secret-values.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { appliedFields } from './owner.js';
import { type FieldChange } from './planned-resource.js';

const MOST_CHANGES = 200;
const LONGEST_TEXT = 500;

/** Fields of metadata that the API server keeps by itself. */
const SERVER_FIELDS = ['managedFields', 'resourceVersion', 'generation', 'creationTimestamp', 'uid', 'selfLink'];

/** The object without what the API server and controllers write: the part that a design decides on. */
export function decided(kind: Pick<ResourceKind, 'subresources'>, object: KubernetesObject): KubernetesObject {
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(([name]) => !SERVER_FIELDS.includes(name)),
  );
  const rest = kind.subresources.includes('status') ? { ...object, status: undefined } : object;
  return { ...rest, metadata: metadata as KubernetesObject['metadata'] };
}

/**
 * What differs between the live object and the outcome of a dry run, as it may be shown; empty when a deployment has nothing to do.
 * At most 200 entries, long texts cut.
 */
export function fieldChanges(kind: ResourceKind, live: KubernetesObject, outcome: KubernetesObject): FieldChange[] {
  const changes = [...differences([], decided(kind, live), decided(kind, outcome))]
    .slice(0, MOST_CHANGES)
    .map(({ path, from, to }) => ({
      path: path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
      from: cut(shown(kind.kind, path, from)),
      to: cut(shown(kind.kind, path, to)),
    }));
  const [before, after] = [fieldCount(live), fieldCount(outcome)];
  // Values that stay while the design lets go of them, or takes them over: without the write, it would still hold, or not hold, them.
  if (changes.length === 0 && !isDeepStrictEqual(appliedFields(live)?.fieldsV1, appliedFields(outcome)?.fieldsV1)) {
    changes.push({ path: '/metadata/managedFields', from: before, to: after });
  }
  return changes;
}

/** Stands for what differs, secret values included, without telling any of it. */
export function changeDigest(kind: ResourceKind, live: KubernetesObject, outcome: KubernetesObject): string {
  const changes = [...differences([], decided(kind, live), decided(kind, outcome))];
  return createHash('sha256')
    .update(JSON.stringify([changes, appliedFields(live)?.fieldsV1, appliedFields(outcome)?.fieldsV1]))
    .digest('hex');
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

function cut(value: unknown): unknown {
  if (typeof value === 'string') return value.length > LONGEST_TEXT ? `${value.slice(0, LONGEST_TEXT)}…` : value;
  if (!isContainer(value)) return value;
  const text = JSON.stringify(value);
  return text.length > 4 * LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : value;
}

function fieldCount(object: KubernetesObject): string {
  const leaves = (set: unknown): number =>
    isContainer(set)
      ? Object.entries(set).reduce((sum, [name, inner]) => sum + (name === '.' ? 0 : leaves(inner) || 1), 0)
      : 0;
  return `${leaves(appliedFields(object)?.fieldsV1)} fields held`;
}
