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

/** The clients of connections, each kept while it is used and its credential is the same. */
export class ClusterClients {
  private readonly cache = new Map<string, CachedClient>();

  constructor(
    private readonly outbound: Outbound,
    private readonly tasks: TaskRunner,
    private readonly settings: { limits?: Partial<ClusterLimits>; max?: number } & Pick<ClusterHooks, 'onRequest'> = {},
  ) {}

  /**
   * The client of a connection.
   * @param revision changes whenever the connection's address or credential does. The client of an earlier revision is let go:
   *   work that runs with it ends as it began, and its idle sockets close by themselves.
   * @param access is asked for only when a client has to be made, so that a secret is not opened for every call.
   * @param onAnswer is called whenever the cluster has granted a request of a known caller.
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

  /** Closes the client of a deleted connection at once, running requests too. */
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
