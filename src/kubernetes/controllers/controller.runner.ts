import { Injectable } from '@nestjs/common';
import { ConnectionsStore } from '../../connections/connections.store.js';
import { Access } from '../../core/authorization/access.service.js';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { NotFound } from '../../core/errors/app-error.js';
import type { JobContext } from '../../jobs/job-handler.registry.js';
import type { Job } from '../../jobs/job.js';
import { clusterPolicy } from '../cluster.policy.js';
import type { ClusterClient } from '../clusters/cluster-client.js';
import { ClustersService } from '../clusters/clusters.service.js';
import { ControllerCompletionService } from './controller-completion.service.js';
import type { ControllerInstallation } from './controller-installation.entity.js';
import { ControllerInstaller } from './controller-installer.js';
import { type ControllerPayload, isFinal, toControllerFailure } from './controller-job.js';
import { mergeReferences, toReference } from './controller-owner.js';
import { ControllerRemoval } from './controller-removal.js';
import { ControllerManifestsService } from './manifests/controller-manifests.service.js';

/** The job that deploys or removes a controller. It is idempotent, so another process may take it over. */
@Injectable()
export class ControllerRunner {
  constructor(
    private readonly completion: ControllerCompletionService,
    private readonly manifests: ControllerManifestsService,
    private readonly connections: ConnectionsStore,
    private readonly clusters: ClustersService,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
  ) {}

  /** @throws errors to be retried */
  async run({ payload }: Job<ControllerPayload>, context: JobContext): Promise<object> {
    const installation = await this.completion.find(payload.installation);
    if (!installation?.pending) return { status: 'nothing to do' };
    const { target } = installation;
    try {
      await this.carryOut(installation, context);
      await this.completion.complete(installation, null, context);
    } catch (error) {
      if (context.signal.aborted || !isFinal(error)) throw error;
      await this.completion.complete(installation, toControllerFailure(error), context);
    }
    return { name: installation.name, target };
  }

  private async carryOut(installation: ControllerInstallation, context: JobContext): Promise<void> {
    const { signal } = context;
    await this.authorize(installation);
    const client = await this.getClient(installation.connectionId);
    if (installation.target === 'disabled') {
      await new ControllerRemoval(client, installation, signal).remove(installation.objects);
      return;
    }
    const objects = await this.manifests.build(installation);
    const before = installation.objects;
    const wanted = objects.map(toReference);
    if (!(await this.completion.recordObjects(installation, mergeReferences(before, wanted), context))) return;
    const installer = new ControllerInstaller(client, installation, signal);
    await installer.apply(objects);
    const names = new Set(wanted.map((one) => JSON.stringify(one)));
    await new ControllerRemoval(client, installation, signal).remove(
      before.filter((one) => !names.has(JSON.stringify(one))),
    );
    if (!(await this.completion.recordObjects(installation, wanted, context))) return;
    // It may take minutes, during which other controllers of the connection change, and this one when it is requested.
    await context.endTurn();
    await installer.waitUntilReady(objects, () => this.completion.isWanted(installation));
  }

  /** The requester may have lost the permission since the request. */
  private async authorize({ requestedBy, connectionId: id, organizationId }: ControllerInstallation): Promise<void> {
    const requester = Actor.user({ id: requestedBy, email: '', installationAdmin: false });
    const connection = { type: 'connection', id, organizationId } as const;
    await this.access.authorize(requester, clusterPolicy.changeControllers, connection);
  }

  private async getClient(id: string): Promise<ClusterClient> {
    const connection = await this.connections.find(Actor.system('controllers'), id);
    if (!connection) throw new NotFound('connection', id);
    return this.unit.runAsSystem('controllers', () => this.clusters.getClient(connection));
  }
}
