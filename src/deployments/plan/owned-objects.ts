import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind } from '../../kubernetes/clusters/discovery.js';
import { type ObjectMetadata } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from './bounded-parallel.js';
import { isOwnedBy, type Owner, ownerSelector } from './owner.js';

export interface OwnedObject {
  kind: ResourceKind;
  object: ObjectMetadata;
}

export interface Inventory {
  objects: OwnedObject[];
  /** Kinds that this server may not list, so that objects of them may have been missed. */
  unseen: ResourceKind[];
}

const PARALLEL = 8;

/** Finds what an owner has on a cluster, by its labels. Contents are not fetched. */
export class OwnedObjects {
  constructor(private readonly cluster: ClusterClient) {}

  /**
   * @param kinds where to look: the kinds of records, which costs a request a kind, or `everywhere`, which misses nothing
   * @param namespaces where to look when the credential may not list a kind in all of them
   */
  async of(
    owner: Owner,
    kinds: ResourceKind[] | 'everywhere',
    namespaces: string[],
    signal?: AbortSignal,
  ): Promise<Inventory> {
    const searched = kinds === 'everywhere' ? (await this.cluster.kinds()).filter(isDeletable) : kinds;
    const unseen: ResourceKind[] = [];
    const found = await boundedParallel(searched, PARALLEL, async (kind) => {
      const objects = await this.list(owner, kind, namespaces, signal);
      if (!objects) unseen.push(kind);
      return (objects ?? []).map((object) => ({ kind, object }));
    });
    // One object may be served under several groups, as Events and Ingresses are.
    const byId = new Map(found.flat().map((one) => [one.object.metadata.uid, one]));
    return { objects: [...byId.values()].filter(({ object }) => isOwnedBy(owner, object)), unseen };
  }

  private async list(
    owner: Owner,
    kind: ResourceKind,
    namespaces: string[],
    signal?: AbortSignal,
  ): Promise<ObjectMetadata[] | undefined> {
    const labelSelector = ownerSelector(owner);
    try {
      return await this.cluster.listMetadata(kind, { labelSelector, signal });
    } catch (error) {
      if (!(error instanceof ClusterError) || !error.answered || error.kind === 'unauthorized') throw error;
      if (error.kind !== 'forbidden' || !kind.namespaced || namespaces.length === 0) return undefined;
    }
    try {
      const lists = namespaces.map((namespace) =>
        this.cluster.listMetadata(kind, { namespace, labelSelector, signal }),
      );
      return (await Promise.all(lists)).flat();
    } catch (error) {
      if (!(error instanceof ClusterError) || !error.answered) throw error;
      return undefined;
    }
  }
}

/** One version of each kind, of those that can be listed and deleted: others hold nothing of ours. */
export function isDeletable(kind: ResourceKind): boolean {
  return kind.preferred && kind.verbs.includes('list') && kind.verbs.includes('delete') && kind.kind !== 'Event';
}
