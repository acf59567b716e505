import { Injectable } from '@nestjs/common';
import { Connection } from '../../connections/connection.entity.js';
import { assertCallable } from '../../connections/connection-status.js';
import { ConnectionsStore } from '../../connections/connections.store.js';
import { Actor } from '../../core/access/actor.js';
import { runAsSystem } from '../../core/database/row-security.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import { DesignsStore } from '../../designs/designs.store.js';
import { DesignContentsStore } from '../../designs/contents/design-contents.store.js';
import { ClustersService } from '../../kubernetes/clusters/clusters.service.js';
import type { ClusterClient } from '../../kubernetes/clusters/cluster-client.js';
import type { ClusterLimits } from '../../kubernetes/clusters/cluster-transport.js';
import type { Owner } from '../plan/owner.js';
import type { DesiredResource } from '../plan/planned-resource.js';

const SYSTEM = Actor.system('deployment');

/** Provides the inputs of plans and runs: the resources of a version, the client of a cluster, and the owner of the objects. */
@Injectable()
export class DeploymentContextService {
  private installation?: Promise<string>;

  constructor(
    private readonly designs: DesignsStore,
    private readonly contents: DesignContentsStore,
    private readonly connections: ConnectionsStore,
    private readonly clusters: ClustersService,
    private readonly unit: UnitOfWork,
  ) {}

  /** The desired resources of one version of a design; large designs are read in a worker. */
  async readResources(designId: string, version: number): Promise<DesiredResource[]> {
    const design = await this.designs.find(SYSTEM, designId);
    if (!design) throw new NotFound('design', designId);
    return this.contents.readResources(design, version);
  }

  /** The client uses the credential of the connection, which users who may deploy cannot see. */
  getClient(connectionId: string): Promise<ClusterClient> {
    return runAsSystem('deployment', async () => this.clusters.getClient(await this.getConnection(connectionId)));
  }

  /** A client with sockets of its own, for what keeps them; the caller closes it. */
  openClient(connectionId: string, limits: Partial<ClusterLimits>): Promise<ClusterClient> {
    return runAsSystem('deployment', async () =>
      this.clusters.createTemporaryClient(await this.clusters.getAccess(connectionId), limits),
    );
  }

  /** As `getClient`, for work that no user requested. @throws Conflict ILLEGAL_STATUS when the status of the connection forbids calls */
  getCallableClient(connectionId: string): Promise<ClusterClient> {
    return runAsSystem('deployment', async () => {
      const connection = await this.getConnection(connectionId);
      assertCallable(connection.status);
      return this.clusters.getClient(connection);
    });
  }

  async getOwner(at: { designId: string; environmentId: string }, connectionId: string): Promise<Owner> {
    return {
      installation: await this.getInstallationId(),
      design: at.designId,
      environment: at.environmentId,
      connection: connectionId,
    };
  }

  private async getConnection(id: string): Promise<Connection> {
    const connection = await this.connections.find(SYSTEM, id);
    if (!connection) throw new NotFound('connection', id);
    return connection;
  }

  private getInstallationId(): Promise<string> {
    this.installation ??= this.unit.manager
      .query<{ id: string }[]>('SELECT id FROM installation')
      .then(([row]) => row?.id ?? Promise.reject(new Error('the installation has no id')))
      .catch((error: unknown) => {
        // The next deployment tries again after an error.
        this.installation = undefined;
        throw error;
      });
    return this.installation;
  }
}
