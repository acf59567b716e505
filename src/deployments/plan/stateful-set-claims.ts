import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';

interface StatefulSetSpec {
  selector?: { matchLabels?: Record<string, string> };
  volumeClaimTemplates?: { metadata?: { name?: string } }[] | null;
}

export interface StatefulSetClaim {
  kind: ResourceKind;
  object: ObjectMetadata;
}

/**
 * The volume claims that a StatefulSet created from its templates. The cluster keeps them when the set is deleted, and names them
 * after template, set and ordinal.
 */
export async function findClaimsOf(
  cluster: ClusterClient,
  { kind, spec, metadata }: KubernetesObject,
  signal?: AbortSignal,
): Promise<StatefulSetClaim[]> {
  if (kind !== 'StatefulSet') return [];
  const { name, namespace } = metadata;
  const { selector, volumeClaimTemplates } = (spec ?? {}) as StatefulSetSpec;
  const templates = volumeClaimTemplates ?? [];
  const prefixes = templates.flatMap((template) =>
    template.metadata?.name ? `${template.metadata.name}-${name}-` : [],
  );
  const claims = prefixes.length > 0 ? await cluster.findKind('v1', 'PersistentVolumeClaim') : undefined;
  if (!claims) return [];
  const labelSelector = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const listed = await cluster.listMetadata(claims, { namespace, labelSelector: labelSelector.join(','), signal });
  return listed
    .filter((claim) =>
      prefixes.some(
        (prefix) => claim.metadata.name.startsWith(prefix) && /^\d+$/.test(claim.metadata.name.slice(prefix.length)),
      ),
    )
    .map((object) => ({ kind: claims, object }));
}

/** As `findClaimsOf`, for a StatefulSet of which only the name is known. */
export async function findClaimsByName(
  cluster: ClusterClient,
  kind: ResourceKind,
  { name, namespace }: { name: string; namespace?: string },
  signal?: AbortSignal,
): Promise<StatefulSetClaim[]> {
  const live = kind.kind === 'StatefulSet' ? await cluster.lookup(kind, name, namespace, signal) : undefined;
  return live ? findClaimsOf(cluster, live, signal) : [];
}
