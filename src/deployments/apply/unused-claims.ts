import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { listPodsByClaim } from '../plan/claim-users.js';

/**
 * The claims that stay pending because their class binds them only when a pod uses them, and none does. Where the credential may not
 * read classes or pods, this is assumed: the pods of a deployment that need a claim do not become ready without it. Classes and pods
 * are read once, however many claims there are.
 */
export class UnusedClaims {
  private readonly waiting = new Map<string, Promise<boolean>>();
  private readonly used = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(private readonly cluster: ClusterClient) {}

  async includes({ apiVersion, kind, metadata, spec }: KubernetesObject): Promise<boolean> {
    if (kind !== 'PersistentVolumeClaim' || apiVersion !== 'v1') return false;
    const { storageClassName: name } = (spec ?? {}) as { storageClassName?: string };
    if (!name) return false;
    const waiting = this.waiting.get(name) ?? this.waitsForPods(name);
    this.waiting.set(name, waiting);
    if (!(await waiting)) return false;
    const { namespace = '' } = metadata;
    const used = this.used.get(namespace) ?? this.findUsed(namespace);
    this.used.set(namespace, used);
    return !(await used).has(metadata.name);
  }

  private async waitsForPods(storageClass: string): Promise<boolean> {
    try {
      const classes = await this.cluster.findKind('storage.k8s.io/v1', 'StorageClass');
      const found = classes && (await this.cluster.lookup(classes, storageClass));
      return found?.['volumeBindingMode'] === 'WaitForFirstConsumer';
    } catch (error) {
      if (isForbidden(error)) return true;
      throw error;
    }
  }

  /** The claims that pods use which have not ended. */
  private async findUsed(namespace: string): Promise<ReadonlySet<string>> {
    try {
      return new Set((await listPodsByClaim(this.cluster, namespace)).keys());
    } catch (error) {
      if (!isForbidden(error)) throw error;
      return new Set();
    }
  }
}

const isForbidden = (error: unknown): boolean => error instanceof ClusterError && error.kind === 'forbidden';
