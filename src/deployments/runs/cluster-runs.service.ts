import { Injectable } from '@nestjs/common';
import { AppError } from '../../core/errors/app-error.js';
import { isTemporary } from '../../core/errors/problem.js';
import type { JobContext } from '../../jobs/job-handler.registry.js';
import type { ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { type ChangeJournal } from '../apply/applied-change.js';
import { Applier } from '../apply/applier.js';
import type { DeploymentResult, ResourceResult } from '../apply/resource-result.js';
import { toDeploymentFailure } from '../deployment-error.js';
import { Undeployer } from '../apply/undeployer.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import type { DeployedResource, Deployment, DeploymentFailure } from '../deployment.entity.js';
import { ClusterPlansService } from '../plans/cluster-plans.service.js';
import { PlansStore } from '../plans/plans.store.js';
import type { DesiredResource } from '../plan/planned-resource.js';
import { PolicyChecksService } from '../policies/policy-checks.service.js';
import { actorForDeployment } from './deployment-completion.service.js';
import { ChangeJournalsStore } from './change-journals.store.js';
import { DeploymentContextService } from '../plans/deployment-context.service.js';
import { CANCELLED, type ClusterOutcome, isAtomic } from './deployment-outcome.js';

/** Carries out a deployment on its clusters, one after another. What an earlier attempt has begun is finished. */
@Injectable()
export class ClusterRunsService {
  constructor(
    private readonly deployed: DeployedDesignsStore,
    private readonly journals: ChangeJournalsStore,
    private readonly plans: PlansStore,
    private readonly clusterPlans: ClusterPlansService,
    private readonly work: DeploymentContextService,
    private readonly policies: PolicyChecksService,
  ) {}

  /** Ends with the first failure where all is to be undone after it. */
  async run(deployment: Deployment, context: JobContext): Promise<ClusterOutcome[]> {
    const ends: ClusterOutcome[] = [];
    let resources: DesiredResource[] | undefined;
    for (const connectionId of deployment.connectionIds) {
      const journal = await this.journals.open(deployment, connectionId, context.assertLeased);
      const end = await this.onCluster(connectionId, journal, context, async () => {
        if (deployment.action === 'undeploy') return this.undeploy(deployment, connectionId, journal, context);
        // What an earlier attempt has begun was judged before.
        if (!resources && journal.changes.length === 0)
          await this.policies.requireCompliance(actorForDeployment(deployment), deployment);
        resources ??= await this.work.readResources(deployment.designId, deployment.designVersion);
        return this.deploy(deployment, connectionId, resources, journal, context);
      });
      ends.push(end);
      if (end.failure && (isAtomic(deployment) || end.status === 'cancelled')) break;
    }
    return ends;
  }

  /** What fails by name on one cluster ends the deployment there; what has no name is a fault of ours. */
  private async onCluster(
    connectionId: string,
    journal: ChangeJournal,
    { signal }: JobContext,
    work: () => Promise<DeploymentResult & { objects: ObjectReference[] }>,
  ): Promise<ClusterOutcome> {
    try {
      const { status, objects, ...result } = await work();
      const resources = result.resources.map((resource) => toDeployedResource(resource, connectionId));
      const failure = result.failure ? toFailure({ status, ...result }) : null;
      return { connectionId, status, resources, failure, objects, changed: journal.changes.length > 0 };
    } catch (error) {
      if (signal.aborted || isTemporary(error) || !(error instanceof AppError)) throw error;
      const failure = toDeploymentFailure(error);
      const changed = journal.changes.length > 0;
      return { connectionId, status: 'failed', resources: [], failure, objects: [], changed };
    }
  }

  private async deploy(
    deployment: Deployment,
    connectionId: string,
    resources: DesiredResource[],
    journal: ChangeJournal,
    context: JobContext,
  ): Promise<DeploymentResult & { objects: ObjectReference[] }> {
    const cluster = await this.work.getClient(connectionId);
    const plan = await this.clusterPlans.plan(deployment, connectionId, resources, context.signal);
    const { plan_id, atomic, wait } = deployment.options;
    // With changes of its own the cluster differs from the plan; it was held against the plan before the first of them.
    if (plan_id && journal.changes.length === 0) await this.plans.assertUnchanged(plan_id, connectionId, plan);
    const before = await this.deployed.find(deployment, connectionId);
    const objects = plan.items.flatMap(({ desired }) => (desired ? [toReference(desired)] : []));
    await this.deployed.begin(deployment, connectionId, mergeReferences(before?.objects ?? [], objects));
    const result = await new Applier(cluster, journal).apply(plan, { atomic, wait, ...toRunOptions(context) });
    return { ...result, objects };
  }

  private async undeploy(
    deployment: Deployment,
    connectionId: string,
    journal: ChangeJournal,
    context: JobContext,
  ): Promise<DeploymentResult & { objects: ObjectReference[] }> {
    const cluster = await this.work.getClient(connectionId);
    const owner = await this.work.getOwner(deployment, connectionId);
    const known = await this.deployed.find(deployment, connectionId);
    const undeployer = new Undeployer(cluster, journal);
    const result = await undeployer.undeploy(owner, { previous: known?.objects, ...toRunOptions(context) });
    return { ...result, objects: [] };
  }
}

function toRunOptions({ signal, reportProgress: progress }: JobContext) {
  return {
    signal,
    onProgress: ({ kind, name, status }: ResourceResult, done: number, total: number) =>
      progress({ done, total, last: { kind, name, status } }),
  };
}

function toDeployedResource({ component: _, ...resource }: ResourceResult, connectionId: string): DeployedResource {
  return { ...resource, connection_id: connectionId };
}

function toFailure({ status, failure }: DeploymentResult): DeploymentFailure {
  if (status === 'cancelled') return CANCELLED;
  const codes = { 502: 'CLUSTER_UNREACHABLE', 504: 'CLUSTER_TIMEOUT', 422: 'DEPLOYMENT_FAILED' };
  const { status: answered = 422, detail = '', remedy } = failure ?? {};
  return { status: answered, code: codes[answered], detail, ...(remedy && { remedy }) };
}

interface Named {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

const toReference = ({ apiVersion, kind, metadata: { name, namespace } }: Named): ObjectReference => ({
  apiVersion,
  kind,
  name,
  ...(namespace ? { namespace } : {}),
});

function mergeReferences(a: ObjectReference[], b: ObjectReference[]): ObjectReference[] {
  return [...new Map([...a, ...b].map((each) => [JSON.stringify(each), each])).values()];
}
