import { Injectable } from '@nestjs/common';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { Deployment, DeploymentOptions } from '../deployment.entity.js';
import { toDeploymentFailure } from '../deployment-error.js';
import { type Plan, plannedResources } from '../plan/plan.js';
import { isClusterFailure } from '../plan/resource-error.js';
import { ClusterPlansService, type PlanSubject } from './cluster-plans.service.js';
import { DeploymentPlan } from './deployment-plan.entity.js';
import { PlansStore } from './plans.store.js';

/** What a plan is made of. */
export type PlanInputs = Pick<
  DeploymentPlan,
  | 'organizationId'
  | 'designId'
  | 'designVersion'
  | 'renderings'
  | 'currentVersion'
  | 'environmentId'
  | 'connectionIds'
  | 'options'
>;

/** Plans on clusters, and stores the inputs and the fingerprints, so that exactly that plan can be deployed. */
@Injectable()
export class StoredPlansService {
  constructor(
    private readonly clusters: ClusterPlansService,
    private readonly plans: PlansStore,
  ) {}

  /** @throws ClusterError when a cluster cannot be used */
  async create(
    { organizationId, designId, designVersion, renderings, currentVersion, ...place }: PlanInputs,
    by: Pick<PlanSubject, 'requestedBy' | 'approvals' | 'action' | 'status'>,
  ): Promise<{ stored: DeploymentPlan; plans: Map<string, Plan> }> {
    const { environmentId, connectionIds, options } = place;
    const stored = Object.assign(new DeploymentPlan(), {
      ...{ organizationId, designId, designVersion, renderings, currentVersion },
      ...{ environmentId, connectionIds, options },
    });
    const plans = await this.clusters.planAll({ ...stored, ...by, id: undefined });
    stored.fingerprints = Object.fromEntries([...plans].map(([id, plan]) => [id, plan.fingerprint]));
    stored.resources = [...plans].flatMap(([connection_id, plan]) =>
      plannedResources(plan).map(({ api_version, kind, namespace, name, action }) => ({
        ...{ connection_id, api_version, kind, namespace, name, action },
      })),
    );
    await this.plans.insert(stored);
    return { stored, plans };
  }

  /**
   * The plan that a request for approval keeps: approved later, it applies exactly that.
   * @returns its id, or why a cluster cannot be asked now
   */
  async createForRequest(deployment: Deployment): Promise<Pick<DeploymentOptions, 'plan_id' | 'plan_error'>> {
    try {
      const { stored } = await this.create({ ...deployment, currentVersion: null }, deployment);
      return { plan_id: stored.id };
    } catch (error) {
      if (error instanceof ClusterError && isClusterFailure(error)) return { plan_error: toDeploymentFailure(error) };
      throw error;
    }
  }
}
