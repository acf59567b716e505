import { hkdfSync } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Env } from '../../../core/config/env.js';
import { runAsSystem } from '../../../core/database/row-security.js';
import { isDatabaseOutage } from '../../../core/errors/database-outage.js';
import { Lease } from '../../../core/leases/lease.js';
import { type Leased, LeaseKeeper, type LeaseWatch } from '../../../core/leases/lease-keeper.service.js';
import { WorkerPresence } from '../../../core/leases/worker-presence.js';
import { digestAccess } from '../../clusters/access-digest.js';
import { ClustersService } from '../../clusters/clusters.service.js';
import { ResourceChanges } from '../resource-changes.js';
import { ClusterWatcher, type WatcherTools } from './cluster-watcher.js';
import { ClusterWatchesStore, type WatchedConnection } from './cluster-watches.store.js';
import { Semaphore } from './semaphore.js';
import { WatchedNamespaces } from './watched-namespaces.js';
import { WatchedResourcesStore } from './watched-resources.store.js';

const REASON = 'a watch of a cluster';
/** When the host of a process is lost, another takes over within this time plus a heartbeat. */
const LEASE_MS = 10_000;
const HEARTBEAT_MS = 2_500;
/** The maximum number of clusters that a process claims per heartbeat, so that replicas share them. */
const MAX_CLAIMED = 4;
const MAX_WATCHES = 200;
/** The maximum number of access digests that are computed per heartbeat. */
const MAX_DIGESTED = 25;
/** The maximum number of concurrent lists across all clusters. */
const LISTS_AT_ONCE = 16;
/** Each kind is watched over its own connection. */
const LIMITS = { connections: 520, answerTimeoutMs: 30_000, attempts: 2 };

/** A connection whose cluster this process watches. */
interface HeldConnection extends Leased {
  connectionId: string;
}

