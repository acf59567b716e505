import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';

interface StatefulSetSpec {
  volumeClaimTemplates?: { metadata?: { name?: string } }[] | null;
}

export interface StatefulClaim {
  kind: ResourceKind;
  object: ObjectMetadata;
}

/**
 * The volume claims that a StatefulSet has made from its templates. They are nobody's when it is deleted: the cluster keeps them,
 * and names them after template, set and number.
 */
export async function findStatefulClaims(
  cluster: ClusterClient,
  { kind, spec, metadata }: KubernetesObject,
  signal?: AbortSignal,
): Promise<StatefulClaim[]> {
  if (kind !== 'StatefulSet') return [];
  const { name, namespace } = metadata;
  const templates = ((spec ?? {}) as StatefulSetSpec).volumeClaimTemplates ?? [];
  const prefixes = templates.flatMap((template) => (template.metadata?.name ? `${template.metadata.name}-${name}-` : []));
  const claims = prefixes.length > 0 ? await cluster.findKind('v1', 'PersistentVolumeClaim') : undefined;
  if (!claims) return [];
  const listed = await cluster.listMetadata(claims, { namespace, signal });
  return listed
    .filter((claim) =>
      prefixes.some(
        (prefix) => claim.metadata.name.startsWith(prefix) && /^\d+$/.test(claim.metadata.name.slice(prefix.length)),
      ),
    )
    .map((object) => ({ kind: claims, object }));
}
