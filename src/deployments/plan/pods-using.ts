import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';

interface PodSpec {
  volumes?: { persistentVolumeClaim?: { claimName?: string } }[] | null;
}

const NOT_ENDED = 'status.phase!=Succeeded,status.phase!=Failed';

/** The pods that have not ended and use a volume claim. @throws ClusterError `forbidden` without the right to list pods */
export async function* podsUsing(
  cluster: ClusterClient,
  { metadata }: ObjectMetadata,
): AsyncGenerator<KubernetesObject> {
  const { name, namespace } = metadata;
  const pods = await cluster.findKind('v1', 'Pod');
  if (!pods) return;
  for await (const page of cluster.listPages(pods, { namespace, fieldSelector: NOT_ENDED }))
    for (const pod of page) {
      const { volumes } = (pod['spec'] ?? {}) as PodSpec;
      if (volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === name)) yield pod;
    }
}
