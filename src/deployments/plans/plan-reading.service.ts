import { Injectable } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { isRoleAtLeast } from '../../core/access/roles.js';
import { Vault } from '../../core/crypto/vault.service.js';
import { NotFound } from '../../core/errors/app-error.js';
import { DesignsStore } from '../../designs/designs.store.js';
import { unpackContent } from '../../designs/contents/packed-content.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentsService } from '../deployments.service.js';
import type { DeploymentPlan } from './deployment-plan.entity.js';
import type { PlanView } from './plan.view.js';
import { PlansStore } from './plans.store.js';
import { planContext } from './plan-creation.service.js';

/** Plans as they were made, for those who may read the deployments of the workspace. */
@Injectable()
export class PlanReadingService {
  constructor(
    private readonly plans: PlansStore,
    private readonly deployments: DeploymentsService,
    private readonly designs: DesignsStore,
    private readonly access: Access,
    private readonly vault: Vault,
  ) {}

  /** @throws NotFound when there is no such plan, or the actor has no role in the workspace of its design */
  async get(actor: Actor, id: string): Promise<PlanView> {
    assertScope(actor, deploymentPolicy.read);
    const plan = await this.plans.findWithContent(id);
    const design = plan && (await this.designs.find(actor, plan.designId));
    if (!design) throw new NotFound('plan', id);
    const { workspaceId, organizationId } = design;
    const role = await this.access.roleOn(actor, { type: 'workspace', id: workspaceId, organizationId });
    if (!isRoleAtLeast(role, deploymentPolicy.read.needs)) throw new NotFound('plan', id);
    return this.read(id, plan);
  }

  /** The plan that a deployment was requested with. @throws NotFound when it was requested without one */
  async getOfDeployment(actor: Actor, id: string): Promise<PlanView> {
    const { options } = await this.deployments.get(actor, id);
    const plan = options.plan_id ? await this.plans.findWithContent(options.plan_id) : null;
    return this.read(id, plan);
  }

  private async read(id: string, plan: DeploymentPlan | null): Promise<PlanView> {
    if (!plan?.content) throw new NotFound('plan', id);
    const packed = await this.vault.open(plan.content, planContext(plan.id));
    return JSON.parse((await unpackContent(packed)).toString()) as PlanView;
  }
}
