import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind, sameKind } from '../../kubernetes/clusters/discovery.js';
import { type ObjectMetadata, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from './bounded-parallel.js';
import { isOwnedBy, type Owner, ownerSelector } from './owner.js';

export interface OwnedObject {
  kind: ResourceKind;
  object: ObjectMetadata;
}

export interface Inventory {
  objects: OwnedObject[];
  /** Kinds that this server may not list, so that objects of them may have been missed, but for those known. */
  unseen: ResourceKind[];
}

const PARALLEL = 8;

/** Finds what an owner has on a cluster, by its labels. Contents are not fetched. */
export class OwnedObjects {
  constructor(private readonly cluster: ClusterClient) {}

  /**
   * @param kinds where to look: the kinds of records, which costs a request a kind, or `everywhere`, which misses nothing
   * @param known objects that this owner is known to have had: looked for one by one where the credential may not list
   */
  async of(
    owner: Owner,
    kinds: ResourceKind[] | 'everywhere',
    known: ObjectReference[],
    signal?: AbortSignal,
  ): Promise<Inventory> {
    const searched = kinds === 'everywhere' ? (await this.cluster.kinds()).filter(isDeletable) : kinds;
    const unseen: ResourceKind[] = [];
    const found = await boundedParallel(searched, PARALLEL, async (kind) => {
      const labelSelector = ownerSelector(owner);
      const listed = await refusable(this.cluster.listMetadata(kind, { labelSelector, signal }));
      if (!listed) unseen.push(kind);
      const objects = listed ?? (await this.lookup(kind, known, signal));
      return objects.map((object) => ({ kind, object }));
    });
    // One object may be served under several groups, as Events and Ingresses are.
    const byId = new Map(found.flat().map((one) => [one.object.metadata.uid, one]));
    return { objects: [...byId.values()].filter(({ object }) => isOwnedBy(owner, object)), unseen };
  }

  private async lookup(kind: ResourceKind, known: ObjectReference[], signal?: AbortSignal): Promise<ObjectMetadata[]> {
    const references = known.filter((one) => sameKind(one, kind));
    const found = await boundedParallel(references, PARALLEL, (one) =>
      refusable(this.cluster.lookup(kind, one.name, one.namespace, signal)),
    );
    return found.filter((object) => object !== undefined);
  }
}

/** Undefined when the cluster refuses this one question, which is no reason to ask no others. */
async function refusable<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ClusterError && error.answered && error.kind !== 'unauthorized') return undefined;
    throw error;
  }
}

/** One version of each kind, of those that can be listed and deleted: others hold nothing of ours. */
export function isDeletable(kind: ResourceKind): boolean {
  return kind.preferred && kind.verbs.includes('list') && kind.verbs.includes('delete') && kind.kind !== 'Event';
}
