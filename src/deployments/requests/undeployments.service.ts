import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import type { RequestFields } from '../../core/rest/rights/request-fields.js';
import type { PlacementAuthorizer } from '../../core/rest/rights/rights.decorators.js';
import type { Design } from '../../designs/design.entity.js';
import { RequestedDesignsService } from '../admission/requested-designs.service.js';
import type { DeployedDesign } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import type { UndeployRequest } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { TargetsService } from '../targets/targets.service.js';
import { DeploymentRequestsService } from './deployment-requests.service.js';

/** Requests undeployments of designs. Requires rights to the destination where the design is deployed. */
@Injectable()
export class UndeploymentsService implements PlacementAuthorizer {
  constructor(
    private readonly designs: RequestedDesignsService,
    private readonly targets: TargetsService,
    private readonly requests: DeploymentRequestsService,
  ) {}

  /** Checks the rights to the design that the body names. */
  async authorizeIn(actor: Actor, _operation: Operation, fields: RequestFields): Promise<void> {
    const id = fields.id('id') ?? fields.id('pattern_id');
    if (id) await this.findUndeployable(actor, await this.designs.get(actor, { id }));
  }

  async undeploy(actor: Actor, input: UndeployRequest): Promise<Deployment> {
    const design = await this.designs.get(actor, input);
    const destinations = await this.findUndeployable(actor, design);
    const target = await this.targets.resolveForUndeployment(actor, design, destinations, input);
    return this.requests.create(actor, {
      action: 'undeploy',
      design,
      version: () => Promise.resolve({ designVersion: design.versionNumber, renderings: {} }),
      target,
      name: design.name,
      options: {
        ...(input.delete_volumes ? { delete_volumes: true } : {}),
        ...(input.skip_hooks ? { skip_hooks: true } : {}),
        ...(input.atomic === false ? { atomic: false } : {}),
        ...(input.timeout !== undefined ? { timeout: input.timeout } : {}),
      },
      requestApproval: input.request_approval,
      override: input,
    });
  }

  /** The destinations of a design, if the actor may undeploy it from all of them. Rights are checked before a response lists them. */
  private async findUndeployable(actor: Actor, design: Design): Promise<DeployedDesign[]> {
    const destinations = await this.targets.findDeployed(design);
    const workspaceIds =
      destinations.length > 0 ? destinations.map((destination) => destination.workspaceId) : [design.workspaceId];
    for (const workspaceId of new Set(workspaceIds))
      await this.designs.authorize(actor, deploymentPolicy.deploy, design, workspaceId);
    return destinations;
  }
}
