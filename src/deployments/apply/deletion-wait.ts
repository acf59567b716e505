import { boundedParallel } from '../../core/bounded-parallel.js';
import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { isNamespace, type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { type Owner, ownerSelector } from '../plan/owner.js';
import { type ResourceError } from '../plan/planned-resource.js';
import { isClusterFailure } from '../plan/resource-error.js';
import { type RemainingPods } from './remaining-pods.js';
import { DELETING, describeDeletion, type RemovalTarget } from './removal.js';
import { type RunClock, RunEnded } from './run-clock.js';

export interface DeletedObject extends RemovalTarget {
  /** The object itself is gone, and pods of it may remain. */
  isGone?: boolean;
}

/** Is notified of the progress of the waiting. */
export interface DeletionObserver<T> {
  /** Called with what blocks the deletion each time it changes. */
  onWaiting: (target: T, message: string) => Promise<void>;
  onGone: (target: T) => Promise<void>;
}

/** From this number of objects of a kind on, one list request replaces single reads. */
const MIN_LISTED = 4;
const CONCURRENCY = 6;

/** Waits until objects of an owner are gone. */
export class DeletionWait {
  private readonly unlistable = new Set<string>();

  constructor(
    private readonly cluster: ClusterClient,
    private readonly owner: Owner,
    private readonly clock: RunClock,
  ) {}

  /**
   * Waits for objects, and for pods of them. Each round is one list request for each kind and namespace. What is not listed any more,
   * or cannot be listed, is read by name.
   * @returns what is not gone at the end of the time limit, with what blocks it
   * @throws RunEnded when the run is cancelled, ClusterError
   */
  async waitUntilGone<T extends DeletedObject>(
    targets: T[],
    pods: RemainingPods,
    { onWaiting, onGone }: DeletionObserver<T>,
  ): Promise<Map<T, ResourceError>> {
    const open = new Map(targets.map((target) => [target, DELETING]));
    const gone = new Set(targets.filter(({ isGone }) => isGone));
    const havePods = targets.some(({ uid }) => pods.includes(uid));
    const wait = this.clock.poll(Infinity, async () => {
      const report = async (target: T, message: string): Promise<void> => {
        if (message !== open.get(target)) await onWaiting(target, message);
        open.set(target, message);
      };
      const left = [...open.keys()].filter((target) => !gone.has(target));
      const standing = await this.list(left);
      await boundedParallel(left, CONCURRENCY, async (target) => {
        const { kind, name, namespace, uid } = target;
        const last = standing.get(uid) ?? (await this.cluster.lookup(kind, name, namespace));
        if (last && last.metadata.uid === uid) await report(target, describeDeletion(last));
        else gone.add(target);
      });
      // In every round, so that a ReplicaSet is known before it is gone itself.
      const remaining = havePods ? await pods.find() : undefined;
      for (const target of gone) {
        const left = remaining?.get(target.uid);
        if (left !== undefined) await report(target, `${DELETING}; its ${left} is not gone`);
        else {
          gone.delete(target);
          open.delete(target);
          await onGone(target);
        }
      }
      return open.size === 0 || undefined;
    });
    await wait.catch((error: unknown) => {
      if (!(error instanceof RunEnded) || error.why === 'cancelled') throw error;
    });
    return new Map([...open].map(([target, detail]) => [target, { reason: 'STUCK', detail }]));
  }

  /** The objects that are still listed, by uid. */
  private async list(targets: RemovalTarget[]): Promise<ReadonlyMap<string | undefined, ObjectMetadata>> {
    const groups = new Map<string, RemovalTarget[]>();
    for (const target of targets) {
      const { kind, namespace, isGenerated, seen } = target;
      // Without the labels of the owner, or with conditions that say what is missing.
      if (isGenerated || (seen && isNamespace(seen)) || !kind.verbs.includes('list')) continue;
      const key = JSON.stringify([kind.apiVersion, kind.kind, namespace]);
      groups.set(key, [...(groups.get(key) ?? []), target]);
    }
    const listed = [...groups].filter(([key, { length }]) => length >= MIN_LISTED && !this.unlistable.has(key));
    const found = await boundedParallel(listed, CONCURRENCY, async ([key, [target]]) => {
      if (!target) return [];
      const { kind, namespace } = target;
      try {
        return await this.cluster.listMetadata(kind, { namespace, labelSelector: ownerSelector(this.owner) });
      } catch (error) {
        if (isClusterFailure(error)) throw error;
        this.unlistable.add(key);
        return [];
      }
    });
    return new Map(found.flat().map((object) => [object.metadata.uid, object]));
  }
}
