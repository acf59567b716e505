import { Injectable } from '@nestjs/common';
import type { Connection } from '../../connections/connection.entity.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, Forbidden, InvalidRequest } from '../../core/errors/app-error.js';
import { Precondition } from '../../core/rest/precondition.js';
import { JobsService } from '../../jobs/jobs.service.js';
import type { OpenCluster } from '../middleware/open-clusters.service.js';
import type { ClusterStatus } from '../status.enum.js';
import { ControllerInstallation, type ControllerTarget } from './controller-installation.entity.js';
import { ControllerInstallationsStore } from './controller-installations.store.js';
import { CONTROLLERS_QUEUE, type ControllerPayload } from './controller-job.js';
import { adapterInstallation, ControllerManifestsService, OPERATOR } from './manifests/controller-manifests.service.js';
import { parseAdapterPort, resolveAdapterName } from './manifests/adapters.js';

/** Every status except ENABLED removes the controller. */
const toTarget = (status: ClusterStatus): ControllerTarget => (status === 'ENABLED' ? 'enabled' : 'disabled');

/** Accepts requests to deploy or remove the operator or an adapter, and enqueues a job for each. */
@Injectable()
export class ControllersService {
  constructor(
    private readonly installations: ControllerInstallationsStore,
    private readonly manifests: ControllerManifestsService,
    private readonly connections: ConnectionsService,
    private readonly jobs: JobsService,
    private readonly unit: UnitOfWork,
  ) {}

  async changeOperator(actor: Actor, [cluster]: OpenCluster[], status: ClusterStatus): Promise<void> {
    if (cluster) await this.request(actor, cluster.connection, OPERATOR, toTarget(status));
  }

  /** @throws InvalidRequest when there are several clusters, or the adapter or the port is invalid */
  async changeAdapter(
    actor: Actor,
    clusters: OpenCluster[],
    { adapter, port, status }: { adapter: string; port: string; status: ClusterStatus },
  ): Promise<void> {
    const [cluster, another] = clusters;
    if (another)
      throw InvalidRequest.forField(
        '/input/contextID',
        `must name one of the connections ${clusters.map(({ connection }) => connection.id).join(', ')}`,
        'Send the id of the connection as contextID.',
      );
    const name = resolveAdapterName(adapter, this.manifests.adapters);
    const target = toTarget(status);
    const parsed = target === 'enabled' ? parseAdapterPort(port) : undefined;
    if (cluster) await this.request(actor, cluster.connection, adapterInstallation(name), target, parsed);
  }

  /** @throws Conflict IN_USE while a controller is installed through the connection */
  async requireUnused(connectionId: string): Promise<void> {
    const used = await this.unit.runAsSystem('the use of a connection', () =>
      this.installations.listInUse(connectionId),
    );
    if (used.length === 0) return;
    const names = used.map(({ name }) => name);
    throw new Conflict(
      'IN_USE',
      `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} installed through the connection`,
      {
        extensions: { controllers: names },
        remedy: 'Remove them first: changeOperatorStatus and changeAdapterStatus with targetStatus DISABLED.',
      },
    );
  }

  /** Requests a target, unless it is already pending. */
  private async request(
    actor: Actor,
    { id, organizationId }: Connection,
    name: string,
    target: ControllerTarget,
    port: number | null = null,
  ): Promise<void> {
    const requestedBy = actor.userId;
    if (!requestedBy) throw new Forbidden('only users change controllers', { remedy: 'Use a token of a user.' });
    await this.unit.run(async () => {
      // Locks the connection against concurrent deletion and changes of its status.
      await this.connections.getForUpdate(actor, id, 'update', Precondition.none);
      const made = Object.assign(new ControllerInstallation(), { organizationId, connectionId: id, name, requestedBy });
      await this.installations.insertOnce(made);
      const found = await this.installations.find(id, name);
      const installation = found && (await this.installations.lock(found.id));
      if (!installation) throw new Error('the record of a controller is gone');
      const isKnown = installation.pending && installation.target === target && installation.port === port;
      if (isKnown) return;
      const request = installation.request + 1;
      const wanted = { target, port, request, requestedBy, pending: true, failure: null };
      await this.installations.update(installation, wanted);
      await this.jobs.enqueue<ControllerPayload>(actor, {
        queue: CONTROLLERS_QUEUE,
        payload: { installation: installation.id, request },
        organizationId,
        serialKey: `${CONTROLLERS_QUEUE} ${id}`,
        mostAttempts: 3,
      });
    });
  }
}
