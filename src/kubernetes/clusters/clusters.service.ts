import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ConnectionSecretsService } from '../../connections/connection-secrets.service.js';
import type { Connection } from '../../connections/connection.entity.js';
import { isUnreached } from '../../connections/connection-status.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { Actor } from '../../core/access/actor.js';
import { runAsSystem } from '../../core/database/row-security.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { isDatabaseOutage } from '../../core/errors/database-outage.js';
import { Outbound } from '../../core/outbound/outbound.service.js';
import { Metrics } from '../../core/telemetry/metrics.service.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import type { ClusterAccess } from './cluster-access.js';
import { ClusterClient } from './cluster-client.js';
import { ClusterClients } from './cluster-clients.js';
import { type ClusterHooks, type ClusterLimits } from './cluster-transport.js';
import { toClusterAccess } from './kubernetes-connection-kind.js';

const REASON = 'the connection of a cluster';

/** Provides the client of a connection to a cluster; after a change of address or credential, the next call creates a new one. */
@Injectable()
export class ClustersService implements OnApplicationShutdown {
  private readonly clients: ClusterClients;
  private readonly onRequest: ClusterHooks['onRequest'];
  private readonly logger = new Logger(ClustersService.name);

  constructor(
    private readonly outbound: Outbound,
    private readonly secrets: ConnectionSecretsService,
    private readonly connections: ConnectionsService,
    private readonly unit: UnitOfWork,
    private readonly pool: WorkerPool,
    { clusterRequests }: Metrics,
  ) {
    this.onRequest = (outcome, seconds) => clusterRequests.observe({ outcome }, seconds);
    this.clients = new ClusterClients(outbound, pool, { onRequest: this.onRequest });
  }

  async getClient(connection: Connection): Promise<ClusterClient> {
    const { metadata, secret, revision } = await this.secrets.reveal(connection);
    return this.clients.get(
      connection.id,
      revision,
      () => toClusterAccess(metadata, secret),
      isUnreached(connection.status) ? this.onFirstResponse(connection.id) : undefined,
    );
  }

  /** Returns the current address and authentication of a connection, with its secret. */
  async getAccess(connectionId: string): Promise<ClusterAccess> {
    const connection = await this.connections.get(Actor.system(REASON), connectionId);
    const { metadata, secret } = await this.secrets.reveal(connection);
    return toClusterAccess(metadata, secret);
  }

  /**
   * Creates a client for connections that share an access, for instance for a watch; the caller closes it. A connection whose
   * access was changed meanwhile, or cannot be decrypted, is neither used nor marked as connected.
   * @param isShared whether an access is the one that they share
   * @throws Error when none of them has this access any more
   */
  async openSharedClient(
    connections: readonly { connectionId: string; unreached: unknown }[],
    isShared: (access: ClusterAccess) => boolean,
    limits?: Partial<ClusterLimits>,
  ): Promise<ClusterClient> {
    const findShared = async (connectionId: string): Promise<ClusterAccess | undefined> => {
      const access = await this.getAccess(connectionId).catch((error: unknown) => {
        if (isDatabaseOutage(error)) throw error;
        return undefined;
      });
      return access && isShared(access) ? access : undefined;
    };
    const notes = connections.flatMap(({ connectionId, unreached }) =>
      unreached === null ? [] : this.onFirstResponse(connectionId, async () => Boolean(await findShared(connectionId))),
    );
    for (const { connectionId } of connections) {
      const access = await findShared(connectionId);
      if (access)
        return this.createTemporaryClient(
          access,
          limits,
          notes.length > 0 ? () => notes.forEach((note) => note()) : undefined,
        );
    }
    throw new Error('No connection has this access any more, or its credential cannot be decrypted');
  }

  /** Creates a client for a single attempt; the caller closes it. */
  createTemporaryClient(
    access: ClusterAccess,
    limits?: Partial<ClusterLimits>,
    onAnswer?: ClusterHooks['onAnswer'],
  ): ClusterClient {
    return new ClusterClient(access, this.outbound, this.pool, limits, { onRequest: this.onRequest, onAnswer });
  }

  evict(connectionId: string): Promise<void> {
    return this.clients.evict(connectionId);
  }

  /**
   * Marks a disconnected connection as connected when its cluster responds, without a ping; the changed status
   * creates a new client on the next call.
   * @param isStill whether the response is still one to the access of the connection
   */
  private onFirstResponse(id: string, isStill = (): Promise<boolean> => Promise.resolve(true)): () => void {
    let isNoted = false;
    return () => {
      if (isNoted) return;
      isNoted = true;
      const noted = this.unit.runOutside(() =>
        runAsSystem(REASON, async () => {
          if (await isStill()) await this.connections.markReached(Actor.system(REASON), id);
        }),
      );
      noted.catch((error: unknown) => this.logger.warn(error, `the status of the connection ${id} was not changed`));
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.clients.close();
  }
}
