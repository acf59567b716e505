import { Injectable } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { ClusterResourcesService } from '../kubernetes/resources/cluster-resources.service.js';
import { type Health, healthOf } from '../kubernetes/resources/health/health-status.js';
import { judgeWatched } from '../kubernetes/resources/health/watched-health.js';
import { DeployedDesignsStore } from './deployed-designs.store.js';
import { DesignSecretsService } from './design-secrets.service.js';
import type { DeployedResource, Deployment } from './deployment.entity.js';

const SYSTEM = Actor.system('the health of a deployment');
/** Maximum number of objects per response, over all deployments; the health of further objects is omitted. */
const MAX_OBJECTS = 20_000;
/** Time in which a watch reports an applied object. */
const SEEN_WITHIN_MS = 10_000;

/** An object of a deployment; `index` is its position in `deployment.resources`. */
interface DeploymentObject {
  deployment: Deployment;
  index: number;
  resource: DeployedResource;
}

/** Reads the current health of the objects of deployments from the watches of the clusters. */
@Injectable()
export class DeploymentHealthService {
  constructor(
    private readonly resources: ClusterResourcesService,
    private readonly deployed: DeployedDesignsStore,
    private readonly secrets: DesignSecretsService,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * Sets `resourceHealth` of the deployments that are the current ones on their clusters. The caller has checked the right to read
   * them. Deployments that were replaced or undeployed have no health.
   */
  async load(deployments: readonly Deployment[]): Promise<void> {
    const candidates = deployments.filter(({ action, resources }) => action !== 'undeploy' && resources.some(isThere));
    if (candidates.length === 0) return;
    await this.unit.runAsSystem('the health of a deployment', () => this.loadCurrent(candidates));
  }

  private async loadCurrent(candidates: readonly Deployment[]): Promise<void> {
    const deployed = await this.deployed.findCurrent(candidates.map(({ id }) => id));
    if (deployed.length === 0) return;
    const destinations = new Set(deployed.map(({ deploymentId, connectionId }) => `${deploymentId} ${connectionId}`));
    const objects = candidates
      .flatMap((deployment) =>
        deployment.resources.map((resource, index): DeploymentObject => ({ deployment, index, resource })),
      )
      .filter(
        ({ deployment: { id }, resource }) => isThere(resource) && destinations.has(`${id} ${resource.connection_id}`),
      )
      .slice(0, MAX_OBJECTS);
    const connectionIds = [...new Set(objects.map(({ resource }) => resource.connection_id))];
    const watches = new Map(
      (await this.resources.listWatches(SYSTEM, connectionIds)).map((watch) => [watch.connection_id, watch]),
    );
    const found = await this.resources.findByName(objects.map(({ resource }) => resource));
    const messages = await this.secrets.hideInMessages(
      objects.map(({ deployment, resource }, position) => ({
        designId: deployment.designId,
        connectionId: resource.connection_id,
        message: found.get(position)?.healthMessage,
      })),
    );
    for (const [position, { deployment, index, resource }] of objects.entries()) {
      const seen = found.get(position);
      if (seen) seen.healthMessage = messages[position] ?? null;
      const health = judgeWatched(resource, seen, watches.get(resource.connection_id));
      deployment.resourceHealth ??= deployment.resources.map(() => null);
      deployment.resourceHealth[index] = health?.status === 'Missing' ? toMissingHealth(deployment, resource) : health;
    }
  }
}

/** Whether the deployment should have put the object on the cluster by now. */
const isThere = ({ action, status, hook }: DeployedResource): boolean =>
  !hook &&
  action !== 'delete' &&
  action !== 'prune' &&
  (status === 'applied' || status === 'waiting' || status === 'ready' || status === 'unchanged' || status === 'failed');

/** The watch may not have reported a new object yet, and a failed object may never have been created. */
function toMissingHealth({ finishedAt }: Deployment, { status }: DeployedResource): Health | null {
  if (status === 'failed') return null;
  if (finishedAt && Date.now() - finishedAt.getTime() > SEEN_WITHIN_MS)
    return healthOf('Missing', 'It is not on the cluster');
  return healthOf('Progressing', 'The watch of the cluster has not seen it yet');
}
