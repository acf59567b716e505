import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentPlan, type PlannedAction } from '../plans/deployment-plan.entity.js';

/** What was planned for the objects of a deployment, for whom may read the deployment. */
@Injectable()
export class ResourceStatesStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** What the plan of a deployment would do; nothing where it has none. */
  async findPlanned({ options }: Deployment): Promise<PlannedAction[]> {
    if (!options.plan_id) return [];
    const plan = await this.unit.manager.getRepository(DeploymentPlan).findOneBy({ id: options.plan_id });
    return plan?.resources ?? [];
  }
}
