import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ConnectionSecrets } from '../../connections/connection-secrets.js';
import type { Connection } from '../../connections/connection.entity.js';
import { Outbound } from '../../core/outbound/outbound.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import type { ClusterAccess } from './cluster-access.js';
import { ClusterClient } from './cluster-client.js';
import { ClusterClients } from './cluster-clients.js';
import { type ClusterLimits } from './cluster-transport.js';
import { accessOf } from './kubernetes-kind.js';

/** For answers of clusters alone, so that deployments never wait behind imports of others. */
const POOL = { size: 1, timeLimit: 10_000, memory: 512 };

/** Clients of the clusters that connections stand for; a changed address or credential makes a new one with the next call. */
@Injectable()
export class Clusters implements OnApplicationShutdown {
  private readonly pool = new WorkerPool(POOL);
  private readonly clients: ClusterClients;

  constructor(
    private readonly outbound: Outbound,
    private readonly secrets: ConnectionSecrets,
  ) {
    this.clients = new ClusterClients(outbound, this.pool);
  }

  async clientOf(connection: Connection): Promise<ClusterClient> {
    const { secret, revision } = await this.secrets.reveal(connection);
    return this.clients.of(connection.id, revision, () => accessOf(connection.metadata, secret));
  }

  /** A client for one try; the caller closes it. */
  trial(access: ClusterAccess, limits?: Partial<ClusterLimits>): ClusterClient {
    return new ClusterClient(access, this.outbound, this.pool, limits);
  }

  drop(connectionId: string): Promise<void> {
    return this.clients.drop(connectionId);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.clients.close();
    await this.pool.close();
  }
}
