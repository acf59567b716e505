import { Injectable } from '@nestjs/common';
import { Access, assertScope } from '../core/access/access.service.js';
import type { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import { InvalidRequest } from '../core/errors/app-error.js';
import type { Page } from '../core/listing/page.js';
import type { RequestFields } from '../core/rest/rights/request-fields.js';
import type { PlacementAuthorizer, RecordAuthorizer } from '../core/rest/rights/rights.decorators.js';
import type { Design } from '../designs/design.entity.js';
import { DesignsService } from '../designs/designs.service.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { Deployment } from './deployment.entity.js';
import type { DeploymentListQuery, DeployRequest, UndeployRequest } from './deployment.inputs.js';
import { deploymentPolicy } from './deployment.policy.js';
import { DeploymentRequestsService } from './deployment-requests.service.js';
import { DeploymentsStore } from './deployments.store.js';
import type { DeploymentPlan } from './plan/deployment-plan.entity.js';
import { resolveDesignId, toOptions, PlansService } from './plan/plans.service.js';
import { TargetsService } from './targets/targets.service.js';

/** Asks for deployments and tells of them; what is asked for is done by a job. */
@Injectable()
export class DeploymentsService implements RecordAuthorizer, PlacementAuthorizer {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly designs: DesignsService,
    private readonly organizations: OrganizationsService,
    private readonly workspaces: WorkspacesService,
    private readonly targets: TargetsService,
    private readonly plans: PlansService,
    private readonly requests: DeploymentRequestsService,
    private readonly access: Access,
  ) {}

  async list(actor: Actor, query: DeploymentListQuery, designId?: string): Promise<Page<Deployment>> {
    assertScope(actor, deploymentPolicy.read);
    if (query.organization_id) await this.organizations.get(actor, query.organization_id);
    if (designId) await this.designs.get(actor, designId);
    if (query.workspace_id) await this.workspaces.get(actor, query.workspace_id);
    const scope = { organizationId: query.organization_id, workspaceId: query.workspace_id, designId };
    return this.deployments.page(actor, scope, query);
  }

  async get(actor: Actor, id: string): Promise<Deployment> {
    assertScope(actor, deploymentPolicy.read);
    return this.deployments.get(actor, id);
  }

  /** Judges the role in the workspace; what the tier of the environment asks for is judged with the rest of the call. */
  async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    const { workspaceId, organizationId } = await this.get(actor, id);
    await this.access.authorize(actor, operation, { type: 'workspace', id: workspaceId, organizationId });
  }

  /** Judges an undeployment by the design that the body names. */
  async authorizeIn(actor: Actor, _operation: Operation, fields: RequestFields): Promise<void> {
    const id = fields.id('id') ?? fields.id('pattern_id');
    if (id) await this.findUndeployable(actor, await this.designs.get(actor, id));
  }

  async deploy(actor: Actor, input: DeployRequest): Promise<Deployment> {
    const design = await this.designs.get(actor, resolveDesignId(input));
    await this.requireDeploy(actor, design.workspaceId, design);
    const held = input.plan_id ? await this.plans.getCurrent(design, input.plan_id) : null;
    if (held && input.values !== undefined)
      throw InvalidRequest.forField('/values', 'are part of the plan', 'Plan with these values, and deploy that plan.');
    if (held) assertMatchesPlan(input, held.plan);
    const wanted = held
      ? { environment_id: held.target.environmentId, connection_ids: held.target.connectionIds }
      : input;
    const target = await this.targets.resolveForDeployment(actor, design, wanted);
    return this.requests.create(actor, {
      action: 'deploy',
      design,
      version: async () => held?.plan.designVersion ?? this.plans.resolveVersion(actor, design, input),
      target,
      name: input.name ?? design.name,
      options: {
        ...(held?.plan.options ?? toOptions(input)),
        plan_id: input.plan_id,
        wait: input.wait,
        atomic: input.atomic,
      },
      requestApproval: input.request_approval,
    });
  }

  /** Judged where the design is deployed, wherever it lies by now. */
  async undeploy(actor: Actor, input: UndeployRequest): Promise<Deployment> {
    const design = await this.designs.get(actor, resolveDesignId(input));
    const places = await this.findUndeployable(actor, design);
    const target = await this.targets.resolveForUndeployment(design, places, input);
    return this.requests.create(actor, {
      action: 'undeploy',
      design,
      version: () => Promise.resolve(design.versionNumber),
      target,
      name: design.name,
      options: {},
    });
  }

  /** The places of a design, for an actor who may undeploy it from each of them. */
  private async findUndeployable(actor: Actor, design: Design) {
    const places = await this.targets.findDeployed(design);
    const judged = places.length > 0 ? places.map((place) => place.workspaceId) : [design.workspaceId];
    for (const workspaceId of new Set(judged)) await this.requireDeploy(actor, workspaceId, design);
    return places;
  }

  /** Asked of the caller before anything is told of where the design is, or could be. */
  private requireDeploy(actor: Actor, workspaceId: string, { organizationId }: Design): Promise<void> {
    return this.access.authorize(actor, deploymentPolicy.deploy, {
      type: 'workspace',
      id: workspaceId,
      organizationId,
    });
  }
}

/** @throws InvalidRequest when the call names another target or version than the plan was made for */
function assertMatchesPlan(input: DeployRequest, plan: DeploymentPlan): void {
  const { environment_id, connection_ids = [], version } = input;
  const differs = (pointer: string) =>
    InvalidRequest.forField(pointer, 'is not what the plan was made for', 'Leave it out, or plan again.');
  if (environment_id && environment_id !== plan.environmentId) throw differs('/environment_id');
  if (connection_ids.length > 0 && !isSameSet(connection_ids, plan.connectionIds)) throw differs('/connection_ids');
  if (version !== undefined && version !== plan.designVersion) throw differs('/version');
}

const isSameSet = (some: string[], others: string[]): boolean =>
  new Set([...some, ...others]).size === new Set(some).size && new Set(some).size === new Set(others).size;
