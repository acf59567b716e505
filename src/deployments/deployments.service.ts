import { Injectable } from '@nestjs/common';
import { Access } from '../core/authorization/access.service.js';
import { assertScope } from '../core/authorization/permission-errors.js';
import type { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import type { Page } from '../core/listing/page.js';
import type { RecordAuthorizer } from '../core/rest/rights/rights.decorators.js';
import { DesignsService } from '../designs/designs.service.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { Deployment } from './deployment.entity.js';
import { DeploymentHealthService } from './deployment-health.service.js';
import type { DeploymentListQuery } from './deployment.inputs.js';
import { deploymentPolicy } from './deployment.policy.js';
import { DeploymentsStore } from './deployments.store.js';
import { assertNotOwnRequest } from './own-request.js';

/** Deployment records, as far as the caller may see them. */
@Injectable()
export class DeploymentsService implements RecordAuthorizer {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly designs: DesignsService,
    private readonly organizations: OrganizationsService,
    private readonly workspaces: WorkspacesService,
    private readonly access: Access,
    private readonly health: DeploymentHealthService,
  ) {}

  async list(actor: Actor, query: DeploymentListQuery, designId?: string): Promise<Page<Deployment>> {
    assertScope(actor, deploymentPolicy.read);
    if (query.organization_id) await this.organizations.resolve(actor, query.organization_id);
    if (designId) await this.designs.get(actor, designId);
    if (query.workspace_id) await this.workspaces.get(actor, query.workspace_id);
    const scope = {
      organizationId: query.organization_id,
      workspaceId: query.workspace_id,
      environmentId: query.environment_id,
      designId: designId ?? query.design_id,
      status: query.status,
    };
    const page = await this.deployments.page(actor, scope, query);
    await this.deployments.findQueuePositions(page.items);
    await this.health.load(page.items);
    return page;
  }

  async get(actor: Actor, id: string): Promise<Deployment> {
    assertScope(actor, deploymentPolicy.read);
    const deployment = await this.withQueuePosition(await this.deployments.get(actor, id));
    await this.health.load([deployment]);
    return deployment;
  }

  /** Sets the position in the queue of a queued deployment. */
  async withQueuePosition(deployment: Deployment): Promise<Deployment> {
    await this.deployments.findQueuePositions([deployment]);
    return deployment;
  }

  /** Checks the role in the workspace. What the tier of the environment requires is checked with the rest of the call. */
  async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    assertScope(actor, deploymentPolicy.read);
    const deployment = await this.deployments.get(actor, id);
    if (operation === deploymentPolicy.approve) assertNotOwnRequest(actor, deployment);
    const { workspaceId, organizationId } = deployment;
    const needed = operation === deploymentPolicy.logs ? await this.rightToLogs(deployment) : operation;
    await this.access.authorize(actor, needed, { type: 'workspace', id: workspaceId, organizationId });
  }

  /** Viewers read logs where the environment says so. */
  private async rightToLogs({ environmentId }: Deployment): Promise<Operation> {
    return (await this.deployments.findLogReaders(environmentId)) === 'viewer'
      ? deploymentPolicy.read
      : deploymentPolicy.logs;
  }
}
