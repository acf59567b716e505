import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type KubernetesObject, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { type Owner, ownerSelector } from './owner.js';
import { type PlanItem } from './plan-item.js';
import { objectKey, recordedKeys } from './planned-resource.js';

type Wanted = Pick<PlanItem, 'kind' | 'desired'>;

interface Group {
  kind: ResourceKind;
  namespace: string | undefined;
  count: number;
}

/** From this number of objects of a kind on, one list request replaces single reads. */
const MIN_LISTED = 4;
const CONCURRENCY = 6;

/** The live objects of an owner, read by few list requests. Objects that are not found here must be read by name. */
export class LiveObjects {
  private constructor(private readonly found: ReadonlyMap<string, KubernetesObject>) {}

  /**
   * @param options.previous the objects that are recorded as deployed; without it nothing is listed
   * @throws ClusterError when the cluster does not respond
   */
  static async read(
    cluster: ClusterClient,
    owner: Owner,
    wanted: Wanted[],
    { previous, signal }: { previous?: ObjectReference[]; signal?: AbortSignal },
  ): Promise<LiveObjects> {
    const recorded = recordedKeys(previous);
    const groups = new Map<string, Group>();
    for (const { kind, desired } of wanted) {
      if (!kind || !desired || !recorded.has(keyOf(kind, desired))) continue;
      const { namespace } = desired.metadata;
      const key = JSON.stringify([kind.apiVersion, kind.kind, namespace]);
      const group = groups.get(key) ?? { kind, namespace, count: 0 };
      group.count += 1;
      groups.set(key, group);
    }
    const listed = [...groups.values()].filter(({ kind, count }) => count >= MIN_LISTED && kind.verbs.includes('list'));
    const found = new Map<string, KubernetesObject>();
    const labelSelector = ownerSelector(owner);
    await boundedParallel(listed, CONCURRENCY, async ({ kind, namespace }) => {
      try {
        for await (const page of cluster.listPages(kind, { namespace, labelSelector, signal }))
          for (const object of page) found.set(keyOf(kind, object), object);
      } catch (error) {
        // Without permission to list, single objects may still be readable.
        if (!(error instanceof ClusterError) || error.kind === 'unreachable' || error.kind === 'timeout') throw error;
      }
    });
    return new LiveObjects(found);
  }

  find({ kind, desired }: Wanted): KubernetesObject | undefined {
    return kind && desired && this.found.get(keyOf(kind, desired));
  }
}

const keyOf = ({ group, kind }: ResourceKind, { metadata: { name, namespace } }: KubernetesObject): string =>
  objectKey({ group, kind, name, namespace });
