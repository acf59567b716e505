import type { ClusterClient } from './cluster-client.js';
import { ClusterError } from './cluster-error.js';

/** Returns the uid of kube-system, which identifies the cluster; null when reading it is forbidden. @throws ClusterError */
export async function findClusterUid(client: ClusterClient): Promise<string | null> {
  const kind = await client.findKind('v1', 'Namespace');
  try {
    return (kind && (await client.lookup(kind, 'kube-system'))?.metadata.uid) ?? null;
  } catch (error) {
    if (error instanceof ClusterError && error.kind === 'forbidden') return null;
    throw error;
  }
}
