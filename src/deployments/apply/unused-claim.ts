import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { isVolumeClaim } from '../plan/kept-objects.js';
import { podsUsing } from '../plan/pods-using.js';

/**
 * Whether a claim stays pending because its class binds it only when a pod uses it, and none does. Where the credential may not read
 * classes or pods, this is assumed: the pods of a deployment that need the claim do not become ready without it.
 */
export async function isUnusedClaim(cluster: ClusterClient, claim: KubernetesObject): Promise<boolean> {
  if (!isVolumeClaim(claim)) return false;
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

async function isUsed(cluster: ClusterClient, claim: KubernetesObject): Promise<boolean> {
  try {
    const { done } = await podsUsing(cluster, claim).next();
    return done !== true;
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return false;
  }
}

const isForbidden = (error: unknown): boolean => error instanceof ClusterError && error.kind === 'forbidden';
