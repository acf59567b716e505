import { type Outbound } from '../../core/outbound/outbound.service.js';
import { type ClusterAccess } from './cluster-access.js';
import { type TaskRunner } from '../../core/workers/task.js';
import { ClusterClient } from './cluster-client.js';
import { type ClusterHooks, type ClusterLimits } from './cluster-transport.js';

interface CachedClient {
  revision: string;
  client: ClusterClient;
  usedAt: number;
}

/** Caches clients of connections while they are used and their credential does not change. */
export class ClusterClients {
  private readonly cache = new Map<string, CachedClient>();

  constructor(
    private readonly outbound: Outbound,
    private readonly tasks: TaskRunner,
    private readonly settings: { limits?: Partial<ClusterLimits>; max?: number } & Pick<ClusterHooks, 'onRequest'> = {},
  ) {}

  /**
   * Returns the client of a connection.
   * @param revision changes with the address and the credential of the connection. Running work continues with the
   * client of an earlier revision, whose idle sockets then close.
   * @param access called only to create a client, so that the secret is not decrypted for every call
   * @param onAnswer called whenever the cluster has authorized a request that is not public
   */
  async get(
    connection: string,
    revision: string,
    access: () => ClusterAccess | Promise<ClusterAccess>,
    onAnswer?: () => void,
  ): Promise<ClusterClient> {
    const found = this.cache.get(connection);
    if (found?.revision === revision) {
      found.usedAt = performance.now();
      return found.client;
    }
    const { limits, onRequest } = this.settings;
    const client = new ClusterClient(await access(), this.outbound, this.tasks, limits, { onAnswer, onRequest });
    const current = this.cache.get(connection);
    if (current?.revision === revision) {
      await client.close();
      return current.client;
    }
    this.cache.set(connection, { revision, client, usedAt: performance.now() });
    this.evictOldest();
    return client;
  }

  /** Closes the client of a deleted connection, and aborts its requests. */
  async evict(connection: string): Promise<void> {
    const found = this.cache.get(connection);
    this.cache.delete(connection);
    await found?.client.close();
  }

  async close(): Promise<void> {
    await Promise.all([...this.cache.keys()].map((connection) => this.evict(connection)));
  }

  private evictOldest(): void {
    if (this.cache.size <= (this.settings.max ?? 500)) return;
    const [oldest] = [...this.cache].sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest) this.cache.delete(oldest[0]);
  }
}
