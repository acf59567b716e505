import type { ClusterClient } from '../../clusters/cluster-client.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { ResourceChanges } from '../resource-changes.js';
import type { MissingKind } from './cluster-watch.entity.js';
import { type KindSink, KindWatch, type WatchTiming } from './kind-watch.js';
import { isWatchedKind } from './watched-kinds.js';
import type { WatchedNamespaces } from './watched-namespaces.js';
import type { WatchedResourcesStore, WatchLease } from './watched-resources.store.js';

/** The maximum number of watches per cluster, each of which needs a connection. */
const MAX_WATCHES = 500;

const keyOf = ({ apiVersion, kind }: ResourceKind, namespace?: string): string =>
  `${apiVersion} ${kind}${namespace === undefined ? '' : ` in ${namespace}`}`;

interface Tools {
  resources: WatchedResourcesStore;
  changes: ResourceChanges;
  namespaces: WatchedNamespaces;
}

/** The watches of a cluster's kinds: in all namespaces or, where that is forbidden, in the known ones. */
export class KindWatches {
  private readonly watches = new Map<string, KindWatch>();
  /** For kinds that are watched in some namespaces: the namespaces whose stored objects were kept. */
  private readonly kept = new Map<string, string>();
  /** Group versions of unavailable aggregated APIs, whose stored objects are kept. */
  private unavailable: ReadonlySet<string> = new Set();

  constructor(
    private readonly lease: WatchLease,
    private readonly tools: Tools,
    private readonly sink: KindSink,
    private readonly timing: WatchTiming,
  ) {}

  get all(): KindWatch[] {
    return [...this.watches.values()];
  }

  /** Whether every watch has completed its first list, or failed permanently. */
  get isSettled(): boolean {
    return this.watches.size > 0 && this.all.every((watch) => watch.isSettled);
  }

  /** The number of watched kinds. */
  get count(): number {
    const known = this.wide.filter(({ kind }) => !this.unavailable.has(kind.apiVersion));
    return known.filter(({ kind, missing }) => !missing || this.listNarrowed(kind).length > 0).length;
  }

  /** The kinds that are not watched, or only in some namespaces. */
  get missing(): MissingKind[] {
    const kinds = this.wide.flatMap(({ kind, missing }) => {
      if (!missing || this.unavailable.has(kind.apiVersion)) return [];
      const namespaces = missing.reason === 'forbidden' ? this.listNarrowed(kind) : [];
      return [namespaces.length > 0 ? { ...missing, reason: 'partial' as const, namespaces } : missing];
    });
    const detail = 'The server of this API does not answer the cluster';
    const apis = [...this.unavailable].map((api): MissingKind => ({
      ...{ api_version: api, kind: '*', reason: 'unavailable', detail },
    }));
    return [...kinds, ...apis];
  }

  /** The number of objects of all other watches. */
  countOthers(asking: KindWatch): number {
    return this.all.reduce((sum, watch) => (watch === asking ? sum : sum + watch.count), 0);
  }

  /** Makes all watches list again. */
  reset(): void {
    for (const watch of this.watches.values()) watch.reset();
  }

  clear(): void {
    this.kept.clear();
    this.watches.clear();
  }

  /**
   * Aligns the watches with the kinds that the cluster serves; deletes the stored objects of removed kinds, unless
   * only their aggregated API server is unavailable.
   */
  async discover(client: ClusterClient): Promise<void> {
    client.invalidateKinds();
    const served = (await client.listKinds()).filter(isWatchable).slice(0, MAX_WATCHES);
    this.unavailable = await client.listUnavailable();
    const wanted = new Map(served.map((kind) => [keyOf(kind), kind]));
    for (const [key, { kind }] of this.watches)
      if (!wanted.has(keyOf(kind)) && !this.unavailable.has(kind.apiVersion)) this.watches.delete(key);
    await this.tools.resources.deleteOtherKinds(this.lease, [...wanted.keys()], [...this.unavailable]);
    for (const [key, kind] of wanted)
      if (!this.watches.has(key)) this.watches.set(key, new KindWatch(kind, this.sink, this.timing));
  }

  /**
   * Watches kinds that may not be listed in all namespaces in the known ones: the namespace of the kubeconfig, and
   * those of deployments. Deletes stored objects of other namespaces, which would not be updated.
   */
  async narrow(client: ClusterClient): Promise<void> {
    const refused = this.wide.filter(({ kind, missing }) => kind.namespaced && missing?.reason === 'forbidden');
    const known = refused.length > 0 ? await this.tools.namespaces.find(this.lease.connectionId) : [];
    const namespaces = [...new Set([client.namespace ?? 'default', ...known])];
    const wanted = new Map(
      refused.flatMap(({ kind }) => namespaces.map((one) => [keyOf(kind, one), { kind, namespace: one }] as const)),
    );
    for (const [key, { namespace }] of this.watches)
      if (namespace !== undefined && !wanted.has(key)) this.watches.delete(key);
    for (const [key, { kind, namespace }] of wanted)
      if (!this.watches.has(key) && this.watches.size < MAX_WATCHES)
        this.watches.set(key, new KindWatch(kind, this.sink, this.timing, namespace));
    const { resources, changes } = this.tools;
    for (const { kind } of refused) {
      const narrowed = this.listNarrowed(kind);
      if (this.kept.get(keyOf(kind)) === narrowed.join()) continue;
      await changes.publish(await resources.deleteOutside(this.lease, kind, narrowed));
      this.kept.set(keyOf(kind), narrowed.join());
    }
  }

  /** The watches of all namespaces. */
  private get wide(): KindWatch[] {
    return this.all.filter(({ namespace }) => namespace === undefined);
  }

  /** The namespaces in which a kind is watched that may not be listed in all. */
  private listNarrowed(kind: ResourceKind): string[] {
    return this.all.flatMap(({ namespace, missing, isSettled, kind: own }) =>
      namespace !== undefined && isSettled && missing === null && keyOf(own) === keyOf(kind) ? namespace : [],
    );
  }
}

function isWatchable(kind: ResourceKind): boolean {
  const watches = kind.verbs.includes('list') && kind.verbs.includes('watch');
  return kind.preferred && watches && isWatchedKind(kind);
}
