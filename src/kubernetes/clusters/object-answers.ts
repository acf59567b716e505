import { ClusterError } from './cluster-error.js';
import type { ResourceKind } from './discovery.js';
import type { KubernetesObject, ObjectMetadata } from './kubernetes-object.js';

/** A page of a list, with the resource version of the whole list, from which to start a watch. */
export interface ListedPage<T> {
  items: T[];
  resourceVersion: string;
}

/** A change of an object, or a bookmark with the resource version that the watch has reached. */
export type WatchEvent =
  { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubernetesObject } | { type: 'BOOKMARK'; resourceVersion: string };

export function toObject({ body }: { body: unknown }): KubernetesObject {
  if (isObject(body)) return body as KubernetesObject;
  throw new ClusterError('protocol', 'The response of the cluster is not an object of its API');
}

/** Reports whether the metadata fields that are read without further checks are well-formed. */
function isObject(value: unknown): boolean {
  const { metadata } = (value ?? {}) as { metadata?: Record<string, unknown> | null };
  if (typeof metadata !== 'object' || metadata === null) return false;
  const { name, labels, managedFields, finalizers, ownerReferences } = metadata;
  const areLists = [managedFields, finalizers, ownerReferences].every((list) => Array.isArray(list ?? []));
  return typeof name === 'string' && typeof (labels ?? {}) === 'object' && areLists;
}

/** Items of a list have no apiVersion and kind; those of the list are added. @throws ClusterError `protocol` */
export function toPage<T extends ObjectMetadata>(body: unknown, kind: ResourceKind): ListedPage<T> & { more: string } {
  const { items, metadata } = (body ?? {}) as {
    items?: T[] | null;
    metadata?: { continue?: unknown; resourceVersion?: unknown } | null;
  };
  if (!Array.isArray(items ?? []) || !(items ?? []).every(isObject))
    throw new ClusterError('protocol', `The cluster answered something that is not a list of ${kind.plural}`);
  const more = typeof metadata?.continue === 'string' ? metadata.continue : '';
  const resourceVersion = typeof metadata?.resourceVersion === 'string' ? metadata.resourceVersion : '';
  const named = (items ?? []).map((item) => ({ ...item, apiVersion: kind.apiVersion, kind: kind.kind }));
  return { items: named, more, resourceVersion };
}

export function toWatchEvent(body: unknown, kind: ResourceKind): WatchEvent {
  const { type, object } = (body ?? {}) as { type?: unknown; object?: { code?: unknown } | null };
  if (type === 'ERROR')
    throw ClusterError.fromResponse(Number(object?.code) || 500, object, `a watch of ${kind.plural}`);
  const { resourceVersion } = (object as Partial<KubernetesObject> | null)?.metadata ?? {};
  if (type === 'BOOKMARK' && typeof resourceVersion === 'string') return { type, resourceVersion };
  if ((type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') && isObject(object))
    return { type, object: { ...(object as KubernetesObject), apiVersion: kind.apiVersion, kind: kind.kind } };
  throw new ClusterError(
    'protocol',
    `The cluster responded to a watch of ${kind.plural} with something that is not an event`,
  );
}
