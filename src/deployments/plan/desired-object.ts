import { isObject } from '../../core/json/json.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { groupOf, type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { isBuiltIn } from '../../validation/native/built-in-groups.js';
import { addOwnerLabels, type Owner, withoutOwner } from './owner.js';
import { type ResourceError } from './planned-resource.js';
import { omitServerMetadata } from './server-fields.js';

/** Parses a resource of a design, or returns why it cannot be applied. Makes no request to a cluster. */
export function parseDesired(given: Record<string, unknown>): { object: KubernetesObject } | { error: ResourceError } {
  const { apiVersion, kind } = given;
  if (typeof apiVersion !== 'string' || !apiVersion) return missingField('apiVersion');
  if (typeof kind !== 'string' || !kind) return missingField('kind');
  const metadata = (given['metadata'] ?? {}) as Record<string, unknown>;
  const { name, generateName } = metadata;
  if (typeof name === 'string' && name)
    return { object: { ...given, apiVersion, kind, metadata: { ...metadata, name } } };
  if (!generateName) return missingField('metadata.name');
  const detail =
    'generateName makes another object at every deployment, none of which could be updated or removed: give it a name';
  return { error: { reason: 'GENERATED_NAME', field: 'metadata.generateName', detail } };
}

function missingField(field: string): { error: ResourceError } {
  return { error: { reason: 'INVALID', field, detail: `${field} is missing` } };
}

/**
 * The object to apply: with its namespace and owner labels, without fields that only the API server sets.
 * @param owner null for a definition from `crds/` of a chart, which belongs to nobody
 * @param fallback namespace of an object that names none
 */
export function buildDesiredObject(
  object: KubernetesObject,
  kind: ResourceKind,
  owner: Owner | null,
  fallback: string,
): KubernetesObject {
  // In a custom resource null may have a meaning.
  const given = isBuiltIn(kind.apiVersion) ? (omitAbsent(object) as KubernetesObject) : object;
  const { namespace, ...named } = omitServerMetadata(given.metadata);
  const metadata = kind.namespaced ? { ...named, namespace: namespace || fallback } : named;
  const { status, ...rest } = given;
  const whole = { ...rest, ...(status !== undefined && !kind.subresources.includes('status') && { status }), metadata };
  const wanted = omitControlledFields(whole);
  return owner ? addOwnerLabels(owner, wanted) : withoutOwner(wanted);
}

/** The object in the form in which the API server keeps the fields of it. */
function omitControlledFields(object: KubernetesObject): KubernetesObject {
  if (object.kind === 'Secret' && object.apiVersion === 'v1') return encodeStringData(object);
  return isAggregated(object) ? omitRules(object) : object;
}

/** A ClusterRole whose rules the cluster sets from other roles, and would set again after each apply. */
const isAggregated = ({ apiVersion, kind, aggregationRule }: KubernetesObject): boolean =>
  kind === 'ClusterRole' && groupOf(apiVersion) === 'rbac.authorization.k8s.io' && isObject(aggregationRule);

function omitRules({ rules: _, ...rest }: KubernetesObject & { rules?: unknown }): KubernetesObject {
  return rest;
}

/**
 * The value without members that are null, and without empty labels and annotations, also in templates. To the API server they are
 * absent, but applying them would make this server own a field that others fill, over and over.
 */
function omitAbsent(value: unknown, within = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => omitAbsent(item));
  if (!isObject(value)) return value;
  const isAbsent = (name: string, inner: unknown): boolean =>
    inner === null ||
    (within === 'metadata' &&
      /^(labels|annotations)$/.test(name) &&
      isObject(inner) &&
      Object.keys(inner).length === 0);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => (isAbsent(name, inner) ? [] : [[name, omitAbsent(inner, name)]])),
  );
}

/**
 * Moves `stringData` into `data`. The API server does so too but owns the fields as `stringData`, so that an applied key could
 * never be removed.
 */
function encodeStringData(secret: KubernetesObject): KubernetesObject {
  const { stringData, ...rest } = secret;
  if (typeof stringData !== 'object' || stringData === null) return secret;
  const entries = Object.entries(stringData as Record<string, unknown>);
  if (!entries.every(([, value]) => typeof value === 'string')) return secret;
  const encoded = entries.map(([name, value]) => [name, Buffer.from(value as string).toString('base64')]);
  return {
    ...rest,
    data: { ...(secret.data as object | undefined), ...Object.fromEntries(encoded) },
  };
}
