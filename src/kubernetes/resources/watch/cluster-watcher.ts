import { setTimeout as sleep } from 'node:timers/promises';
import { backoff } from '../../../core/backoff.js';
import type { ClusterClient } from '../../clusters/cluster-client.js';
import { ClusterError } from '../../clusters/cluster-error.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { ResourceChanges } from '../resource-changes.js';
import type { Resync } from './cluster-watch.entity.js';
import type { ClusterWatchesStore } from './cluster-watches.store.js';
import { type KindSink, KindWatch, WATCH_TIMING, type WatchTiming } from './kind-watch.js';
import type { Slots } from './slots.js';
import { isWatchedKind } from './watched-kinds.js';
import { type WatchedResourcesStore, type WatchLease, WatchLeaseLost } from './watched-resources.store.js';

/** What a watcher works with, the same for all clusters of a process. */
export interface WatcherTools {
  watches: ClusterWatchesStore;
  resources: WatchedResourcesStore;
  changes: ResourceChanges;
  /** Lists at a time, over all clusters. */
  lists: Slots;
  /** Objects that are kept of one cluster. */
  maxResources: number;
  timing?: WatchTiming;
}

/** A client for one session, which ends it: with the address and credential as they are then. */
export type OpenClient = () => Promise<ClusterClient>;

/** More are not watched: each is a connection to the cluster. */
const MAX_KINDS = 500;
/** Kinds whose objects are, or bring, other kinds. */
const DEFINING = new Set(['CustomResourceDefinition', 'APIService']);
const DISCOVERY_DELAY_MS = 500;
const DISCOVERY_INTERVAL_MS = 600_000;
const REPORT_DELAY_MS = 500;
/** A session that lasted so long has recovered from what went wrong before. */
const STEADY_MS = 30_000;

const keyOf = ({ apiVersion, kind }: ResourceKind): string => `${apiVersion} ${kind}`;

/** Keeps everything that one cluster runs, kind by kind, for as long as its lease is held. What fails is tried again, ever more slowly. */
export class ClusterWatcher implements KindSink {
  private readonly stopping = new AbortController();
  private readonly kinds = new Map<string, KindWatch>();
  private session = new AbortController();
  private client: ClusterClient | null = null;
  private resync: Resync | null = null;
  private error: string | null = null;
  private discoverAt = Infinity;
  private reportAt = Infinity;
  private readonly timing: WatchTiming;

  constructor(
    readonly lease: WatchLease,
    private clusterUid: string | null,
    private readonly openClient: OpenClient,
    private readonly tools: WatcherTools,
  ) {
    this.timing = tools.timing ?? WATCH_TIMING;
  }

  /** Runs until it is stopped or has lost its lease. */
  async run(): Promise<void> {
    const { signal } = this.stopping;
    for (let failures = 0; !signal.aborted;) {
      const startedAt = performance.now();
      try {
        await this.runSession();
        failures = 0;
      } catch (error) {
        if (error instanceof WatchLeaseLost || signal.aborted) return;
        failures = performance.now() - startedAt > STEADY_MS ? 1 : failures + 1;
        this.error = error instanceof ClusterError ? error.message : 'The resources could not be written';
        await this.saveState().catch(() => undefined);
        await sleep(backoff(failures, this.timing.retryMs, this.timing.maxRetryMs), undefined, { signal }).catch(
          () => undefined,
        );
      }
    }
  }

  stop(): void {
    this.stopping.abort();
    this.session.abort();
  }

  /** Goes on with another session: after the credential changed, or to read everything anew. */
  restart(resync: Resync | null): void {
    this.resync = resync;
    this.session.abort();
  }

  async upsert(...[kind, rows]: Parameters<KindSink['upsert']>): Promise<void> {
    const { resources, changes } = this.tools;
    if (rows.length > 0 && DEFINING.has(kind.kind)) this.discoverSoon();
    await changes.publish(await resources.upsert(this.lease, kind, rows));
  }

  async delete(...[kind, objects]: Parameters<KindSink['delete']>): Promise<void> {
    const { resources, changes } = this.tools;
    if (objects.length > 0 && DEFINING.has(kind.kind)) this.discoverSoon();
    await changes.publish(await resources.delete(this.lease, kind, objects));
  }

  async sweep(...[kind, uids]: Parameters<KindSink['sweep']>): Promise<void> {
    await this.tools.changes.publish(await this.tools.resources.sweep(this.lease, kind, uids));
  }

  hasRoomFor(kind: ResourceKind, count: number): boolean {
    let others = 0;
    for (const [key, watch] of this.kinds) if (key !== keyOf(kind)) others += watch.count;
    return others + count <= this.tools.maxResources;
  }

