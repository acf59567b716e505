import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { type KeptObject } from './kept-objects.js';
import { isFreeFor, isOwnedBy, type Owner } from './owner.js';

const CONCURRENCY = 6;

export const UNREADABLE = 'It was kept earlier, and cannot be read now';

export interface KeptEarlier {
  kind: ResourceKind;
  live: KubernetesObject;
  isGenerated?: boolean;
  isChartDefinition?: boolean;
}

/**
 * Finds the kept objects that are still on the cluster and belong to nobody else.
 * @returns also those that cannot be read now, and may be there
 * @throws ClusterError when the cluster cannot be reached, or refuses the credential
 */
export async function findKeptEarlier(
  cluster: ClusterClient,
  owner: Owner,
  kept: KeptObject[],
  signal?: AbortSignal,
): Promise<{ found: KeptEarlier[]; unreadable: KeptObject[] }> {
  const found: KeptEarlier[] = [];
  const unreadable: KeptObject[] = [];
  await boundedParallel(kept, CONCURRENCY, async (one) => {
    const { name, namespace, uid, isGenerated, isChartDefinition } = one;
    try {
      const kind = await cluster.findKind(one.apiVersion, one.kind);
      const live = kind && (await cluster.lookup(kind, name, namespace, signal));
      if (!live || (uid && live.metadata.uid !== uid)) return;
      if (isChartDefinition) found.push({ kind, live, isChartDefinition });
      else if (isGenerated ? isFreeFor(owner, live) : isOwnedBy(owner, live)) found.push({ kind, live, isGenerated });
    } catch (error) {
      if (!(error instanceof ClusterError) || error.kind === 'unreachable' || error.kind === 'unauthorized')
        throw error;
      unreadable.push(one);
    }
  });
  return { found, unreadable };
}
