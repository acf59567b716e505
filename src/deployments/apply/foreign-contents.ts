import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from '../plan/bounded-parallel.js';
import { definedKinds, isDefinition } from '../plan/definitions.js';
import { isDeletable } from '../plan/owned-objects.js';
import { findKeepReason, type KeepOptions } from '../plan/kept-objects.js';
import { isOwnedBy, type Owner } from '../plan/owner.js';
import { type ResourceError } from '../plan/planned-resource.js';

const CONCURRENCY = 8;
const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** Kinds of objects that the control plane and running programs create in a namespace. */
const SYSTEM_KINDS = ['Endpoints', 'EndpointSlice', 'Event', 'Lease'];
const SYSTEM_OBJECTS = [
  'ServiceAccount default',
  'ConfigMap kube-root-ca.crt',
  'ConfigMap istio-ca-root-cert',
  'ConfigMap openshift-service-ca.crt',
];

/**
 * Why an owned object must not be deleted: deleting a namespace or a CustomResourceDefinition also deletes its contents, including
 * those of others and those that are to be kept. Undefined when it may be deleted.
 * @throws ClusterError also when a kind may not be listed, because the contents are unknown then
 */
export async function findContentsToKeep(
  cluster: ClusterClient,
  owner: Owner,
  object: KubernetesObject,
  keep?: KeepOptions,
): Promise<ResourceError | undefined> {
  const isNamespace = object.kind === 'Namespace' && object.apiVersion === 'v1';
  const { name } = object.metadata;
  if (isNamespace && SYSTEM_NAMESPACES.includes(name))
    return { reason: 'FOREIGN_CONTENT', detail: 'The namespace belongs to the cluster itself' };
  const contents = isNamespace
    ? await listNamespace(cluster, name)
    : isDefinition(object)
      ? await listDefined(cluster, object)
      : [];
  const foreign = filterForeign(contents, owner);
  if (foreign.length > 0)
    return {
      reason: 'FOREIGN_CONTENT',
      detail: `The ${isNamespace ? 'namespace contains' : 'definition is used by'} objects that this deployment does not own: ${describeObjects(foreign)}`,
    };
  const kept = keep ? contents.filter((one) => isOwnedBy(owner, one) && findKeepReason(one, keep) !== undefined) : [];
  return kept.length > 0
    ? {
        reason: 'KEPT',
        detail: `It is kept because it ${isNamespace ? 'contains' : 'defines the kind of'} objects that are kept: ${describeObjects(kept)}`,
      }
    : undefined;
}

async function listNamespace(cluster: ClusterClient, namespace: string): Promise<ObjectMetadata[]> {
  const kinds = (await cluster.listKinds()).filter(
    (kind) => kind.namespaced && isDeletable(kind) && !SYSTEM_KINDS.includes(kind.kind),
  );
  return (await boundedParallel(kinds, CONCURRENCY, (kind) => list(cluster, kind, { namespace }))).flat();
}

async function listDefined(cluster: ClusterClient, definition: KubernetesObject): Promise<ObjectMetadata[]> {
  const kinds = definedKinds(definition).map(({ kind }) => kind);
  const served: ResourceKind | undefined = (await cluster.listKinds()).find((kind) =>
    kinds.some((one) => one.apiVersion === kind.apiVersion && one.kind === kind.kind),
  );
  return served ? list(cluster, served) : [];
}

async function list(
  cluster: ClusterClient,
  kind: ResourceKind,
  where: { namespace?: string } = {},
): Promise<ObjectMetadata[]> {
  try {
    return await cluster.listMetadata(kind, where);
  } catch (error) {
    // The API of the kind was removed after discovery.
    if (error instanceof ClusterError && error.kind === 'notFound') return [];
    throw error;
  }
}

/** Omits objects that are being deleted anyway, and objects that another object owns and that are deleted with it. */
function filterForeign(objects: ObjectMetadata[], owner: Owner): ObjectMetadata[] {
  return objects.filter(
    (object) =>
      !isOwnedBy(owner, object) &&
      !object.metadata.deletionTimestamp &&
      !object.metadata.ownerReferences?.length &&
      !SYSTEM_OBJECTS.includes(`${object.kind} ${object.metadata.name}`),
  );
}

function describeObjects(objects: ObjectMetadata[]): string {
  const names = objects
    .slice(0, 5)
    .map(({ kind, metadata }) => `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name}`);
  return objects.length > 5 ? `${names.join(', ')} and ${objects.length - 5} more` : names.join(', ');
}
