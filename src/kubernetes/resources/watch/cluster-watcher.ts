import { setTimeout as sleep } from 'node:timers/promises';
import { backoff } from '../../../core/backoff.js';
import type { ClusterClient } from '../../clusters/cluster-client.js';
import { ClusterError } from '../../clusters/cluster-error.js';
import type { ResourceChanges } from '../resource-changes.js';
import type { Resync } from './cluster-watch.entity.js';
import type { ClusterWatchesStore } from './cluster-watches.store.js';
import { EventRateLimiter } from './event-rate-limiter.js';
import { type KindSink, type KindWatch, WATCH_TIMING, type WatchTiming } from './kind-watch.js';
import { KindWatches } from './kind-watches.js';
import { Semaphore } from './semaphore.js';
import type { WatchedNamespaces } from './watched-namespaces.js';
import { type WatchedResourcesStore, type WatchLease, WatchLeaseLost } from './watched-resources.store.js';

/** Shared dependencies of all watchers in a process. */
export interface WatcherTools {
  watches: ClusterWatchesStore;
  resources: WatchedResourcesStore;
  changes: ResourceChanges;
  /** Limits concurrent lists across all clusters. */
  lists: Semaphore;
  namespaces: WatchedNamespaces;
  /** The maximum number of stored objects per cluster. */
  maxResources: number;
  timing?: WatchTiming;
}

/** Opens a client with the current address and credential for one session, which closes it. */
export type OpenClient = () => Promise<ClusterClient>;

/** Kinds whose objects define other kinds. */
const DEFINING = new Set(['CustomResourceDefinition', 'APIService']);
const DISCOVERY_DELAY_MS = 500;
const DISCOVERY_INTERVAL_MS = 600_000;
/** The maximum number of concurrent lists per cluster. */
const LISTS_AT_ONCE = 3;
const REPORT_DELAY_MS = 500;
/** The minimum interval between checks of the cluster itself after faults of its watches. */
const CLUSTER_CHECK_DELAY_MS = 2_000;
/** The interval of updating the namespaces of kinds that may not be listed in all namespaces. */
const NARROW_INTERVAL_MS = 15_000;
/** A session that lasts this long resets the back-off. */
const BACKOFF_RESET_MS = 30_000;

/** Stores all objects of one cluster while its lease is held: one watch per kind. Failures are retried with back-off. */
export class ClusterWatcher implements KindSink {
  private readonly stopping = new AbortController();
  private readonly kinds: KindWatches;
  private readonly pacing = new EventRateLimiter();
  private readonly lists = new Semaphore(LISTS_AT_ONCE);
  private session = new AbortController();
  private client: ClusterClient | null = null;
  private resync: Resync | null = null;
  private error: string | null = null;
  private discoverAt = Infinity;
  private narrowAt = Infinity;
  private nextCheckAt = Infinity;
  private checkedAt = -Infinity;
  private reportAt = Infinity;
  private readonly timing: WatchTiming;

