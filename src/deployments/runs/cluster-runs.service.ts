import { Injectable } from '@nestjs/common';
import { AppError } from '../../core/errors/app-error.js';
import { isTemporary } from '../../core/errors/problem.js';
import type { JobContext } from '../../jobs/job-handler.registry.js';
import type { DeploymentResult } from '../apply/resource-result.js';
import { BusyClusters } from '../busy-clusters.js';
import { toDeploymentFailure } from '../deployment-error.js';
import { DesignSecretsService } from '../design-secrets.service.js';
import type { Deployment, DeploymentFailure } from '../deployment.entity.js';
import type { DesiredResource } from '../plan/planned-resource.js';
import { DeploymentContextService } from '../plans/deployment-context.service.js';
import { SECRET_VALUES_NEEDED } from '../plan/sealed-values.js';
import { PolicyChecksService } from '../policies/policy-checks.service.js';
import { versionFor } from '../renderings/rendering.js';
import { ChangeJournalsStore } from './change-journals.store.js';
import { ClusterDeploymentsService, type ClusterResult, type ClusterRun } from './cluster-deployments.service.js';
import { ClusterUndeploymentsService } from './cluster-undeployments.service.js';
import { actorForDeployment } from './deployment-completion.service.js';
import { CANCELLED, type ClusterOutcome, isUndoneAfter } from './deployment-outcome.js';
import { DeploymentProgressService, toDeployedResource } from './deployment-progress.service.js';

/** Runs a deployment on its clusters, one after another, and completes what an earlier attempt has begun. */
@Injectable()
export class ClusterRunsService {
  constructor(
    private readonly journals: ChangeJournalsStore,
    private readonly policies: PolicyChecksService,
    private readonly work: DeploymentContextService,
    private readonly secrets: DesignSecretsService,
    private readonly deployments: ClusterDeploymentsService,
    private readonly undeployments: ClusterUndeploymentsService,
    private readonly progress: DeploymentProgressService,
    private readonly busy: BusyClusters,
  ) {}

  /** Stops at the first failure of an atomic deployment, because all changes are undone then. */
  async run(deployment: Deployment, context: JobContext): Promise<ClusterOutcome[]> {
    const progress = this.progress.open(deployment, context);
    const ends: ClusterOutcome[] = [];
    const resources = new Map<number, DesiredResource[]>();
    try {
      for (const connectionId of deployment.connectionIds) {
        const journal = await this.journals.open(deployment, connectionId, context.assertLeased);
        const onProgress: ClusterRun['onProgress'] = (resource, now) => progress.report(connectionId, resource, now);
        const run: ClusterRun = { connectionId, journal, signal: context.signal, onProgress };
        const work = async () => {
          if (deployment.action === 'undeploy') return this.undeployments.undeploy(deployment, run);
          // If an earlier attempt has made changes, its checks have passed.
          if (resources.size === 0 && journal.changes.length === 0)
            await this.policies.requireCompliance(actorForDeployment(deployment), deployment);
          const version = versionFor(deployment, connectionId);
          const wanted = resources.get(version) ?? (await this.work.readResources(deployment.designId, version));
          resources.set(version, wanted);
          return this.deployments.deploy(deployment, wanted, run);
        };
        const end = await this.busy.during(connectionId, () => this.onCluster(deployment, run, work));
        ends.push(end);
        if (end.failure && (isUndoneAfter(end.failure, deployment) || end.status === 'cancelled')) break;
      }
    } finally {
      progress.close();
    }
    return ends;
  }

  /** An AppError ends the deployment on this cluster. Temporary errors, internal errors and those of an aborted run are thrown. */
  private async onCluster(
    deployment: Deployment,
    { connectionId, journal, signal }: ClusterRun,
    work: () => Promise<ClusterResult>,
  ): Promise<ClusterOutcome> {
    try {
      const { status, objects, ...result } = await work();
      const resources = result.resources.map((resource) => toDeployedResource(resource, connectionId));
      const failure = result.failure ? toFailure({ status, ...result }) : null;
      return { connectionId, status, resources, failure, objects, changed: journal.changes.length > 0 };
    } catch (error) {
      if (signal.aborted || isTemporary(error) || !(error instanceof AppError)) throw error;
      const failure = toDeploymentFailure(error);
      const version = versionFor(deployment, connectionId);
      const secrets = await this.secrets.read(deployment.designId, version);
      failure.detail = secrets.hideInMessage(failure.detail);
      const changed = journal.changes.length > 0;
      return { connectionId, status: 'failed', resources: [], failure, objects: [], changed };
    }
  }
}

function toFailure({ status, failure, resources }: DeploymentResult): DeploymentFailure {
  if (status === 'cancelled') return CANCELLED;
  const unknown = resources.find(({ error }) => error?.reason === SECRET_VALUES_NEEDED)?.error;
  if (unknown) return { status: 409, code: SECRET_VALUES_NEEDED, detail: unknown.detail, remedy: unknown.remedy };
  const codes = { 502: 'CLUSTER_UNREACHABLE', 504: 'CLUSTER_TIMEOUT', 422: 'DEPLOYMENT_FAILED', 409: 'PLAN_STALE' };
  const { status: answered = 422, detail = '', remedy } = failure ?? {};
  return { status: answered, code: codes[answered], detail, ...(remedy && { remedy }) };
}
