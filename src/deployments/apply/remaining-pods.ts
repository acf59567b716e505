import { boundedParallel } from '../../core/bounded-parallel.js';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { runsPods } from './workload-pods.js';

/** Objects of a namespace that are listed; where there are more, workloads are deleted in the foreground. */
const MAX_LISTED = 500;
const CONCURRENCY = 6;

/**
 * The pods of workloads that are deleted. The cluster deletes them in the background, which takes it a fraction of the time that a
 * deletion in the foreground takes; so they are waited for here.
 */
export class RemainingPods {
  /** The uid of the workload of each workload, and of each of its ReplicaSets. */
  private readonly workloads = new Map<string, string>();
  private readonly namespaces = new Set<string>();

  private constructor(private readonly cluster: ClusterClient) {}

  /** Reads what there is before the deletion. @throws ClusterError when the cluster does not respond */
  static async of(cluster: ClusterClient, leaving: ObjectMetadata[]): Promise<RemainingPods> {
    const pods = new RemainingPods(cluster);
    const workloads = leaving.filter((one) => one.kind !== 'Pod' && runsPods(one));
    const namespaces = [...new Set(workloads.map(({ metadata }) => metadata.namespace ?? ''))];
    const isListable = await boundedParallel(namespaces, CONCURRENCY, (namespace) => pods.isListable(namespace));
    for (const { metadata } of workloads) {
      const { uid, namespace = '' } = metadata;
      if (!uid || !isListable[namespaces.indexOf(namespace)]) continue;
      pods.workloads.set(uid, uid);
      pods.namespaces.add(namespace);
    }
    if (pods.workloads.size > 0) await pods.find();
    return pods;
  }

  /** Whether the pods of an object are known, so that it may be deleted in the background. */
  includes({ metadata: { uid = '' } }: ObjectMetadata): boolean {
    return this.workloads.has(uid);
  }

  /** The name of a pod that remains, by the uid of its workload. */
  async find(): Promise<ReadonlyMap<string | undefined, string>> {
    const found = new Map<string | undefined, string>();
    await boundedParallel([...this.namespaces], CONCURRENCY, async (namespace) => {
      for (const set of await this.list('apps/v1', 'ReplicaSet', namespace)) {
        const workload = this.workloadOf(set);
        if (workload && set.metadata.uid) this.workloads.set(set.metadata.uid, workload);
      }
      for (const pod of await this.list('v1', 'Pod', namespace)) {
        const workload = this.workloadOf(pod);
        if (workload) found.set(workload, pod.metadata.name);
      }
    });
    return found;
  }

  private workloadOf({ metadata: { ownerReferences } }: ObjectMetadata): string | undefined {
    return ownerReferences?.map(({ uid }) => this.workloads.get(uid)).find((uid) => uid !== undefined);
  }

  private async isListable(namespace: string): Promise<boolean> {
    try {
      const sets = await this.list('apps/v1', 'ReplicaSet', namespace);
      return sets.length + (await this.list('v1', 'Pod', namespace)).length <= MAX_LISTED;
    } catch (error) {
      if (error instanceof ClusterError && error.kind === 'forbidden') return false;
      throw error;
    }
  }

  private async list(apiVersion: string, name: string, namespace: string): Promise<ObjectMetadata[]> {
    const kind = await this.cluster.findKind(apiVersion, name);
    return kind ? this.cluster.listMetadata(kind, { namespace }) : [];
  }
}
