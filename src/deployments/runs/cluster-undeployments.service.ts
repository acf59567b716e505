import { Injectable } from '@nestjs/common';
import { Undeployer } from '../apply/undeployer.js';
import { type DeployedDesign, DeployedDesignsStore } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import { DraftItems } from '../plan/draft-items.js';
import { DELETE_PHASES, HookPlans, type PlannedHooks } from '../plan/hook-plans.js';
import type { DesiredResource } from '../plan/planned-resource.js';
import { findChartDefinitions } from '../plan/definitions.js';
import type { KeptObject } from '../plan/kept-objects.js';
import { KeptObjectsStore } from '../kept-objects.store.js';
import { DeploymentContextService } from '../plans/deployment-context.service.js';
import type { ClusterResult, ClusterRun } from './cluster-deployments.service.js';

/** Time limit without hooks; each phase of hooks may take as long. */
const DEFAULT_TIMEOUT_SECONDS = 300;

/** Undeploys a design from one cluster. */
@Injectable()
export class ClusterUndeploymentsService {
  constructor(
    private readonly deployed: DeployedDesignsStore,
    private readonly kept: KeptObjectsStore,
    private readonly work: DeploymentContextService,
  ) {}

  /** @throws AppError when the run cannot be started */
  async undeploy(
    deployment: Deployment,
    { connectionId, journal, signal, onProgress }: ClusterRun,
  ): Promise<ClusterResult> {
    const cluster = await this.work.getClient(connectionId);
    const owner = await this.work.getOwner(deployment, connectionId);
    const known = await this.deployed.find(deployment, connectionId);
    const undeployer = new Undeployer(cluster, journal);
    const { delete_volumes: deleteVolumes, timeout = DEFAULT_TIMEOUT_SECONDS } = deployment.options;
    const resources = known ? await this.work.readResources(deployment.designId, known.designVersion) : [];
    const hooks = await this.planHooks(deployment, connectionId, known, resources, signal);
    const hasHooks = hooks.before.length + hooks.after.length > 0;
    const hookTimeoutMs = timeout * 1_000;
    const options = {
      previous: known?.objects,
      ...(await this.kept.read(deployment, connectionId)),
      written: resources.map(({ object }) => object),
      chartDefinitions: findChartDefinitions(resources),
      onFound: (unlabelled: KeptObject[]) => this.kept.save(deployment, connectionId, unlabelled),
      deleteVolumes,
      undoable: deployment.options.atomic !== false,
      hooks,
      hookTimeoutMs,
      timeoutMs: hasHooks ? 3 * hookTimeoutMs : hookTimeoutMs,
      run: deployment.id,
      signal,
      onProgress,
    };
    const result = await undeployer.undeploy(owner, options);
    return { ...result, objects: [] };
  }

  /** The hooks of the deployed version. */
  private async planHooks(
    deployment: Deployment,
    connectionId: string,
    known: DeployedDesign | null,
    resources: DesiredResource[],
    signal: AbortSignal,
  ): Promise<PlannedHooks> {
    if (!known || deployment.options.skip_hooks) return { before: [], after: [] };
    const cluster = await this.work.getClient(connectionId);
    const owner = await this.work.getOwner(deployment, connectionId);
    const options = { namespace: known.namespace ?? undefined, signal };
    return new HookPlans(cluster, new DraftItems(cluster, owner, options), options).draft(resources, DELETE_PHASES, []);
  }
}
