import { Injectable } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { ClusterResourcesService } from '../kubernetes/resources/cluster-resources.service.js';
import { type Health, healthOf } from '../kubernetes/resources/health/health-status.js';
import { judgeWatched } from '../kubernetes/resources/health/watched-health.js';
import { DeployedDesignsStore } from './deployed-designs.store.js';
import type { DeployedResource, Deployment } from './deployment.entity.js';

const SYSTEM = Actor.system('the health of a deployment');
/** Of all deployments of an answer: those beyond have no health in it. */
const MAX_OBJECTS = 20_000;
/** A watch sees within so long what was applied. */
const SEEN_WITHIN_MS = 10_000;

/** An object of a deployment, by its positions. */
interface Asked {
  deployment: Deployment;
  index: number;
  resource: DeployedResource;
}

/** Says of the objects of deployments that stand how they are now, by what the watches of the clusters keep. */
@Injectable()
export class DeploymentHealthService {
  constructor(
    private readonly resources: ClusterResourcesService,
    private readonly deployed: DeployedDesignsStore,
    private readonly unit: UnitOfWork,
  ) {}

  /** For whom may read the deployments. What another deployment has replaced, or was undeployed, has no health. */
  async load(deployments: readonly Deployment[]): Promise<void> {
    const candidates = deployments.filter(({ action, resources }) => action !== 'undeploy' && resources.some(isThere));
    if (candidates.length === 0) return;
    await this.unit.runAsSystem('the health of a deployment', () => this.loadStanding(candidates));
  }

  private async loadStanding(candidates: readonly Deployment[]): Promise<void> {
    const standing = await this.deployed.findStanding(candidates.map(({ id }) => id));
    if (standing.length === 0) return;
    const destinations = new Set(standing.map(({ deploymentId, connectionId }) => `${deploymentId} ${connectionId}`));
    const asked = candidates
      .flatMap((deployment) => deployment.resources.map((resource, index): Asked => ({ deployment, index, resource })))
      .filter(
        ({ deployment: { id }, resource }) => isThere(resource) && destinations.has(`${id} ${resource.connection_id}`),
      )
      .slice(0, MAX_OBJECTS);
    const connectionIds = [...new Set(asked.map(({ resource }) => resource.connection_id))];
    const watches = new Map(
      (await this.resources.listWatches(SYSTEM, connectionIds)).map((watch) => [watch.connection_id, watch]),
    );
    const found = await this.resources.findByName(asked.map(({ resource }) => resource));
    for (const [position, { deployment, index, resource }] of asked.entries()) {
      const health = judgeWatched(resource, found.get(position), watches.get(resource.connection_id));
      deployment.resourceHealth ??= deployment.resources.map(() => null);
      deployment.resourceHealth[index] = health?.status === 'Missing' ? judgeMissing(deployment, resource) : health;
    }
  }
}

/** Whether the object should be on the cluster as far as the deployment has come. */
const isThere = ({ action, status, hook }: DeployedResource): boolean =>
  !hook &&
  action !== 'delete' &&
  action !== 'prune' &&
  (status === 'applied' || status === 'waiting' || status === 'ready' || status === 'unchanged' || status === 'failed');

/** What was applied just now, a watch may not have seen yet; what failed may never have been made. */
function judgeMissing({ finishedAt }: Deployment, { status }: DeployedResource): Health | null {
  if (status === 'failed') return null;
  if (finishedAt && Date.now() - finishedAt.getTime() > SEEN_WITHIN_MS)
    return healthOf('Missing', 'It is not on the cluster');
  return healthOf('Progressing', 'The watch of the cluster has not seen it yet');
}
