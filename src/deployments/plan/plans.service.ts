import { Injectable } from '@nestjs/common';
import { Access } from '../../core/access/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, InvalidRequest, NotFound } from '../../core/errors/app-error.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { Design } from '../../designs/design.entity.js';
import { DesignsService } from '../../designs/designs.service.js';
import { ValueVariantsService } from '../../designs/versions/value-variants.service.js';
import { VersionsService } from '../../designs/versions/versions.service.js';
import type { Deployment, DeploymentOptions } from '../deployment.entity.js';
import type { PlanRequest } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { ValidationService } from '../../registry/validation/validation.service.js';
import { WorkspaceQuotasService } from '../../workspaces/quotas/workspace-quotas.service.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import { DeploymentContextService } from '../runs/deployment-context.service.js';
import { type Target, TargetsService } from '../targets/targets.service.js';
import { AdoptionService } from './adoption.service.js';
import { DeploymentPlan } from './deployment-plan.entity.js';
import type { Plan } from './plan.js';
import { PlanView } from './plan.view.js';
import type { DesiredResource } from './planned-resource.js';
import { Planner } from './planner.js';

/** However slowly a cluster answers, and however much is asked of it. */
const PLAN_TIMEOUT_MS = 600_000;

/** Tells what a deployment would do, and keeps what it was made of for those who want exactly that. */
@Injectable()
export class PlansService {
  constructor(
    private readonly designs: DesignsService,
    private readonly versions: VersionsService,
    private readonly variants: ValueVariantsService,
    private readonly targets: TargetsService,
    private readonly work: DeploymentContextService,
    private readonly deployed: DeployedDesignsStore,
    private readonly adoption: AdoptionService,
    private readonly quotas: WorkspaceQuotasService,
    private readonly validation: ValidationService,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
  ) {}

  /** @throws ClusterError when a cluster cannot be worked with */
  async plan(actor: Actor, input: PlanRequest): Promise<PlanView> {
    const design = await this.designs.get(actor, resolveDesignId(input));
    const { workspaceId, organizationId } = design;
    await this.access.authorize(actor, deploymentPolicy.plan, { type: 'workspace', id: workspaceId, organizationId });
    const target = await this.targets.resolveForDeployment(actor, design, input);
    const kept = Object.assign(new DeploymentPlan(), {
      organizationId,
      designId: design.id,
      designVersion: await this.resolveVersion(actor, design, input),
      currentVersion: input.version === undefined ? design.versionNumber : null,
      environmentId: target.environmentId,
      connectionIds: target.connectionIds,
      options: toOptions(input),
    });
    const plans = new Map<string, Plan>();
    const resources = await this.work.readResources(design.id, kept.designVersion);
    const wanted = { ...kept, requestedBy: actor.userId, approvedBy: null };
    for (const connectionId of target.connectionIds)
      plans.set(connectionId, await this.planOnCluster(wanted, connectionId, resources));
    kept.fingerprints = Object.fromEntries([...plans].map(([id, plan]) => [id, plan.fingerprint]));
    await this.unit.manager.getRepository(DeploymentPlan).insert(kept);
    return PlanView.fromPlans(
      kept,
      target,
      plans,
      await this.quotas.getStatus(actor, workspaceId, 'max_deployments_per_day'),
    );
  }

  /** The version that is to be deployed: the one that is named or current, with the values that are sent. @throws NotFound */
  async resolveVersion(actor: Actor, design: Design, { version, values }: PlanRequest): Promise<number> {
    const base = await this.versions.getVersion(design, version);
    return values === undefined ? base.number : this.variants.findOrCreate(actor, design, base, values);
  }

  /** What would be done on one cluster now. */
  async planOnCluster(
    of: Pick<Deployment, 'designId' | 'environmentId' | 'options' | 'requestedBy' | 'approvedBy'>,
    connectionId: string,
    resources: DesiredResource[],
    signal?: AbortSignal,
  ): Promise<Plan> {
    const cluster = await this.work.getClient(connectionId);
    const owner = await this.work.getOwner(of, connectionId);
    const known = await this.deployed.find(of, connectionId);
    const { namespace, adopt, force } = of.options;
    const mayAdopt = this.adoption.createCheck(of);
    const deadline = AbortSignal.timeout(PLAN_TIMEOUT_MS);
    const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const options = { namespace, adopt, mayAdopt, force, previous: known?.objects, signal: either };
    return new Planner(cluster, this.validation).plan(resources, owner, options).catch((error: unknown) => {
      if (error !== deadline.reason || signal?.aborted) throw error;
      throw new ClusterError('timeout', 'The cluster took too long over what the plan asked of it', { cause: error });
    });
  }

  /**
   * The plan that a deployment of this design names, when the design is still what it was.
   * @throws NotFound, Conflict PLAN_STALE
   */
  async getCurrent(
    design: Design,
    id: string,
  ): Promise<{ plan: DeploymentPlan; target: Pick<Target, 'environmentId' | 'connectionIds'> }> {
    const plan = await this.unit.manager.getRepository(DeploymentPlan).findOneBy({ id, designId: design.id });
    if (!plan) throw new NotFound('plan', id);
    if ((plan.currentVersion ?? design.versionNumber) !== design.versionNumber)
      throw planStale('the design has changed since');
    return { plan, target: { environmentId: plan.environmentId, connectionIds: plan.connectionIds } };
  }

  /** @throws Conflict PLAN_STALE when the cluster is no longer what it was when the plan was made */
  async assertUnchanged(id: string, connectionId: string, now: Plan): Promise<void> {
    const plan = await this.unit.manager.getRepository(DeploymentPlan).findOneBy({ id });
    if (plan?.fingerprints[connectionId] !== now.fingerprint) throw planStale('the cluster has changed since');
  }

  /** Forgets plans of more than a day ago. */
  async purge(): Promise<void> {
    await this.unit.manager.query(`DELETE FROM deployment_plan WHERE created_at < now() - interval '1 day'`);
  }
}

const planStale = (why: string): Conflict =>
  new Conflict('PLAN_STALE', `the plan is out of date: ${why}`, {
    remedy: 'Plan again, and deploy with the new plan_id.',
  });

/** @throws InvalidRequest when no design is named */
export function resolveDesignId({ id, pattern_id }: { id?: string; pattern_id?: string }): string {
  const design = id ?? pattern_id;
  if (!design) throw InvalidRequest.forField('/id', 'is required', 'Send the id of the design.');
  return design;
}

export function toOptions({ namespace, adopt, force }: PlanRequest): DeploymentOptions {
  return { ...(namespace ? { namespace } : {}), ...(adopt ? { adopt } : {}), ...(force ? { force } : {}) };
}
