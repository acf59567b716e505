import { boundedParallel } from '../../core/bounded-parallel.js';
import { type ClusterClient } from '../clusters/cluster-client.js';
import { ClusterError } from '../clusters/cluster-error.js';
import { type ResourceKind } from '../clusters/discovery.js';
import { isNamespace, type ObjectMetadata } from '../clusters/kubernetes-object.js';
import { isContentOfNamespaces, isSystemObject } from '../clusters/system-objects.js';
import { CascadingDeletion } from './cascading-deletion.js';

const CONCURRENCY = 8;
/** How old the discovery may be: a definition of others that was added since would not be looked for. */
const STALE_MS = 2_000;
/** What aggregated APIs of metrics serve is not stored: nothing is lost with it. */
const NOT_STORED = /(?:^|\.)metrics\.k8s\.io\//;

/** The contents of a namespace or definition cannot all be listed: they may be of others. */
export class ContentsUnknown extends Error {}

/** What a namespace contains, or which objects are of a CustomResourceDefinition: they are deleted with it. */
export class ContainedObjects {
  constructor(
    private readonly cluster: ClusterClient,
    private readonly signal?: AbortSignal,
  ) {}

  /** @throws ContentsUnknown, ClusterError */
  async list(holder: ObjectMetadata): Promise<ObjectMetadata[]> {
    return isNamespace(holder) ? this.listNamespace(holder.metadata.name) : this.listDefined(holder);
  }

  /**
   * Of these objects those that would be lost: without what is the owner's, is being deleted anyway, or is deleted because its owners
   * are. Owners are read only if nothing else would be lost.
   * @param leaving uids of other objects that the same operation deletes
   */
  async findForeign(
    contents: ObjectMetadata[],
    isOwn: (object: ObjectMetadata) => boolean,
    leaving: Iterable<string> = [],
  ): Promise<ObjectMetadata[]> {
    const own = new Set(contents.filter(isOwn).flatMap(({ metadata }) => metadata.uid ?? []));
    const others = contents.filter(
      (one) => !own.has(one.metadata.uid ?? '') && !one.metadata.deletionTimestamp && !isSystemObject(one),
    );
    const independent = others.filter(({ metadata }) => !metadata.ownerReferences?.length);
    if (independent.length > 0) return independent;
    return new CascadingDeletion(this.cluster, new Set([...leaving, ...own]), contents).findStaying(others);
  }

  private async listNamespace(namespace: string): Promise<ObjectMetadata[]> {
    const kinds = (await this.cluster.listKinds(STALE_MS)).filter(isContentOfNamespaces);
    const unavailable = [...(await this.cluster.listUnavailable())].filter((version) => !NOT_STORED.test(version));
    if (unavailable.length > 0) throw new ContentsUnknown(`the API ${unavailable[0]} is unavailable`);
    return (await boundedParallel(kinds, CONCURRENCY, (kind) => this.listKind(kind, namespace))).flat();
  }

  private async listDefined(definition: ObjectMetadata): Promise<ObjectMetadata[]> {
    const { name } = definition.metadata;
    const kinds = (await this.cluster.listKinds(STALE_MS)).filter((kind) => `${kind.plural}.${kind.group}` === name);
    const served = kinds.find(({ preferred }) => preferred) ?? kinds[0];
    return served ? this.listKind(served) : [];
  }

  private async listKind(kind: ResourceKind, namespace?: string): Promise<ObjectMetadata[]> {
    try {
      return await this.cluster.listMetadata(kind, { namespace, signal: this.signal });
    } catch (error) {
      // The API of the kind was removed after discovery.
      if (error instanceof ClusterError && error.kind === 'notFound') return [];
      if (error instanceof ClusterError && error.kind === 'forbidden') throw new ContentsUnknown(error.message);
      throw error;
    }
  }
}

/** Selects kinds that can be listed and deleted, in one version each; objects of other kinds cannot be deployed. */
export function isDeletable(kind: ResourceKind): boolean {
  return kind.preferred && kind.verbs.includes('list') && kind.verbs.includes('delete') && kind.kind !== 'Event';
}
