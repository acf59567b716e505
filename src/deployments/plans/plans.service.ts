import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { RequestedDesignsService } from '../admission/requested-designs.service.js';
import { type PlanRequest, toOptions } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { TargetsService } from '../targets/targets.service.js';
import { PlanConditionsService } from './plan-conditions.service.js';
import { PlanView } from './plan.view.js';
import { RequestedVersionsService } from './requested-versions.service.js';
import { PlanCreationService } from './plan-creation.service.js';

/** Plans what users ask for. */
@Injectable()
export class PlansService {
  constructor(
    private readonly designs: RequestedDesignsService,
    private readonly versions: RequestedVersionsService,
    private readonly targets: TargetsService,
    private readonly plans: PlanCreationService,
    private readonly conditions: PlanConditionsService,
  ) {}

  /** @throws ClusterError when a cluster cannot be used */
  async plan(actor: Actor, input: PlanRequest): Promise<PlanView> {
    const design = await this.designs.getAllowed(actor, deploymentPolicy.plan, input);
    const target = await this.targets.resolveForDeployment(actor, design, input);
    const { newValues, ...versions } = await this.versions.resolve(actor, design, input, target);
    const inputs = {
      organizationId: design.organizationId,
      designId: design.id,
      ...versions,
      currentVersion: input.version === undefined ? design.versionNumber : null,
      environmentId: target.environmentId,
      connectionIds: target.connectionIds,
      options: toOptions(input),
    };
    const by = { requestedBy: actor.userId, approvals: [] };
    return this.plans.create(inputs, by, async (stored, plans) => {
      const conditions = await this.conditions.read(actor, { ...stored, workspaceId: design.workspaceId });
      return PlanView.fromPlans(stored, target, plans, { ...conditions, newValues });
    });
  }
}
