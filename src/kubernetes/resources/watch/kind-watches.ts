import type { ClusterClient } from '../../clusters/cluster-client.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { ResourceChanges } from '../resource-changes.js';
import type { MissingKind } from './cluster-watch.entity.js';
import { type KindSink, KindWatch, type WatchTiming } from './kind-watch.js';
import { isWatchedKind } from './watched-kinds.js';
import type { WatchedConnection } from './cluster-watches.store.js';
import type { WatchedNamespaces, WatchedPlace } from './watched-namespaces.js';
import type { WatchedResourcesStore, WatchLease } from './watched-resources.store.js';

/** The maximum number of watches per cluster, each of which needs a connection. */
const MAX_WATCHES = 500;

const keyOf = ({ apiVersion, kind }: ResourceKind, place?: WatchedPlace): string =>
  `${apiVersion} ${kind}${place ? ` in ${place.namespace} for ${place.connectionIds.join()}` : ''}`;

interface Tools {
  resources: WatchedResourcesStore;
  changes: ResourceChanges;
  namespaces: WatchedNamespaces;
}

/** The watches of a cluster's kinds: in all namespaces or, where that is forbidden, in the known ones. */
export class KindWatches {
  private readonly watches = new Map<string, KindWatch>();
  /** For kinds that are watched in some namespaces, by kind and connection: the namespaces whose stored objects were kept. */
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

  /** Whether every watch has completed its first list, or has failed permanently since it was last started. */
  get isDecided(): boolean {
    return this.watches.size > 0 && this.all.every((watch) => watch.isDecided);
  }

  /** The kinds that are watched in all namespaces and have been listed. */
  get listed(): ResourceKind[] {
    return this.wide.filter(({ isListed }) => isListed).map(({ kind }) => kind);
  }

  /** The number of kinds that are watched for a connection. */
  countFor(connectionId: string): number {
    const known = this.wide.filter(({ kind }) => !this.unavailable.has(kind.apiVersion));
    return known.filter(({ kind, missing }) => !missing || this.listNarrowed(kind, connectionId).length > 0).length;
  }

