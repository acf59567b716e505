import { Injectable } from '@nestjs/common';
import { Undeployer } from '../apply/undeployer.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentContextService } from '../plans/deployment-context.service.js';
import type { ClusterResult, ClusterRun } from './cluster-deployments.service.js';

/** Undeploys a design from one cluster. */
@Injectable()
export class ClusterUndeploymentsService {
  constructor(
    private readonly deployed: DeployedDesignsStore,
    private readonly work: DeploymentContextService,
  ) {}

  /** @throws AppError when it cannot be begun there */
  async undeploy(
    deployment: Deployment,
    { connectionId, journal, signal, onProgress }: ClusterRun,
  ): Promise<ClusterResult> {
    const cluster = await this.work.getClient(connectionId);
    const owner = await this.work.getOwner(deployment, connectionId);
    const known = await this.deployed.find(deployment, connectionId);
    const undeployer = new Undeployer(cluster, journal);
    const result = await undeployer.undeploy(owner, { previous: known?.objects, signal, onProgress });
    return { ...result, objects: [] };
  }
}
