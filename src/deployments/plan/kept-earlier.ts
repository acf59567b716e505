import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from './bounded-parallel.js';
import { type KeptObject } from './kept-objects.js';
import { isFreeFor, isOwnedBy, type Owner } from './owner.js';

const CONCURRENCY = 6;

export interface KeptEarlier {
  kind: ResourceKind;
  live: KubernetesObject;
  isGenerated?: boolean;
  isChartDefinition?: boolean;
}

/** Those of the kept objects that are still on the cluster and belong to nobody else. */
export async function findKeptEarlier(
  cluster: ClusterClient,
  owner: Owner,
  kept: KeptObject[],
  signal?: AbortSignal,
): Promise<KeptEarlier[]> {
  const found = await boundedParallel(kept, CONCURRENCY, async (one): Promise<KeptEarlier | undefined> => {
    const kind = await cluster.findKind(one.apiVersion, one.kind);
    const live = kind && (await lookupIfAllowed(cluster, kind, one, signal));
    if (!live || (one.uid && live.metadata.uid !== one.uid)) return undefined;
    if (one.isChartDefinition) return { kind, live, isChartDefinition: true };
    if (one.isGenerated) return isFreeFor(owner, live) ? { kind, live, isGenerated: true } : undefined;
    return isOwnedBy(owner, live) ? { kind, live } : undefined;
  });
  return found.filter((one) => one !== undefined);
}

async function lookupIfAllowed(
  cluster: ClusterClient,
  kind: ResourceKind,
  { name, namespace }: KeptObject,
  signal?: AbortSignal,
): Promise<KubernetesObject | undefined> {
  try {
    return await cluster.lookup(kind, name, namespace, signal);
  } catch (error) {
    if (error instanceof ClusterError && error.kind === 'forbidden') return undefined;
    throw error;
  }
}
