import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { labelled, type Owner } from './owner.js';
import { type ResourceError } from './planned-resource.js';

/** What the API server writes; it comes along when a manifest was exported from a cluster, and must not be applied. */
const SERVER_FIELDS = [
  'managedFields',
  'resourceVersion',
  'uid',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'selfLink',
];

/** Why something in a design is no object that can be applied, before any cluster is asked. */
export function shapeError(object: Partial<KubernetesObject>): ResourceError | undefined {
  const metadata: Record<string, unknown> = object.metadata ?? {};
  if (typeof object.apiVersion !== 'string' || !object.apiVersion)
    return { reason: 'INVALID', field: 'apiVersion', detail: 'apiVersion is missing' };
  if (typeof object.kind !== 'string' || !object.kind)
    return { reason: 'INVALID', field: 'kind', detail: 'kind is missing' };
  if (typeof metadata.name === 'string' && metadata.name) return undefined;
  if (metadata.generateName) {
    const detail =
      'generateName makes another object at every deployment, none of which could be updated or removed: give it a name';
    return { reason: 'GENERATED_NAME', field: 'metadata.generateName', detail };
  }
  return { reason: 'INVALID', field: 'metadata.name', detail: 'metadata.name is missing' };
}

/**
 * The object as it is applied: in its namespace, labelled with its owner, without what only the API server writes.
 * @param fallback namespace of an object that names none
 */
export function desiredObject(
  object: KubernetesObject,
  kind: ResourceKind,
  owner: Owner,
  fallback: string,
): KubernetesObject {
  const { namespace, ...named } = Object.fromEntries(
    Object.entries(object.metadata).filter(([name, value]) => value !== null && !SERVER_FIELDS.includes(name)),
  ) as KubernetesObject['metadata'];
  const metadata = kind.namespaced ? { ...named, namespace: namespace || fallback } : named;
  const { status, ...rest } = object;
  const whole = { ...rest, ...(status !== undefined && !kind.subresources.includes('status') && { status }), metadata };
  return labelled(owner, object.kind === 'Secret' && object.apiVersion === 'v1' ? withEncodedData(whole) : whole);
}

/** The API server turns stringData into data but remembers it as stringData, so that a key once applied could never be removed. */
function withEncodedData(secret: KubernetesObject): KubernetesObject {
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
