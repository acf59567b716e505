import { type ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { type ResourceKind, isSameKind } from '../../kubernetes/clusters/discovery.js';
import { type ObjectMetadata, type ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { boundedParallel } from '../../core/bounded-parallel.js';
import { isDeletable } from '../../kubernetes/deletion/contained-objects.js';
import { apiUnavailable, type ResourceError } from './planned-resource.js';
import { isOwnedBy, type Owner, ownerSelector } from './owner.js';

export interface OwnedObject {
  kind: ResourceKind;
  object: ObjectMetadata;
}

export interface OwnedInventory {
  objects: OwnedObject[];
  /** Kinds that this server may not list; objects other than the known ones may be missing. */
  unlistable: ResourceKind[];
  /** Known objects that cannot be read, because of missing permissions or an unavailable API; they may exist or not. */
  unreadable: { reference: ObjectReference; error: ResourceError }[];
}

const CONCURRENCY = 8;

/** Finds the objects of an owner on a cluster by their labels. */
export class OwnedObjects {
  constructor(private readonly cluster: ClusterClient) {}

  /**
   * @param kinds where to search: the kinds of earlier records, one request per kind, or `everywhere`, which is complete
   * @param known recorded objects of this owner, read by name when the credential may not list their kind
   * @param options.whole whether to read whole objects. Default: only their metadata
   */
  async find(
    owner: Owner,
    kinds: ResourceKind[] | 'everywhere',
    known: ObjectReference[],
    { whole, signal }: { whole?: boolean; signal?: AbortSignal } = {},
  ): Promise<OwnedInventory> {
    const searched = kinds === 'everywhere' ? (await this.cluster.listKinds(2_000)).filter(isDeletable) : kinds;
    const inventory: OwnedInventory = { objects: [], unlistable: [], unreadable: [] };
    const unavailable = await this.cluster.listUnavailable();
    for (const reference of known)
      if (unavailable.has(reference.apiVersion) && !searched.some((kind) => isSameKind(reference, kind)))
        inventory.unreadable.push({ reference, error: apiUnavailable(reference.apiVersion) });
    const found = await boundedParallel(searched, CONCURRENCY, async (kind) => {
      const selected = { labelSelector: ownerSelector(owner), signal };
      const listed = await orUndefinedIfRefused<ObjectMetadata[]>(
        whole ? this.cluster.list(kind, selected) : this.cluster.listMetadata(kind, selected),
      );
      if (!listed) inventory.unlistable.push(kind);
      const objects = listed ?? (await this.lookup(kind, known, inventory, signal));
      return objects.map((object) => ({ kind, object }));
    });
    // One object may be served in several API groups, such as Events and Ingresses.
    const byId = new Map(found.flat().map((one) => [one.object.metadata.uid, one]));
    return { ...inventory, objects: [...byId.values()].filter(({ object }) => isOwnedBy(owner, object)) };
  }

  private async lookup(
    kind: ResourceKind,
    known: ObjectReference[],
    { unreadable }: OwnedInventory,
    signal?: AbortSignal,
  ): Promise<ObjectMetadata[]> {
    const references = known.filter((one) => isSameKind(one, kind));
    const found = await boundedParallel(references, CONCURRENCY, async (reference) => {
      const { name, namespace } = reference;
      const answer = await orUndefinedIfRefused(
        this.cluster.lookup(kind, name, namespace, signal).then((object) => ({ object })),
        (refusal) => unreadable.push({ reference, error: toUnreadableError(refusal, reference) }),
      );
      return answer?.object;
    });
    return found.filter((object) => object !== undefined);
  }
}

/** Undefined when the cluster refuses this request; other requests may still succeed. */
async function orUndefinedIfRefused<T>(
  asked: Promise<T>,
  onRefusal: (error: ClusterError) => void = () => undefined,
): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof ClusterError) || !error.answered || error.kind === 'unauthorized') throw error;
    onRefusal(error);
    return undefined;
  }
}

const toUnreadableError = ({ kind }: ClusterError, { apiVersion }: ObjectReference): ResourceError =>
  kind === 'unavailable'
    ? apiUnavailable(apiVersion)
    : { reason: 'FORBIDDEN', detail: 'The credential may not read the object, so it may still be there' };
