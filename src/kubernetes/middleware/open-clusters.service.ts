import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import type { Connection } from '../../connections/connection.entity.js';
import { connectionPolicy } from '../../connections/connection.policy.js';
import { assertCallable } from '../../connections/connection-status.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { ConnectionsStore } from '../../connections/connections.store.js';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AppError, InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import type { ClusterClient } from '../clusters/cluster-client.js';
import { ClustersService } from '../clusters/clusters.service.js';

/** A cluster that the caller may access and that was reachable a moment ago. */
export interface OpenCluster {
  connection: Connection;
  client: ClusterClient;
}

/** The maximum number of clusters per call. */
const MAX_CLUSTERS = 20;
/** How long a cluster counts as reachable after a response. */
const ANSWERED_TTL_MS = 5_000;

/** Opens the clusters of a call: loads each connection as visible to the caller, checks the permission, and pings the cluster. */
@Injectable()
export class OpenClustersService {
  private readonly answeredAt = new WeakMap<ClusterClient, number>();

  constructor(
    private readonly connections: ConnectionsService,
    private readonly store: ConnectionsStore,
    private readonly clusters: ClustersService,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * @param ids of connections; when empty, all connected clusters that the actor may see
   * @throws NotFound, Forbidden, InvalidRequest for a connection of another kind, Conflict ILLEGAL_STATUS,
   * ClusterError when a cluster is unreachable
   */
  async open(
    actor: Actor,
    ids: readonly string[],
    operation: Operation = connectionPolicy.read,
  ): Promise<OpenCluster[]> {
    const connections = ids.length > 0 ? await this.find(actor, [...new Set(ids)]) : await this.listConnected(actor);
    for (const connection of connections) await this.connections.authorize(actor, operation, connection.id);
    for (const { status, kind } of connections) {
      assertCluster(kind);
      assertCallable(status);
    }
    return Promise.all(connections.map((connection) => this.connect(connection)));
  }

  /** Opens one cluster without a ping. @throws as `open`, except ClusterError */
  async get(actor: Actor, id: string, operation: Operation = connectionPolicy.read): Promise<OpenCluster> {
    await this.connections.authorize(actor, operation, id);
    const connection = await this.connections.get(actor, id);
    assertCluster(connection.kind, 'id');
    assertCallable(connection.status);
    return { connection, client: await this.getClient(connection) };
  }

  private async find(actor: Actor, ids: string[]): Promise<Connection[]> {
    if (ids.length > MAX_CLUSTERS) throw tooMany();
    const malformed = ids.find((id) => !validate(id));
    if (malformed !== undefined) throw new NotFound('connection', malformed);
    const found = await this.store.findAll(actor, ids);
    return ids.map((id) => {
      const connection = found.get(id.toLowerCase());
      if (!connection) throw new NotFound('connection', id);
      return connection;
    });
  }

  private async listConnected(actor: Actor): Promise<Connection[]> {
    const connections = await this.store.listConnected(actor, 'kubernetes', MAX_CLUSTERS + 1);
    if (connections.length > MAX_CLUSTERS) throw tooMany();
    if (connections.length > 0) return connections;
    throw new AppError(404, 'NOT_FOUND', 'Not found', 'there is no connected cluster that you can see', {
      remedy: 'Register a kubeconfig with POST /api/system/kubernetes, or name a connection.',
    });
  }

  private async connect(connection: Connection): Promise<OpenCluster> {
    const client = await this.getClient(connection);
    if (performance.now() - (this.answeredAt.get(client) ?? -Infinity) > ANSWERED_TTL_MS) {
      await client.ping();
      this.answeredAt.set(client, performance.now());
    }
    return { connection, client };
  }

  /** Users who may see a connection can read through its credential without seeing it. */
  private getClient(connection: Connection): Promise<ClusterClient> {
    return this.unit.runAsSystem('a read through a connection', () => this.clusters.getClient(connection));
  }
}

/**
 * @param parameter what names the connection in the request
 * @throws InvalidRequest CONNECTION_KIND_MISMATCH
 */
export function assertCluster(kind: string, parameter = 'connectionID'): void {
  if (kind === 'kubernetes') return;
  throw new InvalidRequest(`the connection is of kind ${kind}, not kubernetes`, {
    code: 'CONNECTION_KIND_MISMATCH',
    errors: [{ pointer: parameter, detail: `is of kind ${kind}, not kubernetes` }],
    remedy:
      'Name a connection to a cluster: GET /api/integrations/connections?filter={"kind":"kubernetes"} lists them.',
  });
}

const tooMany = (): InvalidRequest =>
  new InvalidRequest(`the request applies to more than ${MAX_CLUSTERS} clusters`, {
    remedy: `Name at most ${MAX_CLUSTERS} connections.`,
  });
