import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AppError } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { DesignsStore } from '../../designs/designs.store.js';
import type { FinishedJob, Job } from '../../jobs/job.js';
import type { JobContext } from '../../jobs/job-handlers.js';
import type { ObjectReference } from '../../kubernetes/clusters/kubernetes-object.js';
import { Applier } from '../apply/applier.js';
import type { DeploymentResult, ResourceResult } from '../apply/resource-result.js';
import { Undeployer } from '../apply/undeployer.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import type { DeployedResource, Deployment, DeploymentFailure, DeploymentStatus } from '../deployment.entity.js';
import {
  DeploymentCancelled,
  DeploymentFailed,
  DeploymentRolledBack,
  DeploymentStarted,
  DeploymentSucceeded,
  DesignUndeployed,
} from '../deployment.events.js';
import { DeploymentAdmission } from '../deployment-admission.js';
import { DeploymentsStore } from '../deployments.store.js';
import { PlansService } from '../plan/plans.service.js';
import { ClusterWork } from './cluster-work.js';

const SYSTEM = Actor.system('deployment');

/** How it ended on all clusters together. */
interface End {
  status: DeploymentStatus;
  resources: DeployedResource[];
  failure: DeploymentFailure | null;
}

/** Carries out deployments as jobs. Running one again after a crash does what is still to be done: applying is idempotent. */
@Injectable()
export class DeploymentRunner {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly deployed: DeployedDesignsStore,
    private readonly admission: DeploymentAdmission,
    private readonly designs: DesignsStore,
    private readonly plans: PlansService,
    private readonly work: ClusterWork,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async run(
    { payload }: Job<{ deployment: string }>,
    context: JobContext,
  ): Promise<{ deployment: string; status: string }> {
    const deployment = await this.start(payload.deployment);
    if (deployment.hasEnded) return { deployment: deployment.id, status: deployment.status };
    const ends: End[] = [];
    for (const connectionId of deployment.connectionIds) {
      const end = await this.onCluster(deployment, connectionId, context);
      ends.push(end);
      if (end.status === 'cancelled') break;
    }
    await this.finish(deployment.id, together(deployment, ends));
    return { deployment: deployment.id, status: together(deployment, ends).status };
  }

  /** Hears the end of the job, also when no handler came to an end: nothing stays queued or running for ever. */
  async ended(job: FinishedJob<{ deployment: string }>): Promise<void> {
    const deployment = await this.deployments.lock(SYSTEM, job.payload.deployment);
    if (!deployment || deployment.hasEnded) return;
    const cancelled = job.status === 'cancelled';
    await this.finish(deployment.id, {
      status: cancelled ? 'cancelled' : 'failed',
      resources: deployment.resources,
      failure: {
        status: cancelled ? 409 : (job.error?.status ?? 500),
        code: cancelled ? 'DEPLOYMENT_CANCELLED' : (job.error?.code ?? 'INTERNAL_ERROR'),
        detail: cancelled ? 'the deployment was cancelled' : (job.error?.detail ?? 'the deployment was interrupted'),
      },
    });
  }

  /** What was accepted is judged again as it begins; what may not go ahead any more ends here. */
  private async start(id: string): Promise<Deployment> {
    return this.unit.run(async () => {
      const accepted = await this.deployments.get(SYSTEM, id);
      const refusal = accepted.status === 'queued' ? await this.admission.refusal(accepted) : undefined;
      const deployment = await this.deployments.getForUpdate(SYSTEM, id);
      if (deployment.status !== 'queued') return deployment;
      if (refusal) {
        await this.finish(id, { status: 'failed', resources: [], failure: refusal });
        return this.deployments.get(SYSTEM, id);
      }
      await this.deployments.update(deployment, { status: 'running', startedAt: new Date() });
      await this.events.publish(new DeploymentStarted(requester(deployment), deployment));
      return deployment;
    });
  }

  /** What fails by name on one cluster ends the deployment there, and is told; what has no name is a fault of ours. */
  private async onCluster(deployment: Deployment, connectionId: string, context: JobContext): Promise<End> {
    try {
      const result =
        deployment.action === 'undeploy'
          ? await this.undeploy(deployment, connectionId, context)
          : await this.deploy(deployment, connectionId, context);
      const resources = result.resources.map((resource) => deployedResource(resource, connectionId));
      return { status: result.status, resources, failure: result.failure ? failureOf(result) : null };
    } catch (error) {
      if (context.signal.aborted || !(error instanceof AppError)) throw error;
      return {
        status: 'failed',
        resources: [],
        failure: { status: error.status, code: error.code, detail: error.message },
      };
    }
  }