  /** The kinds that are not watched for a connection, or only in some namespaces. */
  listMissing(connectionId: string): MissingKind[] {
    const kinds = this.wide.flatMap(({ kind, missing }) => {
      if (!missing || this.unavailable.has(kind.apiVersion)) return [];
      const namespaces = missing.reason === 'forbidden' ? this.listNarrowed(kind, connectionId) : [];
      return [namespaces.length > 0 ? { ...missing, reason: 'partial' as const, namespaces } : missing];
    });
    const detail = 'The server of this API does not respond to the cluster';
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

  /** Notes that a kind was listed in all namespaces. */
  noteListed(kind: ResourceKind): void {
    for (const key of this.kept.keys()) if (key.startsWith(`${keyOf(kind)} `)) this.kept.delete(key);
  }

  /** Lists the namespaces of a connection again, whose stored objects may be those of another watch. */
  forget(connectionId: string): void {
    for (const key of this.kept.keys()) if (key.endsWith(` ${connectionId}`)) this.kept.delete(key);
    for (const [key, { place }] of this.watches)
      if (place?.connectionIds.includes(connectionId)) this.watches.delete(key);
  }

  /**
   * Aligns the watches with the kinds that the cluster serves; deletes the stored objects of removed kinds, unless
   * only their aggregated API server is unavailable.
   * @param unverified connections of which nothing stays that the present access was not shown
   */
  async discover(client: ClusterClient, unverified: string[]): Promise<void> {
    client.invalidateKinds();
    const served = (await client.listKinds()).filter(isWatchable).slice(0, MAX_WATCHES);
    this.unavailable = await client.listUnavailable();
    const wanted = new Map(served.map((kind) => [keyOf(kind), kind]));
    for (const [key, { kind }] of this.watches)
      if (!wanted.has(keyOf(kind)) && !this.unavailable.has(kind.apiVersion)) this.watches.delete(key);
    const { resources } = this.tools;
    const { connectionIds } = this.lease;
    await resources.deleteOtherKinds(this.lease, connectionIds, [...wanted.keys()], [...this.unavailable]);
    for (const [key, kind] of wanted)
      if (!this.watches.has(key)) this.watches.set(key, new KindWatch(kind, this.sink, this.timing));
    const known = this.wide.map(({ kind }) => keyOf(kind));
    if (unverified.length > 0) await resources.deleteOtherKinds(this.lease, unverified, known, []);
  }

  /** Deletes the stored objects of a kind for a connection outside of the namespaces in which it is watched. */
  async deleteOutside(kind: ResourceKind, connectionId: string): Promise<void> {
    const { resources, changes } = this.tools;
    const key = `${keyOf(kind)} ${connectionId}`;
    const narrowed = this.findNarrowed(kind, connectionId).map(({ place }) => place?.namespace ?? '');
    if (this.kept.get(key) === narrowed.join()) return;
    await changes.publish(await resources.deleteOutside(this.lease, kind, connectionId, narrowed));
    this.kept.set(key, narrowed.join());
  }

  /**
   * Watches kinds that may not be listed in all namespaces in the known ones, for each connection in its own: its default
   * namespace, and those of its deployments. Deletes the other stored objects of these kinds, which would not be updated.
   */
  async narrow(connections: readonly WatchedConnection[]): Promise<void> {
    const refused = this.wide.filter(({ missing }) => missing?.reason === 'forbidden');
    const namespaced = refused.filter(({ kind }) => kind.namespaced);
    const places = namespaced.length > 0 ? await this.findPlaces(connections) : [];
    const wanted = new Map(
      places.flatMap((place) => namespaced.map(({ kind }) => [keyOf(kind, place), { kind, place }] as const)),
    );
    for (const [key, { place }] of this.watches) if (place && !wanted.has(key)) this.watches.delete(key);
    for (const [key, { kind, place }] of wanted)
      if (!this.watches.has(key) && this.watches.size < MAX_WATCHES)
        this.watches.set(key, new KindWatch(kind, this.sink, this.timing, place));
    for (const { kind } of refused)
      for (const { connectionId } of connections) await this.deleteOutside(kind, connectionId);
  }

  /** The namespaces of the connections; the first of each connection first, so that none occupies all watches. */
  private async findPlaces(connections: readonly WatchedConnection[]): Promise<WatchedPlace[]> {
    const used = await Promise.all(
      connections.map(async ({ connectionId, namespace }) => ({
        connectionId,
        namespaces: [...new Set([namespace ?? 'default', ...(await this.tools.namespaces.find(connectionId))])],
      })),
    );
    const places = new Map<string, WatchedPlace>();
    for (let n = 0; used.some(({ namespaces }) => n < namespaces.length); n++)
      for (const { connectionId, namespaces } of used) {
        const namespace = namespaces[n];
        if (namespace === undefined) continue;
        const place = places.get(namespace) ?? { namespace, connectionIds: [] };
        places.set(namespace, { namespace, connectionIds: [...place.connectionIds, connectionId].sort() });
      }
    return [...places.values()];
  }

  /** The watches of all namespaces. */
  private get wide(): KindWatch[] {
    return this.all.filter(({ place }) => place === undefined);
  }

  /** The namespaces in which a kind is watched for a connection that may not be listed in all. */
  private listNarrowed(kind: ResourceKind, connectionId: string): string[] {
    return this.findNarrowed(kind, connectionId).flatMap(({ place, isSettled }) =>
      place && isSettled ? place.namespace : [],
    );
  }

  /** The watches of single namespaces for a connection, except those where listing is refused as well. */
  private findNarrowed(kind: ResourceKind, connectionId: string): KindWatch[] {
    return this.all.filter(
      ({ place, missing, kind: own }) =>
        place?.connectionIds.includes(connectionId) && missing === null && keyOf(own) === keyOf(kind),
    );
  }
}

function isWatchable(kind: ResourceKind): boolean {
  const watches = kind.verbs.includes('list') && kind.verbs.includes('watch');
  return kind.preferred && watches && isWatchedKind(kind);
}
