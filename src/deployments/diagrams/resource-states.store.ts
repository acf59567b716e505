import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentPlan, type PlannedAction } from '../plans/deployment-plan.entity.js';

/** The planned actions of deployments. The caller has checked the right to read the deployment. */
@Injectable()
export class ResourceStatesStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** The actions of the plan that a deployment names; empty without a plan. */
  async findPlanned({ options }: Deployment): Promise<PlannedAction[]> {
    if (!options.plan_id) return [];
    const plan = await this.unit.manager.getRepository(DeploymentPlan).findOneBy({ id: options.plan_id });
    return plan?.resources ?? [];
  }
}
