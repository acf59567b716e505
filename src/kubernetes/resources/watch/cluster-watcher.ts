import { setTimeout as sleep } from 'node:timers/promises';
import { backoff } from '../../../core/backoff.js';
import { TokenBucket } from '../../../core/token-bucket.js';
import { WakeSignal } from '../../../jobs/wake-signal.js';
import type { ClusterClient } from '../../clusters/cluster-client.js';
import { findClusterUid } from '../../clusters/cluster-identity.js';
import { ClusterError } from '../../clusters/cluster-error.js';
import type { ResourceKind } from '../../clusters/discovery.js';
import type { ResourceChanges } from '../resource-changes.js';
import type { Resync } from './cluster-watch.entity.js';
import type { ClusterWatchesStore, WatchedConnection } from './cluster-watches.store.js';
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

/** Opens a client with the access that the connections share for one session, which closes it. */
export type OpenClient = (connections: readonly WatchedConnection[]) => Promise<ClusterClient>;

/** Kinds whose objects define other kinds. */
const DEFINING = new Set(['CustomResourceDefinition', 'APIService']);
const DISCOVERY_DELAY_MS = 500;
const DISCOVERY_INTERVAL_MS = 600_000;
/** The maximum number of concurrent lists per cluster. */
const LISTS_AT_ONCE = 3;
/** The events of one cluster, at once and per second, so that its changes do not occupy this process. */
const EVENT_BURST = 2_000;
const EVENTS_PER_SECOND = 2_000;
const REPORT_DELAY_MS = 500;
/** The minimum interval between checks of the cluster itself after faults of its watches. */
const CLUSTER_CHECK_DELAY_MS = 2_000;
/** The interval of updating the namespaces of kinds that may not be listed in all namespaces. */
const NARROW_INTERVAL_MS = 15_000;
/** A session that lasts this long resets the back-off. */
const BACKOFF_RESET_MS = 30_000;

/**
 * Stores all objects of one cluster, for each connection with this access, while the lease is held: one watch per kind.
 * Failures are retried with back-off.
 */
export class ClusterWatcher implements KindSink {
  private readonly stopping = new AbortController();
  private readonly lease: WatchLease;
  private readonly kinds: KindWatches;
  private readonly events = new TokenBucket(EVENT_BURST, EVENTS_PER_SECOND);
  private readonly lists = new Semaphore(LISTS_AT_ONCE);
  private session = new AbortController();
  /** Connections whose stored objects are those that the watches know. */
  private readonly filled = new Set<string>();
  /** Connections of which something may be stored that an earlier access was shown, and the present one is not. */
  private readonly unverified = new Set<string>();
  private readonly resyncs = new Map<string, Resync>();
  private clusterUid: string | null = null;
  private error: string | null = null;
  private discoverAt = Infinity;
  private narrowAt = Infinity;
  private nextCheckAt = Infinity;
  private checkedAt = -Infinity;
  private reportAt = Infinity;
  /** Notified when something is due earlier than before. */
  private readonly due = new WakeSignal();
  private readonly timing: WatchTiming;

  constructor(
    holder: Omit<WatchLease, 'connectionIds'>,
    private connections: readonly WatchedConnection[],
    private readonly openClient: OpenClient,
    private readonly tools: WatcherTools,
  ) {
    this.lease = { ...holder, connectionIds: this.connectionIds };
    this.timing = tools.timing ?? WATCH_TIMING;
    this.kinds = new KindWatches(this.lease, tools, this, this.timing);
    for (const one of connections) this.join(one);
  }

  get connectionIds(): string[] {
    return this.connections.map(({ connectionId }) => connectionId);
  }

