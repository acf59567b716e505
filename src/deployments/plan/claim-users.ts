import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type KubernetesObject, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { claimPrefixes, isClaimOf } from './stateful-set-claims.js';

interface PodSpec {
  volumes?: { persistentVolumeClaim?: { claimName?: string } }[] | null;
}

const NOT_ENDED = 'status.phase!=Succeeded,status.phase!=Failed';
/** How long a list is used for other claims of the same namespace. */
const MAX_AGE_MS = 1_000;

/** The pods of a namespace that have not ended, by the name of the claim that they use. @throws ClusterError `forbidden` */
export async function listPodsByClaim(
  cluster: ClusterClient,
  namespace: string | undefined,
): Promise<ReadonlyMap<string, ObjectMetadata[]>> {
  const byClaim = new Map<string, ObjectMetadata[]>();
  const pods = await cluster.findKind('v1', 'Pod');
  if (!pods) return byClaim;
  for await (const page of cluster.listPages(pods, { namespace, fieldSelector: NOT_ENDED }))
    for (const { apiVersion, kind, metadata, ...rest } of page)
      for (const { persistentVolumeClaim } of ((rest['spec'] ?? {}) as PodSpec).volumes ?? []) {
        const { claimName } = persistentVolumeClaim ?? {};
        if (!claimName) continue;
        const users = byClaim.get(claimName) ?? [];
        users.push({ apiVersion, kind, metadata });
        byClaim.set(claimName, users);
      }
  return byClaim;
}

interface Users {
  pods: ReadonlyMap<string, ObjectMetadata[]>;
  sets: KubernetesObject[];
}

/** What uses volume claims. Pods and StatefulSets are read once for the claims of a namespace that are asked for together. */
export class ClaimUsers {
  private readonly byNamespace = new Map<string, { readAt: number; users: Promise<Users> }>();

  constructor(private readonly cluster: ClusterClient) {}

  /** The pods that use a claim, and the StatefulSets that use it as soon as they have pods. What may not be listed is left out. */
  async find(claim: ObjectMetadata): Promise<ObjectMetadata[]> {
    const { name, namespace = '' } = claim.metadata;
    const now = performance.now();
    let known = this.byNamespace.get(namespace);
    if (!known || now - known.readAt > MAX_AGE_MS) {
      known = { readAt: now, users: this.read(namespace) };
      this.byNamespace.set(namespace, known);
    }
    const { pods, sets } = await known.users;
    return [...(pods.get(name) ?? []), ...sets.filter((set) => isClaimOf(set, claim))];
  }

  private async read(namespace: string): Promise<Users> {
    const pods = await orIfForbidden(listPodsByClaim(this.cluster, namespace), new Map<string, ObjectMetadata[]>());
    return { pods, sets: await orIfForbidden(this.listSets(namespace), []) };
  }

  private async listSets(namespace: string): Promise<KubernetesObject[]> {
    const kind = await this.cluster.findKind('apps/v1', 'StatefulSet');
    const sets: KubernetesObject[] = [];
    if (kind)
      for await (const page of this.cluster.listPages(kind, { namespace }))
        sets.push(...page.filter((set) => claimPrefixes(set).length > 0));
    return sets;
  }
}

async function orIfForbidden<T>(asked: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ClusterError && error.kind === 'forbidden') return otherwise;
    throw error;
  }
}