  constructor(
    readonly lease: WatchLease,
    private clusterUid: string | null,
    private readonly openClient: OpenClient,
    private readonly tools: WatcherTools,
  ) {
    this.timing = tools.timing ?? WATCH_TIMING;
    this.kinds = new KindWatches(lease, tools, this, this.timing);
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
        failures = performance.now() - startedAt > BACKOFF_RESET_MS ? 1 : failures + 1;
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

  /** Starts a new session, after the credential changed or for a resync. */
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

  async sweep(...[kind, uids, namespace]: Parameters<KindSink['sweep']>): Promise<void> {
    await this.tools.changes.publish(await this.tools.resources.sweep(this.lease, kind, uids, namespace));
  }

  hasRoomFor(asking: KindWatch, count: number): boolean {
    return this.kinds.countOthers(asking) + count <= this.tools.maxResources;
  }

  pace(): number {
    return this.pacing.take();
  }

  /** Waits for a slot of its own cluster first, so that no cluster occupies the shared slots. */
  withListSlot<T>(list: () => Promise<T>): Promise<T> {
    return this.lists.run(() => this.tools.lists.run(list));
  }

  report(): void {
    this.reportAt = Math.min(this.reportAt, performance.now() + REPORT_DELAY_MS);
  }

  requestClusterCheck(): void {
    this.nextCheckAt = Math.min(this.nextCheckAt, Math.max(performance.now(), this.checkedAt + CLUSTER_CHECK_DELAY_MS));
  }

  /** Watches all kinds until a failure concerns the whole cluster, or the session is aborted. */
  private async runSession(): Promise<void> {
    this.session = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, this.session.signal]);
    const client = await this.openClient();
    this.client = client;
    const running = new Map<KindWatch, { stop: AbortController; done: Promise<void> }>();
    let failure: Error | null = null;
    /** Aligns the running watches with the kinds to watch. */
    const reconcile = (): void => {
      const wanted = new Set(this.kinds.all);
      for (const [watch, { stop }] of running)
        if (!wanted.has(watch)) {
          stop.abort();
          running.delete(watch);
        }
      for (const watch of wanted) {
        if (running.has(watch)) continue;
        const stop = new AbortController();
        const done = watch.run(client, AbortSignal.any([signal, stop.signal])).catch((error: unknown) => {
          failure ??= error as Error;
          this.session.abort();
        });
        running.set(watch, { stop, done });
      }
    };
    try {
      await this.prepare(client);
      this.discoverAt = 0;
      while (!signal.aborted) {
        if (performance.now() >= this.discoverAt) {
          this.discoverAt = performance.now() + DISCOVERY_INTERVAL_MS;
          this.requestClusterCheck();
          await this.kinds.discover(client);
          this.error = null;
          this.narrowAt = performance.now();
          this.report();
        }
        if (performance.now() >= this.nextCheckAt) await this.checkCluster(client);
        if (performance.now() >= this.narrowAt) {
          await this.kinds.narrow(client);
          this.narrowAt = performance.now() + (this.kinds.isSettled ? NARROW_INTERVAL_MS : REPORT_DELAY_MS);
        }
        reconcile();
        if (performance.now() >= this.reportAt) await this.saveState();
        await sleep(100, undefined, { signal }).catch(() => undefined);
      }
    } catch (error) {
      failure ??= error as Error;
    } finally {
      this.session.abort();
      await client.close();
      await Promise.all([...running.values()].map(({ done }) => done));
      this.client = null;
    }
    if (failure) throw failure;
  }

  /** Executes a requested resync, and deletes the stored objects when the address leads to a different cluster. */
  private async prepare(client: ClusterClient): Promise<void> {
    const uid = await this.findClusterUid(client);
    const isAnother = uid !== null && this.clusterUid !== null && uid !== this.clusterUid;
    const { resync } = this;
    this.resync = null;
    if (resync || isAnother || uid === null) this.kinds.reset();
    if (resync === 'discover' || isAnother) this.kinds.clear();
    if (resync === 'clear' || resync === 'discover' || isAnother) {
      await this.tools.resources.deleteAll(this.lease.connectionId);
      await this.tools.watches.reset(this.lease);
    }
    if (uid === null || uid === this.clusterUid) return;
    this.clusterUid = uid;
    await this.tools.watches.saveClusterUid(this.lease, uid);
  }

  /** Returns the uid of kube-system, which identifies the cluster; null when reading it is forbidden. */
  private async findClusterUid(client: ClusterClient): Promise<string | null> {
    const kind = await client.findKind('v1', 'Namespace');
    try {
      return (kind && (await client.lookup(kind, 'kube-system'))?.metadata.uid) ?? null;
    } catch (error) {
      if (error instanceof ClusterError && error.kind === 'forbidden') return null;
      throw error;
    }
  }

  /**
   * Checks that the cluster responds and is the same; the next session deletes the objects of a different one.
   * @throws ClusterError
   */
  private async checkCluster(client: ClusterClient): Promise<void> {
    this.nextCheckAt = Infinity;
    this.checkedAt = performance.now();
    const uid = await this.findClusterUid(client);
    if (uid !== null && this.clusterUid !== null && uid !== this.clusterUid)
      throw new ClusterError('failed', 'A different cluster responds at this address');
  }

  private discoverSoon(): void {
    this.discoverAt = Math.min(this.discoverAt, performance.now() + DISCOVERY_DELAY_MS);
  }

  private async saveState(): Promise<void> {
    this.reportAt = Infinity;
    const { isSettled, count, missing } = this.kinds;
    await this.tools.watches.saveState(this.lease, {
      status: this.error !== null ? 'failing' : isSettled ? 'watching' : 'starting',
      error: this.error,
      kinds: count,
      missing,
      isSynced: this.error === null && isSettled,
    });
  }
}