  get isStopped(): boolean {
    return this.stopping.signal.aborted;
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
        if (error instanceof ClusterError) await this.deleteUnverified().catch(() => undefined);
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

  /** Sets the connections. A new one, and what changes the session, starts a new session, which resumes the watches. */
  update(connections: readonly WatchedConnection[]): void {
    const known = new Map(this.connections.map((one) => [one.connectionId, one]));
    const isChanged = connections.some((one) => {
      const before = known.get(one.connectionId);
      return (
        !before ||
        one.isClaimed ||
        one.resync ||
        one.namespace !== before.namespace ||
        (one.unreached !== null && one.unreached !== before.unreached)
      );
    });
    const current = new Set(connections.map(({ connectionId }) => connectionId));
    for (const id of [...this.filled, ...this.unverified]) if (!current.has(id)) this.leave(id);
    for (const one of connections) if (one.isClaimed) this.join(one);
    for (const { connectionId, resync } of connections) if (resync) this.resyncs.set(connectionId, resync);
    this.connections = connections;
    if (isChanged) this.session.abort();
  }

  async upsert(...[kind, rows, place]: Parameters<KindSink['upsert']>): Promise<void> {
    const { resources, changes } = this.tools;
    if (rows.length > 0 && DEFINING.has(kind.kind)) this.discoverSoon();
    await changes.publish(await resources.upsert(this.lease, kind, rows, place));
  }

  async delete(...[kind, objects, place]: Parameters<KindSink['delete']>): Promise<void> {
    const { resources, changes } = this.tools;
    if (objects.length > 0 && DEFINING.has(kind.kind)) this.discoverSoon();
    await changes.publish(await resources.delete(this.lease, kind, objects, place));
  }

  findStored(...[kind, place]: Parameters<KindSink['findStored']>): ReturnType<KindSink['findStored']> {
    return this.tools.resources.findStored(this.lease, kind, place);
  }

  async sweep(...[kind, gone, place]: Parameters<KindSink['sweep']>): Promise<void> {
    if (!place) this.kinds.noteListed(kind);
    await this.delete(kind, gone, place);
  }

  async deleteUnseen(kind: ResourceKind): Promise<void> {
    for (const connectionId of this.heldOf(this.unverified)) await this.kinds.deleteOutside(kind, connectionId);
  }

  hasRoomFor(asking: KindWatch, count: number): boolean {
    return this.kinds.countOthers(asking) + count <= this.tools.maxResources;
  }

  pace(): number {
    return this.events.take();
  }

  /** Waits for a slot of its own cluster first, so that no cluster occupies the shared slots. */
  withListSlot<T>(list: () => Promise<T>): Promise<T> {
    return this.lists.run(() => this.tools.lists.run(list));
  }

  report(): void {
    this.reportAt = Math.min(this.reportAt, performance.now() + REPORT_DELAY_MS);
    this.due.notify();
  }

  requestClusterCheck(): void {
    this.nextCheckAt = Math.min(this.nextCheckAt, Math.max(performance.now(), this.checkedAt + CLUSTER_CHECK_DELAY_MS));
    this.due.notify();
  }

  /** Watches all kinds until a failure concerns the whole cluster, or the session is aborted. */
  private async runSession(): Promise<void> {
    this.session = new AbortController();
    const signal = AbortSignal.any([this.stopping.signal, this.session.signal]);
    signal.addEventListener('abort', () => this.due.notify(), { once: true });
    const { connections } = this;
    this.lease.connectionIds = this.connectionIds;
    const client = await this.openClient(connections);
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
      await this.prepare(client, connections);
      this.discoverAt = 0;
      while (!signal.aborted) {
        if (performance.now() >= this.discoverAt) {
          this.discoverAt = performance.now() + DISCOVERY_INTERVAL_MS;
          this.requestClusterCheck();
          await this.kinds.discover(client, this.heldOf(this.unverified));
          this.error = null;
          this.narrowAt = performance.now();
          this.report();
        }
        if (performance.now() >= this.nextCheckAt) await this.checkCluster(client);
        if (performance.now() >= this.narrowAt) {
          await this.kinds.narrow(connections);
          this.narrowAt = performance.now() + (this.kinds.isSettled ? NARROW_INTERVAL_MS : REPORT_DELAY_MS);
        }
        reconcile();
        if (performance.now() >= this.reportAt) await this.saveState();
        await this.waitUntilDue(signal);
      }
    } catch (error) {
      failure ??= error as Error;
    } finally {
      this.session.abort();
      await client.close();
      await Promise.all([...running.values()].map(({ done }) => done));
    }
    if (failure) throw failure;
  }

