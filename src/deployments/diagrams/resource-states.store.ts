import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import type { HealthStatus } from '../../kubernetes/resources/health/health-status.js';
import type { Deployment } from '../deployment.entity.js';
import { DeploymentPlan, type PlannedAction } from '../plans/deployment-plan.entity.js';

/** The health of one object that a deployment stands for. */
export interface ObjectHealth {
  connection_id: string;
  api_version: string;
  kind: string;
  namespace: string;
  name: string;
  health: HealthStatus;
  message: string | null;
}

/** What is known of the objects of a deployment, for whom may read the deployment. */
@Injectable()
export class ResourceStatesStore {
  constructor(private readonly unit: UnitOfWork) {}

  /** The health of what the watch of the clusters sees; nothing where another deployment stands by now. */
  findHealth({ id }: Deployment): Promise<ObjectHealth[]> {
    return this.unit.runAsSystem('the health of a deployment', () =>
      this.unit.manager.query(
        `SELECT r.connection_id, r.api_version, r.kind, r.namespace, r.name, r.health, r.health_message AS message
           FROM deployed_design d JOIN cluster_resource r ON r.design_id = d.design_id
            AND r.environment_id = d.environment_id AND r.connection_id = d.connection_id
          WHERE d.deployment_id = $1 AND r.health IS NOT NULL`,
        [id],
      ),
    );
  }

  /** What the plan of a deployment would do; nothing where it has none. */
  async findPlanned({ options }: Deployment): Promise<PlannedAction[]> {
    if (!options.plan_id) return [];
    const plan = await this.unit.manager.getRepository(DeploymentPlan).findOneBy({ id: options.plan_id });
    return plan?.resources ?? [];
  }
}
