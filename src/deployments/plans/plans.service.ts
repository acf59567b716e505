import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { RequestedDesignsService } from '../admission/requested-designs.service.js';
import { type PlanRequest, toOptions } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { TargetsService } from '../targets/targets.service.js';
import { ClusterPlansService } from './cluster-plans.service.js';
import { DeploymentPlan } from './deployment-plan.entity.js';
import { PlanConditionsService } from './plan-conditions.service.js';
import { plannedResources } from '../plan/plan.js';
import { PlanView } from './plan.view.js';
import { PlansStore } from './plans.store.js';
import { RequestedVersionsService } from './requested-versions.service.js';

/** Creates plans, and stores their inputs so that exactly that plan can be deployed. */
@Injectable()
export class PlansService {
  constructor(
    private readonly designs: RequestedDesignsService,
    private readonly versions: RequestedVersionsService,
    private readonly targets: TargetsService,
    private readonly clusters: ClusterPlansService,
    private readonly plans: PlansStore,
    private readonly conditions: PlanConditionsService,
  ) {}

  /** @throws ClusterError when a cluster cannot be used */
  async plan(actor: Actor, input: PlanRequest): Promise<PlanView> {
    const design = await this.designs.getAllowed(actor, deploymentPolicy.plan, input);
    const target = await this.targets.resolveForDeployment(actor, design, input);
    const { newValues, ...versions } = await this.versions.resolve(actor, design, input, target);
    const kept = Object.assign(new DeploymentPlan(), {
      organizationId: design.organizationId,
      designId: design.id,
      ...versions,
      currentVersion: input.version === undefined ? design.versionNumber : null,
      environmentId: target.environmentId,
      connectionIds: target.connectionIds,
      options: toOptions(input),
    });
    const plans = await this.clusters.planAll({ ...kept, requestedBy: actor.userId, approvals: [] });
    kept.fingerprints = Object.fromEntries([...plans].map(([id, plan]) => [id, plan.fingerprint]));
    kept.resources = [...plans].flatMap(([connection_id, plan]) =>
      plannedResources(plan).map(({ api_version, kind, namespace, name, action }) => ({
        ...{ connection_id, api_version, kind, namespace, name, action },
      })),
    );
    await this.plans.insert(kept);
    const { workspaceId } = design;
    const conditions = await this.conditions.read(actor, { ...kept, workspaceId });
    return PlanView.fromPlans(kept, target, plans, { ...conditions, newValues });
  }
}