  /**
   * Executes requested resyncs, deletes the stored objects where the address leads to a different cluster, and fills new
   * connections from one that is watched already.
   */
  private async prepare(client: ClusterClient, connections: readonly WatchedConnection[]): Promise<void> {
    const { watches, resources } = this.tools;
    const uid = await findClusterUid(client);
    const isAnother = ({ clusterUid }: WatchedConnection): boolean =>
      uid !== null && clusterUid !== null && clusterUid !== uid;
    const resyncs = [...this.resyncs.values()];
    const cleared = connections.filter(
      (one) => isAnother(one) || !['list', undefined].includes(this.resyncs.get(one.connectionId)),
    );
    if (resyncs.length > 0 || cleared.length > 0 || uid === null) this.kinds.reset();
    if (resyncs.includes('discover') || connections.some(isAnother)) this.kinds.clear();
    this.resyncs.clear();
    for (const { connectionId } of cleared) {
      if (await watches.reset(connectionId, this.lease)) await resources.deleteAll(connectionId);
      this.unverified.delete(connectionId);
    }
    await this.fillNew(connections);
    this.clusterUid = uid ?? this.clusterUid;
    if (uid === null) return;
    for (const one of connections) {
      if (one.clusterUid === uid) continue;
      await watches.saveClusterUid(one.connectionId, this.lease, uid);
      one.clusterUid = uid;
    }
  }

  /** Fills connections that joined from one that is watched already; without one, everything is listed. */
  private async fillNew(connections: readonly WatchedConnection[]): Promise<void> {
    const joined = connections.map((one) => one.connectionId).filter((id) => !this.filled.has(id));
    const [source] = this.filled;
    for (const id of joined) {
      this.kinds.forget(id);
      if (!(await this.fill(id, source))) this.kinds.reset();
    }
    for (const id of joined) this.filled.add(id);
  }

  /** @returns whether the objects of all listed kinds were copied */
  private async fill(connectionId: string, source: string | undefined): Promise<boolean> {
    if (source === undefined) return false;
    for (const kind of this.kinds.listed) {
      const changes = await this.tools.resources.copy(this.lease, kind, source, connectionId);
      if (!changes) return false;
      await this.tools.changes.publish(changes);
    }
    return true;
  }

  private join({ connectionId, isSynced }: WatchedConnection): void {
    this.leave(connectionId);
    if (!isSynced) this.unverified.add(connectionId);
  }

  private leave(connectionId: string): void {
    this.filled.delete(connectionId);
    this.unverified.delete(connectionId);
  }

  private heldOf(connectionIds: ReadonlySet<string>): string[] {
    return this.lease.connectionIds.filter((id) => connectionIds.has(id));
  }

  /** Deletes what is stored of connections to which the cluster has shown nothing yet with their present access. */
  private async deleteUnverified(): Promise<void> {
    const { watches, resources } = this.tools;
    for (const id of this.heldOf(this.unverified)) {
      if (await watches.reset(id, this.lease)) await resources.deleteAll(id);
      this.leave(id);
    }
  }

  /**
   * Checks that the cluster responds and is the same; the next session deletes the objects of a different one.
   * @throws ClusterError
   */
  private async checkCluster(client: ClusterClient): Promise<void> {
    this.nextCheckAt = Infinity;
    this.checkedAt = performance.now();
    const uid = await findClusterUid(client);
    if (uid !== null && this.clusterUid !== null && uid !== this.clusterUid)
      throw new ClusterError('failed', 'A different cluster responds at this address');
  }

  private discoverSoon(): void {
    this.discoverAt = Math.min(this.discoverAt, performance.now() + DISCOVERY_DELAY_MS);
    this.due.notify();
  }

  /** Waits until something of the session is due, or it is aborted. */
  private async waitUntilDue(signal: AbortSignal): Promise<void> {
    const at = Math.min(this.discoverAt, this.nextCheckAt, this.narrowAt, this.reportAt);
    if (!signal.aborted) await this.due.wait(Math.max(0, at - performance.now()));
  }

  private async saveState(): Promise<void> {
    this.reportAt = Infinity;
    const { isSettled, isDecided } = this.kinds;
    const isCurrent = !this.session.signal.aborted && this.error === null;
    if (isCurrent && isDecided) for (const id of this.heldOf(this.unverified)) this.unverified.delete(id);
    for (const connectionId of this.lease.connectionIds)
      await this.tools.watches.saveState(connectionId, this.lease, {
        status: this.error !== null ? 'failing' : isSettled ? 'watching' : 'starting',
        error: this.error,
        kinds: this.kinds.countFor(connectionId),
        missing: this.kinds.listMissing(connectionId),
        isSynced: this.error === null && isSettled && !this.unverified.has(connectionId),
      });
  }
}