  whenListed<T>(list: () => Promise<T>): Promise<T> {
    return this.tools.lists.run(list);
  }

  report(): void {
    this.reportAt = Math.min(this.reportAt, performance.now() + REPORT_DELAY_MS);
  }

  /** Watches all kinds until one finds that something is wrong with the whole cluster, or the session is ended from outside. */
  private async runSession(): Promise<void> {
    this.session = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, this.session.signal]);
    const client = await this.openClient();
    this.client = client;
    const running = new Map<string, Promise<void>>();
    let failure: Error | null = null;
    const start = (watch: KindWatch): void => {
      const key = keyOf(watch.kind);
      const run = watch.run(client, signal).catch((error: unknown) => {
        failure ??= error as Error;
        this.session.abort();
      });
      running.set(key, run);
    };
    try {
      await this.prepare(client);
      this.discoverAt = 0;
      while (!signal.aborted) {
        if (performance.now() >= this.discoverAt) {
          await this.discover(client);
          for (const [key, watch] of this.kinds) if (!running.has(key)) start(watch);
          this.error = null;
          this.report();
        }
        if (performance.now() >= this.reportAt) await this.saveState();
        await sleep(100, undefined, { signal }).catch(() => undefined);
      }
    } catch (error) {
      failure ??= error as Error;
    } finally {
      this.session.abort();
      await client.close();
      await Promise.all(running.values());
      this.client = null;
    }
    if (failure) throw failure;
  }

  /** Does what was asked for, and forgets everything when the address belongs to another cluster by now. */
  private async prepare(client: ClusterClient): Promise<void> {
    const uid = await this.findClusterUid(client);
    const isAnother = uid !== null && this.clusterUid !== null && uid !== this.clusterUid;
    const { resync } = this;
    this.resync = null;
    if (resync || isAnother || uid === null) for (const watch of this.kinds.values()) watch.reset();
    if (resync === 'discover' || isAnother) this.kinds.clear();
    if (resync === 'clear' || resync === 'discover' || isAnother) {
      await this.tools.resources.deleteAll(this.lease.connectionId);
      await this.tools.watches.reset(this.lease);
    }
    if (uid === null || uid === this.clusterUid) return;
    this.clusterUid = uid;
    await this.tools.watches.saveClusterUid(this.lease, uid);
  }

  /** The uid of the first namespace stands for the cluster; null when it may not be read. */
  private async findClusterUid(client: ClusterClient): Promise<string | null> {
    const kind = await client.findKind('v1', 'Namespace');
    try {
      return (kind && (await client.lookup(kind, 'kube-system'))?.metadata.uid) ?? null;
    } catch (error) {
      if (error instanceof ClusterError && error.kind === 'forbidden') return null;
      throw error;
    }
  }

  private discoverSoon(): void {
    this.discoverAt = Math.min(this.discoverAt, performance.now() + DISCOVERY_DELAY_MS);
  }

  /** Brings the watches in line with the kinds that the cluster serves; a kind that is gone takes its objects with it. */
  private async discover(client: ClusterClient): Promise<void> {
    this.discoverAt = performance.now() + DISCOVERY_INTERVAL_MS;
    client.invalidateKinds();
    const served = (await client.listKinds()).filter(isWatchable).slice(0, MAX_KINDS);
    const wanted = new Map(served.map((kind) => [keyOf(kind), kind]));
    const gone = [...this.kinds.keys()].filter((key) => !wanted.has(key));
    for (const key of gone) this.kinds.delete(key);
    await this.tools.resources.deleteOtherKinds(this.lease, [...wanted.keys()]);
    for (const [key, kind] of wanted)
      if (!this.kinds.has(key)) this.kinds.set(key, new KindWatch(kind, this, this.timing));
  }

  private async saveState(): Promise<void> {
    this.reportAt = Infinity;
    const watches = [...this.kinds.values()];
    const isSettled = watches.length > 0 && watches.every((watch) => watch.isSettled);
    await this.tools.watches.saveState(this.lease, {
      status: this.error !== null ? 'failing' : isSettled ? 'watching' : 'starting',
      error: this.error,
      kinds: watches.filter(({ missing }) => missing === null).length,
      missing: watches.flatMap(({ missing }) => (missing ? [missing] : [])),
      isSynced: this.error === null && isSettled,
    });
  }
}

function isWatchable(kind: ResourceKind): boolean {
  const watches = kind.verbs.includes('list') && kind.verbs.includes('watch');
  return kind.preferred && watches && isWatchedKind(kind);
}
