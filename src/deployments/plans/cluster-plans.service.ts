import { Injectable } from '@nestjs/common';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { ValidationService } from '../../registry/validation/validation.service.js';
import { BusyClusters } from '../busy-clusters.js';
import { type DeployedDesign, DeployedDesignsStore } from '../deployed-designs.store.js';
import { DesignSecretsService } from '../design-secrets.service.js';
import type { Deployment } from '../deployment.entity.js';
import { type HookPhases, INSTALL_PHASES, ROLLBACK_PHASES, UPGRADE_PHASES } from '../plan/hook-plans.js';
import { findChartDefinitions } from '../plan/definitions.js';
import { KeptObjectsStore } from '../kept-objects.store.js';
import type { Plan } from '../plan/plan.js';
import type { DesiredResource } from '../plan/planned-resource.js';
import { Planner } from '../plan/planner.js';
import { versionFor } from '../renderings/rendering.js';
import { AdoptionService } from './adoption.service.js';
import { DeployedNamespacesService } from './deployed-namespaces.service.js';
import { SealedValuesLookup } from './sealed-values-lookup.service.js';
import { DeploymentContextService } from './deployment-context.service.js';

/** Timeout of a plan on one cluster. */
const PLAN_TIMEOUT_MS = 600_000;

export type PlanSubject = Pick<
  Deployment,
  'designId' | 'environmentId' | 'renderings' | 'options' | 'requestedBy' | 'approvals'
> &
  Partial<Pick<Deployment, 'id' | 'action' | 'status'>>;

/** Creates plans by requests to the clusters. */
@Injectable()
export class ClusterPlansService {
  constructor(
    private readonly context: DeploymentContextService,
    private readonly deployed: DeployedDesignsStore,
    private readonly kept: KeptObjectsStore,
    private readonly namespaces: DeployedNamespacesService,
    private readonly adoption: AdoptionService,
    private readonly validation: ValidationService,
    private readonly secrets: DesignSecretsService,
    private readonly sealedValues: SealedValuesLookup,
    private readonly busy: BusyClusters,
  ) {}

  /** Plans on each of the clusters, by connection. @throws ClusterError */
  async planAll(of: PlanSubject & Pick<Deployment, 'designVersion' | 'connectionIds'>): Promise<Map<string, Plan>> {
    const plans = new Map<string, Plan>();
    for (const connectionId of of.connectionIds) {
      const resources = await this.context.readResources(of.designId, versionFor(of, connectionId));
      plans.set(connectionId, await this.busy.during(connectionId, () => this.plan(of, connectionId, resources)));
    }
    return plans;
  }

  /** Plans on one cluster. @throws ClusterError when the cluster cannot be used; it says no secret values */
  async plan(of: PlanSubject, connectionId: string, resources: DesiredResource[], signal?: AbortSignal): Promise<Plan> {
    const cluster = await this.context.getClient(connectionId);
    const owner = await this.context.getOwner(of, connectionId);
    const known = await this.deployed.find(of, connectionId);
    const { adopt, force, replace, create_namespace: createNamespace, delete_volumes: deleteVolumes } = of.options;
    const namespace = this.namespaces.resolve(known?.namespace, {
      ...of.options,
      namespace: of.options.namespace || of.renderings[connectionId]?.namespace,
    });
    const mayAdopt = this.adoption.createCheck(of);
    const standing = known && (await this.deployed.findStandingVersion(of, connectionId));
    const deadline = AbortSignal.timeout(PLAN_TIMEOUT_MS);
    const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const rules = { adopt, mayAdopt, force, replace, deleteVolumes };
    const options = {
      ...rules,
      namespace,
      createNamespace,
      phases: phasesOf(of, known),
      previous: known?.objects,
      ...(await this.kept.read(of, connectionId)),
      ...(known && {
        chartDefinitions: async () =>
          findChartDefinitions(await this.context.readResources(of.designId, known.designVersion)),
      }),
      ...(standing !== null && { standing: () => this.context.readResources(of.designId, standing) }),
      sealedValues: this.sealedValues.create(of, connectionId, cluster),
      signal: either,
    };
    return new Planner(cluster, this.validation).plan(resources, owner, options).catch(async (error: unknown) => {
      if (error === deadline.reason && !signal?.aborted)
        throw new ClusterError('timeout', 'The cluster took too long to answer the requests of the plan', {
          cause: error,
        });
      const sent = resources.map(({ object }) => object);
      throw await this.secrets.hideInError(error, { designId: of.designId, connectionId }, sent);
    });
  }
}

/** A deployment to a cluster without the design runs the install hooks, also when a replica resumes it. */
function phasesOf({ id, action }: PlanSubject, known: DeployedDesign | null): HookPhases {
  if (action === 'rollback') return ROLLBACK_PHASES;
  const isFirst = known === null || (known.deploymentId === id && !known.hasPrevious);
  return isFirst ? INSTALL_PHASES : UPGRADE_PHASES;
}
