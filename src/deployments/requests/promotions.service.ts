import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { Conflict, InvalidRequest } from '../../core/errors/app-error.js';
import { RequestedDesignsService } from '../admission/requested-designs.service.js';
import type { Design } from '../../designs/design.entity.js';
import type { Deployment, DeploymentOptions } from '../deployment.entity.js';
import type { PromotionRequest } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentsStore } from '../deployments.store.js';
import { PlansStore } from '../plans/plans.store.js';
import { RequestedVersionsService } from '../plans/requested-versions.service.js';
import { TargetsService } from '../targets/targets.service.js';
import { assertMatchesPlan } from './design-deployments.service.js';
import { DeploymentRequestsService } from './deployment-requests.service.js';

/** Deploys the version of one environment in another, with the same values and files. */
@Injectable()
export class PromotionsService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly designs: RequestedDesignsService,
    private readonly versions: RequestedVersionsService,
    private readonly targets: TargetsService,
    private readonly plans: PlansStore,
    private readonly requests: DeploymentRequestsService,
  ) {}

  /**
   * Requires what any deployment to that environment requires: rights, quota, approvals, and no freeze.
   * @throws Conflict NOT_PROMOTABLE unless it has succeeded; InvalidRequest for the same environment, or a plan of another version
   */
  async promote(actor: Actor, id: string, input: PromotionRequest): Promise<Deployment> {
    assertScope(actor, deploymentPolicy.read);
    const source = await this.deployments.get(actor, id);
    const design = await this.designs.getAllowed(actor, deploymentPolicy.deploy, { id: source.designId });
    assertPromotable(source, input);
    const plan = input.plan_id ? await this.plans.getCurrent(design, input.plan_id) : null;
    if (plan) assertMatchesPlan(input, plan);
    if (plan && !(await this.versions.isVersionOrVariant(design, plan.designVersion, source.designVersion)))
      throw InvalidRequest.forField(
        '/plan_id',
        `is a plan of version ${plan.designVersion}, and version ${source.designVersion} is promoted`,
        'Plan with the version of the deployment: POST /api/pattern/deploy/plan {id, version, environment_id}.',
      );
    const target = await this.targets.resolveForDeployment(actor, design, plan ? toTarget(plan) : input);
    const options = plan?.options ?? (await this.chooseNamespace(source, design, input));
    const wanted = { version: source.designVersion, values: input.values, namespace: options.namespace };
    return this.requests.create(actor, {
      action: 'deploy',
      design,
      version: async () => plan ?? this.versions.resolve(actor, design, wanted, target),
      target,
      name: source.name,
      options: {
        ...options,
        plan_id: input.plan_id,
        wait: input.wait,
        timeout: input.timeout,
      },
      requestApproval: input.request_approval,
      override: input,
      promotedFrom: source.id,
    });
  }

  /** The namespace in the other environment: of the request, of the existing deployment there, or of the promoted deployment. */
  private async chooseNamespace(
    { options, renderings }: Deployment,
    design: Design,
    { namespace, create_namespace: create, environment_id: to }: PromotionRequest,
  ): Promise<DeploymentOptions> {
    const destinations = namespace ? [] : await this.targets.findDeployed(design);
    const isThere = destinations.some(({ environmentId }) => environmentId === to.toLowerCase());
    const chosen = namespace ?? (isThere ? undefined : (options.namespace ?? Object.values(renderings)[0]?.namespace));
    return chosen ? { namespace: chosen, create_namespace: create ?? options.create_namespace } : {};
  }
}

const toTarget = ({ environmentId, connectionIds }: { environmentId: string; connectionIds: string[] }) => ({
  environment_id: environmentId,
  connection_ids: connectionIds,
});

function assertPromotable({ id, status, environmentId }: Deployment, { environment_id: to }: PromotionRequest): void {
  if (status !== 'succeeded')
    throw new Conflict('NOT_PROMOTABLE', `the deployment is ${status}; only a succeeded deployment can be promoted`, {
      remedy: `Choose a succeeded deployment: GET /api/deployments?status=succeeded. This one is at GET /api/deployments/${id}.`,
    });
  if (to.toLowerCase() === environmentId)
    throw InvalidRequest.forField(
      '/environment_id',
      'is where it is deployed',
      'Name another environment of the workspace.',
    );
}
