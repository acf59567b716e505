import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';

interface Pod extends KubernetesObject {
  spec?: { volumes?: { persistentVolumeClaim?: { claimName?: string } }[] };
  status?: { phase?: string };
}

/**
 * Whether a claim stays pending because its class binds it only when a pod uses it, and none does. Where the credential may not read
 * classes or pods, this is assumed: the pods of a deployment that need the claim do not become ready without it.
 */
export async function isUnusedClaim(cluster: ClusterClient, claim: KubernetesObject): Promise<boolean> {
  if (claim.kind !== 'PersistentVolumeClaim' || claim.apiVersion !== 'v1') return false;
  const { storageClassName } = (claim['spec'] ?? {}) as { storageClassName?: string };
  if (!storageClassName) return false;
  try {
    const classes = await cluster.findKind('storage.k8s.io/v1', 'StorageClass');
    const found = classes && (await cluster.lookup(classes, storageClassName));
    if (found?.['volumeBindingMode'] !== 'WaitForFirstConsumer') return false;
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
  return !(await isUsed(cluster, claim));
}

async function isUsed(cluster: ClusterClient, { metadata }: KubernetesObject): Promise<boolean> {
  const pods = await cluster.findKind('v1', 'Pod');
  if (!pods) return false;
  const ended = 'status.phase!=Succeeded,status.phase!=Failed';
  try {
    for await (const page of cluster.listPages(pods, { namespace: metadata.namespace, fieldSelector: ended }))
      for (const { spec } of page as Pod[])
        if (spec?.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === metadata.name)) return true;
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
  return false;
}

const isForbidden = (error: unknown): boolean => error instanceof ClusterError && error.kind === 'forbidden';
