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
  const prefixes = claimPrefixes({ kind, spec, metadata });
  const claims = prefixes.length > 0 ? await cluster.findKind('v1', 'PersistentVolumeClaim') : undefined;
  if (!claims) return [];
  const { matchLabels = {} } = ((spec ?? {}) as StatefulSetSpec).selector ?? {};
  const labelSelector = Object.entries(matchLabels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const listed = await cluster.listMetadata(claims, { namespace: metadata.namespace, labelSelector, signal });
  return listed
    .filter((claim) => isNamedAfter(prefixes, claim.metadata.name))
    .map((object) => ({ kind: claims, object }));
}

/** Whether the StatefulSet uses the volume claim by its name. */
export function isClaimOf(set: KubernetesObject, { metadata: { name, namespace } }: ObjectMetadata): boolean {
  return set.metadata.namespace === namespace && isNamedAfter(claimPrefixes(set), name);
}

function claimPrefixes({
  kind,
  spec,
  metadata,
}: Pick<KubernetesObject, 'kind' | 'metadata'> & { spec?: unknown }): string[] {
  const { volumeClaimTemplates } = (spec ?? {}) as StatefulSetSpec;
  if (kind !== 'StatefulSet' || !Array.isArray(volumeClaimTemplates)) return [];
  return volumeClaimTemplates.flatMap((template) =>
    template.metadata?.name ? `${template.metadata.name}-${metadata.name}-` : [],
  );
}

const isNamedAfter = (prefixes: string[], claim: string): boolean =>
  prefixes.some((prefix) => claim.startsWith(prefix) && /^\d+$/.test(claim.slice(prefix.length)));

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