/** Watches each connected cluster on one replica, once for all connections with the same access. */
@Injectable()
export class ClusterWatchesService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(ClusterWatchesService.name);
  /** By connection. */
  private held = new Map<string, HeldConnection>();
  /** The watches of this process by access digest. */
  private readonly running = new Map<string, { watcher: ClusterWatcher; done: Promise<void> }>();
  private readonly tools: WatcherTools;
  private readonly digestKey: Buffer;
  /** Tells digests of this key from those of an earlier one. */
  private readonly keyId: string;
  private timer: NodeJS.Timeout | null = null;
  private beat: Promise<void> | null = null;
  private leases: LeaseWatch | null = null;
  private isStopping = false;

  constructor(
    private readonly watches: ClusterWatchesStore,
    private readonly resources: WatchedResourcesStore,
    private readonly clusters: ClustersService,
    changes: ResourceChanges,
    namespaces: WatchedNamespaces,
    private readonly env: Env,
    private readonly presence: WorkerPresence,
    private readonly keeper: LeaseKeeper,
  ) {
    const secret = env.ENCRYPTION_KEY ?? Buffer.alloc(32);
    this.digestKey = Buffer.from(hkdfSync('sha256', secret, '', 'cluster access', 32));
    this.keyId = Buffer.from(hkdfSync('sha256', secret, '', 'cluster access key', 6)).toString('hex');
    const lists = new Semaphore(LISTS_AT_ONCE);
    this.tools = { watches, resources, changes, namespaces, lists, maxResources: env.LIMIT_CLUSTER_RESOURCES };
  }

  onApplicationBootstrap(): void {
    if (!this.env.CLUSTER_WATCH) return;
    this.timer = setInterval(() => this.wake(), HEARTBEAT_MS);
    this.leases = this.keeper.watch<HeldConnection>({
      table: 'cluster_watch',
      key: { connection_id: 'uuid' },
      hasWorker: true,
      times: { leaseMs: LEASE_MS, heartbeatMs: HEARTBEAT_MS },
      listHeld: () => [...this.held.values()],
      keyOf: ({ connectionId }) => [connectionId],
      lose: (connection) => this.lose(connection),
    });
    this.wake();
  }

  async beforeApplicationShutdown(): Promise<void> {
    if (!this.timer) return;
    this.isStopping = true;
    clearInterval(this.timer);
    await this.beat;
    for (const { watcher } of this.running.values()) watcher.stop();
    await Promise.all([...this.running.values()].map(({ done }) => done));
    this.leases?.stop();
    await runAsSystem(REASON, () => this.watches.release(this.presence.id)).catch(() => undefined);
  }

  /** Claims and releases watches immediately. */
  wake(): void {
    if (!this.timer || this.isStopping) return;
    this.beat ??= runAsSystem(REASON, () => this.heartbeat())
      .catch((error: unknown) => {
        if (!isDatabaseOutage(error)) this.logger.warn(error, 'the watches of clusters could not be claimed');
      })
      .finally(() => (this.beat = null));
  }

  /** A connection that only lost its watch leaves the others of its access at the next heartbeat. */
  private lose({ connectionId, lease }: HeldConnection): void {
    if (lease.isHeld) return;
    for (const { watcher } of this.running.values()) if (watcher.connectionIds.includes(connectionId)) watcher.stop();
  }

  private async heartbeat(): Promise<void> {
    for (const id of await this.watches.reconcile()) await this.end(id);
    await this.digestAccesses();
    const limit = this.isStopping ? 0 : Math.min(MAX_CLAIMED, MAX_WATCHES - this.running.size);
    const askedAt = performance.now();
    const claimed = new Set(
      limit > 0 ? await this.watches.claim(this.presence.id, limit, LEASE_MS, this.keyId) : undefined,
    );
    const connections = await this.watches.listHeld(this.presence.id);
    const leaseOf = (id: string): Lease =>
      (claimed.has(id) ? null : this.held.get(id)?.lease) ?? new Lease(askedAt, LEASE_MS);
    this.held = new Map(
      connections.map(({ connectionId }) => [connectionId, { connectionId, lease: leaseOf(connectionId) }]),
    );
    const groups = new Map<string, WatchedConnection[]>();
    for (const one of connections) {
      const connection = { ...one, isClaimed: claimed.has(one.connectionId) };
      groups.set(one.accessDigest, [...(groups.get(one.accessDigest) ?? []), connection]);
    }
    for (const [digest, { watcher }] of this.running) if (!groups.has(digest)) watcher.stop();
    for (const [digest, connections] of groups) {
      const running = this.running.get(digest)?.watcher;
      if (running?.isStopped === false) running.update(connections);
      else this.start(digest, connections);
    }
  }

  /** Computes the digests of new connections, and of those whose address or credential was changed. */
  private async digestAccesses(): Promise<void> {
    for (const { connectionId, revision } of await this.watches.findChangedAccess(MAX_DIGESTED, this.keyId)) {
      const digest = await this.digest(connectionId).catch((error: unknown) => {
        if (isDatabaseOutage(error)) throw error;
        return null;
      });
      // A connection whose credential cannot be decrypted is watched on its own, and fails on its own.
      await this.watches.saveAccess(connectionId, digest && revision, digest ?? connectionId);
    }
  }

  private async digest(connectionId: string): Promise<string> {
    return digestAccess(this.digestKey, await this.clusters.getAccess(connectionId));
  }

  private start(digest: string, connections: WatchedConnection[]): void {
    const watcher = new ClusterWatcher(
      { worker: this.presence.id, accessDigest: digest },
      connections,
      (current) =>
        this.clusters.openSharedClient(current, (access) => digestAccess(this.digestKey, access) === digest, LIMITS),
      this.tools,
    );
    const previous = this.running.get(digest)?.done ?? Promise.resolve();
    const done = previous
      .then(() => runAsSystem(REASON, () => watcher.run()))
      .catch((error: unknown) => this.logger.error(error, `the watch of ${watcher.connectionIds.join()} has failed`))
      .finally(() => {
        if (this.running.get(digest)?.watcher === watcher) this.running.delete(digest);
      });
    this.running.set(digest, { watcher, done });
  }

  /** Deletes the watch of a connection that is no longer connected, and its stored objects. */
  private async end(connectionId: string): Promise<void> {
    await this.watches.revoke(connectionId);
    await this.resources.deleteAll(connectionId);
    await this.watches.remove(connectionId);
  }
}
