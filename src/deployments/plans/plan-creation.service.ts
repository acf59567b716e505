import { Injectable } from '@nestjs/common';
import { Vault } from '../../core/crypto/vault.service.js';
import type { Actor } from '../../core/access/actor.js';
import { DeploymentQuotaService } from '../admission/deployment-quota.service.js';
import type { Target } from '../targets/targets.service.js';
import { PlanView } from './plan.view.js';
import type { NewValue } from './requested-versions.service.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { Deployment, DeploymentOptions } from '../deployment.entity.js';
import { toDeploymentFailure } from '../deployment-error.js';
import { packContent } from '../../designs/contents/packed-content.js';
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
export class PlanCreationService {
  constructor(
    private readonly clusters: ClusterPlansService,
    private readonly plans: PlansStore,
    private readonly quota: DeploymentQuotaService,
    private readonly vault: Vault,
  ) {}

  /**
   * @param toView makes of it what callers see, which is kept with it
   * @throws ClusterError when a cluster cannot be used
   */
  async create(
    { organizationId, designId, designVersion, renderings, currentVersion, ...place }: PlanInputs,
    by: Pick<PlanSubject, 'requestedBy' | 'approvals' | 'action' | 'status'>,
    toView: (stored: DeploymentPlan, plans: Map<string, Plan>) => Promise<PlanView>,
  ): Promise<PlanView> {
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
    const view = await toView(stored, plans);
    const packed = await packContent(JSON.stringify(view));
    stored.content = await this.vault.seal(organizationId, packed, planContext(stored.id));
    await this.plans.insert(stored);
    return view;
  }

  /**
   * The plan that a request for approval keeps: approved later, it applies exactly that.
   * @returns its id, or why a cluster cannot be asked now
   */
  async createForRequest(
    actor: Actor,
    deployment: Deployment,
    target: Target,
    newValues: NewValue[],
  ): Promise<Pick<DeploymentOptions, 'plan_id' | 'plan_error'>> {
    const { workspaceId, policyViolations: violations } = deployment;
    try {
      const inputs = { ...deployment, currentVersion: null };
      const { plan_id } = await this.create(inputs, deployment, async (stored, plans) => {
        const quota = await this.quota.getStatus(actor, workspaceId);
        return PlanView.fromPlans(stored, target, plans, { quota, violations, newValues });
      });
      return { plan_id };
    } catch (error) {
      if (error instanceof ClusterError && isClusterFailure(error)) return { plan_error: toDeploymentFailure(error) };
      throw error;
    }
  }
}

/** The encryption context of the content of a plan. */
export const planContext = (id: string): string => `plan ${id}`;
