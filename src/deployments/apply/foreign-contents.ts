import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from '../plan/bounded-parallel.js';
import { definedKinds, isDefinition } from '../plan/definitions.js';
import { isDeletable } from '../plan/owned-objects.js';
import { isOwnedBy, type Owner } from '../plan/owner.js';

const CONCURRENCY = 8;
const SYSTEM_NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

/** What the control plane and running programs leave in a namespace by themselves. */
const SYSTEM_KINDS = ['Endpoints', 'EndpointSlice', 'Event', 'Lease'];
const SYSTEM_OBJECTS = [
  'ServiceAccount default',
  'ConfigMap kube-root-ca.crt',
  'ConfigMap istio-ca-root-cert',
  'ConfigMap openshift-service-ca.crt',
];

/**
 * Why an object must not be deleted although it is this owner's: a namespace and a definition take with them everything inside,
 * also what others have put there. Undefined when nothing of others is lost.
 * @throws ClusterError also when a kind may not be listed, for then there is no telling
 */
export async function findForeignContents(
  cluster: ClusterClient,
  owner: Owner,
  object: KubernetesObject,
): Promise<string | undefined> {
  if (object.kind === 'Namespace' && object.apiVersion === 'v1')
    return findForeignInNamespace(cluster, owner, object.metadata.name);
  if (isDefinition(object)) return findForeignOfDefinition(cluster, owner, object);
  return undefined;
}

async function findForeignInNamespace(
  cluster: ClusterClient,
  owner: Owner,
  namespace: string,
): Promise<string | undefined> {
  if (SYSTEM_NAMESPACES.includes(namespace)) return 'The namespace belongs to the cluster itself';
  const kinds = (await cluster.listKinds()).filter(
    (kind) => kind.namespaced && isDeletable(kind) && !SYSTEM_KINDS.includes(kind.kind),
  );
  const found = await boundedParallel(kinds, CONCURRENCY, async (kind) =>
    filterForeign(await list(cluster, kind, { namespace }), owner),
  );
  return found.flat().length > 0 ? `The namespace holds what others made: ${describeObjects(found.flat())}` : undefined;
}

async function findForeignOfDefinition(
  cluster: ClusterClient,
  owner: Owner,
  definition: KubernetesObject,
): Promise<string | undefined> {
  const kinds = definedKinds(definition).map(({ kind }) => kind);
  const served: ResourceKind | undefined = (await cluster.listKinds()).find((kind) =>
    kinds.some((one) => one.apiVersion === kind.apiVersion && one.kind === kind.kind),
  );
  if (!served) return undefined;
  const found = filterForeign(await list(cluster, served), owner);
  return found.length > 0 ? `The definition is used by what others made: ${describeObjects(found)}` : undefined;
}

async function list(
  cluster: ClusterClient,
  kind: ResourceKind,
  where: { namespace?: string } = {},
): Promise<ObjectMetadata[]> {
  try {
    return await cluster.listMetadata(kind, where);
  } catch (error) {
    // The kind itself is gone since the cluster was asked for its kinds.
    if (error instanceof ClusterError && error.kind === 'notFound') return [];
    throw error;
  }
}

/** What was made for another object goes with that object and is nobody's by itself. */
function filterForeign(objects: ObjectMetadata[], owner: Owner): ObjectMetadata[] {
  return objects.filter(
    (object) =>
      !isOwnedBy(owner, object) &&
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