  private async deploy(deployment: Deployment, connectionId: string, context: JobContext): Promise<DeploymentResult> {
    const cluster = await this.work.cluster(connectionId);
    const resources = await this.work.resources(deployment.designId, deployment.designVersion);
    const plan = await this.plans.planOn(deployment, connectionId, resources, context.signal);
    const { plan_id, atomic, wait } = deployment.options;
    if (plan_id) await this.plans.mustStillHold(plan_id, connectionId, plan);
    const before = await this.deployed.find(deployment, connectionId);
    const wanted = plan.items.flatMap(({ desired }) => (desired ? [reference(desired)] : []));
    await this.deployed.put(deployment, connectionId, union(before?.objects ?? [], wanted));
    const result = await new Applier(cluster).apply(plan, { atomic, wait, ...this.follow(context) });
    if (result.status === 'succeeded') await this.deployed.put(deployment, connectionId, wanted);
    else if (nothingStays(result)) await this.asBefore(deployment, connectionId, before);
    return result;
  }

  private async undeploy(deployment: Deployment, connectionId: string, context: JobContext): Promise<DeploymentResult> {
    const cluster = await this.work.cluster(connectionId);
    const owner = await this.work.owner(deployment, connectionId);
    const known = await this.deployed.find(deployment, connectionId);
    const result = await new Undeployer(cluster).undeploy(owner, { previous: known?.objects, ...this.follow(context) });
    if (result.status === 'undeployed') await this.deployed.remove(deployment, connectionId);
    return result;
  }

  private follow({ signal, progress }: JobContext) {
    return {
      signal,
      onProgress: ({ kind, name, status }: ResourceResult, done: number, total: number) =>
        progress({ done, total, last: { kind, name, status } }),
    };
  }

  private async asBefore(
    deployment: Deployment,
    connectionId: string,
    before: Awaited<ReturnType<DeployedDesignsStore['find']>>,
  ): Promise<void> {
    if (!before) return this.deployed.remove(deployment, connectionId);
    const earlier = Object.assign(Object.create(deployment) as Deployment, {
      id: before.deploymentId,
      designVersion: before.designVersion,
    });
    await this.deployed.put(earlier, connectionId, before.objects);
  }

  private async finish(id: string, end: End): Promise<void> {
    await this.unit.run(async () => {
      const deployment = await this.deployments.lock(SYSTEM, id);
      if (!deployment || deployment.hasEnded) return;
      await this.deployments.update(deployment, { ...end, finishedAt: new Date() });
      if (end.status === 'succeeded') await this.designs.countDeployment(deployment.designId);
      await this.events.publish(tale(deployment));
    });
  }
}

const requester = (deployment: Deployment): Actor =>
  deployment.requestedBy ? Actor.onBehalfOf(deployment.requestedBy, 'deployment') : SYSTEM;

function tale(deployment: Deployment) {
  const actor = requester(deployment);
  const counts: Record<string, number> = {};
  for (const { status } of deployment.resources) counts[status] = (counts[status] ?? 0) + 1;
  const facts = {
    status: deployment.status,
    resources: counts,
    ...(deployment.failure ? { reason: deployment.failure.detail } : {}),
  };
  switch (deployment.status) {
    case 'succeeded':
      return new (deployment.action === 'rollback' ? DeploymentRolledBack : DeploymentSucceeded)(
        actor,
        deployment,
        facts,
      );
    case 'undeployed':
      return new DesignUndeployed(actor, deployment, facts);
    case 'cancelled':
      return new DeploymentCancelled(actor, deployment, facts);
    default:
      return new DeploymentFailed(actor, deployment, facts);
  }
}

function deployedResource({ component: _, ...resource }: ResourceResult, connectionId: string): DeployedResource {
  return { ...resource, connection_id: connectionId };
}

function failureOf({ status, failure }: DeploymentResult): DeploymentFailure {
  if (status === 'cancelled')
    return { status: 409, code: 'DEPLOYMENT_CANCELLED', detail: 'the deployment was cancelled' };
  const codes = { 502: 'CLUSTER_UNREACHABLE', 504: 'CLUSTER_TIMEOUT', 422: 'DEPLOYMENT_FAILED' };
  return { status: failure?.status ?? 422, code: codes[failure?.status ?? 422], detail: failure?.detail ?? '' };
}

/** Over several clusters the worst end counts: a deployment has succeeded only where all of it has. */
function together(deployment: Deployment, ends: End[]): End {
  const worst = (['cancelled', 'failed', 'rolled_back'] as const).find((status) =>
    ends.some((end) => end.status === status),
  );
  return {
    status: worst ?? (deployment.action === 'undeploy' ? 'undeployed' : 'succeeded'),
    resources: ends.flatMap((end) => end.resources),
    failure: ends.find((end) => end.failure)?.failure ?? null,
  };
}

/** Whether a failed run left the cluster as it found it. */
function nothingStays({ status, resources }: DeploymentResult): boolean {
  return status === 'rolled_back' || resources.every((each) => each.status === 'failed' || each.status === 'skipped');
}

const reference = ({
  apiVersion,
  kind,
  metadata,
}: {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}): ObjectReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
});

function union(a: ObjectReference[], b: ObjectReference[]): ObjectReference[] {
  return [...new Map([...a, ...b].map((each) => [JSON.stringify(each), each])).values()];
}
