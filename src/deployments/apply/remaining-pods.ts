import { boundedParallel } from '../../core/bounded-parallel.js';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { runsPods } from './workload-pods.js';

/** Objects of a namespace that are listed; where there are more, workloads are deleted in the foreground. */
const MAX_LISTED = 500;
const CONCURRENCY = 6;

/**
 * The pods of workloads that are deleted, and the ReplicaSets that create them. The cluster deletes them in the background, which
 * takes it a fraction of the time that a deletion in the foreground takes; so they are waited for here.
 */
export class RemainingPods {
  /** The uid of the workload of each workload, and of each of its ReplicaSets. */
  private readonly workloads = new Map<string, string>();
  private readonly namespaces = new Set<string>();

  private constructor(private readonly cluster: ClusterClient) {}

  /**
   * Reads what there is before the deletion.
   * @param gone the uids of each workload that an earlier attempt deleted
   * @throws ClusterError when the cluster does not respond
   */
  static async of(
    cluster: ClusterClient,
    leaving: ObjectMetadata[],
    gone: { uids?: string[]; namespace?: string }[] = [],
  ): Promise<RemainingPods> {
    const pods = new RemainingPods(cluster);
    const standing = leaving
      .filter((one) => one.kind !== 'Pod' && runsPods(one))
      .map(({ metadata: { uid, namespace } }) => ({ uids: uid ? [uid] : [], namespace }));
    const workloads = [...standing, ...gone].filter(({ uids }) => uids && uids.length > 0);
    const namespaces = [...new Set(workloads.map(({ namespace = '' }) => namespace))];
    const sets = await boundedParallel(namespaces, CONCURRENCY, (namespace) => pods.readSets(namespace));
    for (const { uids = [], namespace = '' } of workloads) {
      if (!sets[namespaces.indexOf(namespace)]) continue;
      for (const uid of uids) pods.workloads.set(uid, uids[0] ?? uid);
      pods.namespaces.add(namespace);
    }
    for (const known of sets) pods.learn(known ?? []);
    return pods;
  }

  /** Whether the pods of an object are known, so that it may be deleted in the background. */
  includes(uid: string | undefined): boolean {
    return uid !== undefined && this.workloads.has(uid);
  }

  /** The uids of a workload and of its ReplicaSets; undefined for an object whose pods are not known. */
  uidsOf(uid: string | undefined): string[] | undefined {
    if (uid === undefined || !this.workloads.has(uid)) return undefined;
    return [uid, ...[...this.workloads].flatMap(([one, workload]) => (workload === uid && one !== uid ? [one] : []))];
  }

  /** What remains of each workload, by its uid: a pod, or a ReplicaSet, which may still create pods. */
  async find(): Promise<ReadonlyMap<string | undefined, string>> {
    const found = new Map<string | undefined, string>();
    await boundedParallel([...this.namespaces], CONCURRENCY, async (namespace) => {
      this.learn(await this.list('apps/v1', 'ReplicaSet', namespace), found);
      for (const pod of await this.list('v1', 'Pod', namespace)) {
        const workload = this.workloadOf(pod);
        if (workload) found.set(workload, `pod ${pod.metadata.name}`);
      }
    });
    return found;
  }

  /** Notes the ReplicaSets of workloads. */
  private learn(sets: ObjectMetadata[], found?: Map<string | undefined, string>): void {
    for (const set of sets) {
      const workload = this.workloadOf(set);
      if (!workload) continue;
      if (set.metadata.uid) this.workloads.set(set.metadata.uid, workload);
      found?.set(workload, `ReplicaSet ${set.metadata.name}`);
    }
  }

  private workloadOf({ metadata: { ownerReferences } }: ObjectMetadata): string | undefined {
    return ownerReferences?.map(({ uid }) => this.workloads.get(uid)).find((uid) => uid !== undefined);
  }

  /** The ReplicaSets of a namespace; undefined where they or the pods cannot be listed, or are too many. */
  private async readSets(namespace: string): Promise<ObjectMetadata[] | undefined> {
    try {
      const sets = await this.list('apps/v1', 'ReplicaSet', namespace);
      const { length } = await this.list('v1', 'Pod', namespace);
      return sets.length + length <= MAX_LISTED ? sets : undefined;
    } catch (error) {
      if (error instanceof ClusterError && error.kind === 'forbidden') return undefined;
      throw error;
    }
  }

  private async list(apiVersion: string, name: string, namespace: string): Promise<ObjectMetadata[]> {
    const kind = await this.cluster.findKind(apiVersion, name);
    return kind ? this.cluster.listMetadata(kind, { namespace }) : [];
  }
}
