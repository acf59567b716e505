import { Injectable } from '@nestjs/common';
import { Access, requireScope } from '../core/access/access.js';
import type { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { Conflict, Forbidden, InvalidRequest, NotFound } from '../core/errors/app-error.js';
import { EventBus } from '../core/events/event-bus.js';
import type { Page } from '../core/listing/page.js';
import type { RecordJudge } from '../core/rest/rights/requires.js';
import type { Design } from '../designs/design.entity.js';
import { DesignsService } from '../designs/designs.service.js';
import { VersionsService } from '../designs/versions/versions.service.js';
import { Jobs } from '../jobs/jobs.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { Deployment } from './deployment.entity.js';
import { DeploymentCancelled } from './deployment.events.js';
import type { DeploymentListQuery, DeployRequest, RollbackRequest, UndeployRequest } from './deployment.inputs.js';
import { deploymentPolicy } from './deployment.policy.js';
import { DeploymentRequests } from './deployment-requests.js';
import { DeploymentsStore } from './deployments.store.js';
import { designOf, optionsOf, PlansService } from './plan/plans.service.js';
import { Targets } from './targets/targets.js';
import { TargetsStore } from './targets/targets.store.js';

/** Asks for deployments and tells of them; what is asked for is done by a job. */
@Injectable()
export class DeploymentsService implements RecordJudge {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly designs: DesignsService,
    private readonly versions: VersionsService,
    private readonly organizations: OrganizationsService,
    private readonly workspaces: WorkspacesService,
    private readonly targets: Targets,
    private readonly tiers: TargetsStore,
    private readonly plans: PlansService,
    private readonly requests: DeploymentRequests,
    private readonly jobs: Jobs,
    private readonly access: Access,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  async list(actor: Actor, query: DeploymentListQuery, designId?: string): Promise<Page<Deployment>> {
    requireScope(actor, deploymentPolicy.read);
    if (query.organization_id) await this.organizations.get(actor, query.organization_id);
    if (designId) await this.designs.get(actor, designId);
    if (query.workspace_id) await this.workspaces.get(actor, query.workspace_id);
    const scope = { organizationId: query.organization_id, workspaceId: query.workspace_id, designId };
    return this.deployments.page(actor, scope, query);
  }

  async get(actor: Actor, id: string): Promise<Deployment> {
    requireScope(actor, deploymentPolicy.read);
    return found(id, await this.deployments.find(actor, id));
  }

  /** Judges the role in the workspace; what the tier of the environment asks for is judged with the rest of the call. */
  async authorize(actor: Actor, operation: Operation, id: string): Promise<void> {
    const { workspaceId, organizationId } = await this.get(actor, id);
    await this.access.require(actor, operation, { type: 'workspace', id: workspaceId, organizationId });
  }

  async deploy(actor: Actor, input: DeployRequest): Promise<Deployment> {
    const design = await this.deployable(actor, designOf(input));
    const held = input.plan_id ? await this.plans.mustHold(design, input.plan_id) : null;
    if (held && input.values !== undefined)
      throw InvalidRequest.at('/values', 'are part of the plan', 'Plan with these values, and deploy that plan.');
    const wanted = held
      ? { environment_id: held.target.environmentId, connection_ids: held.target.connectionIds }
      : input;
    const target = await this.targets.forDeployment(actor, design, wanted);
    return this.requests.make(actor, {
      action: 'deploy',
      design,
      version: async () => held?.plan.designVersion ?? this.plans.versionFor(actor, design, input),
      target,
      name: input.name ?? design.name,
      options: {
        ...(held?.plan.options ?? optionsOf(input)),
        plan_id: input.plan_id,
        wait: input.wait,
        atomic: input.atomic,
      },
      requestApproval: input.request_approval,
    });
  }

  async undeploy(actor: Actor, input: UndeployRequest): Promise<Deployment> {
    const design = await this.deployable(actor, designOf(input));
    const target = await this.targets.forUndeployment(design, input);
    return this.requests.make(actor, {
      action: 'undeploy',
      design,
      version: () => Promise.resolve(design.versionNumber),
      target,
      name: design.name,
      options: {},
    });
  }

  /** Deploys an earlier version where this deployment went: the one that is named, else the one deployed there before. */
  async rollback(actor: Actor, id: string, input: RollbackRequest): Promise<Deployment> {
    const { designId, designVersion, environmentId, connectionIds, options } = await this.get(actor, id);
    const design = await this.deployable(actor, designId);
    const version = input.version ?? (await this.deployments.versionBefore(designId, environmentId, designVersion));
    if (!version) throw new Conflict('NOTHING_TO_ROLL_BACK_TO', 'no other version was deployed there before');
    const target = await this.targets.forDeployment(actor, design, {
      environment_id: environmentId,
      connection_ids: connectionIds,
    });
    const { namespace, atomic } = options;
    return this.requests.make(actor, {
      action: 'rollback',
      design,
      version: async () => (await this.versions.found(design, version)).number,
      target,
      name: design.name,
      options: { namespace, atomic },
    });
  }

  /**
   * Stops it: what waits ends at once; what runs ends as soon as it can, and with `atomic` takes back what it did. The job is
   * locked before the deployment, as at its end, so that the two never wait for one another.
   */
  async cancel(actor: Actor, id: string): Promise<Deployment> {
    const deployment = await this.get(actor, id);
    await this.requireOn(actor, deployment, deploymentPolicy.cancel);
    await this.unit.run(() => this.stop(actor, deployment));
    const now = await this.get(actor, id);
    if (now.hasEnded && now.status !== 'cancelled')
      throw new Conflict('DEPLOYMENT_ENDED', `the deployment is ${now.status} already`);
    return now;
  }

  /** Only another admin than the one who asked approves. */
  async approve(actor: Actor, id: string): Promise<Deployment> {
    const { workspaceId } = await this.get(actor, id);
    return this.unit.run(async () => {
      await this.workspaces.mustBeActive(actor, workspaceId);
      const deployment = await this.pending(actor, id);
      if (deployment.requestedBy === actor.userId)
        throw new Forbidden('whoever asked for a deployment cannot approve it', {
          remedy: 'Ask another admin of the workspace.',
        });
      await this.deployments.update(deployment, { approvedBy: actor.userId });
      return this.requests.enqueue(actor, deployment);
    });
  }

  async reject(actor: Actor, id: string): Promise<Deployment> {
    return this.unit.run(async () => {
      await this.stop(actor, await this.pending(actor, id));
      return found(id, await this.deployments.find(actor, id));
    });
  }

  /** Ends everything that is unfinished in a workspace, as part of its archiving. */
  async stopAllOf(actor: Actor, workspaceId: string): Promise<void> {
    for (const deployment of await this.deployments.unfinishedOf(workspaceId)) await this.stop(actor, deployment);
  }

  /** The design, when the actor may deploy it at all: asked before anything is told of where it could go. */
  private async deployable(actor: Actor, id: string): Promise<Design> {
    const design = await this.designs.get(actor, id);
    const { workspaceId, organizationId } = design;
    await this.access.require(actor, deploymentPolicy.deploy, { type: 'workspace', id: workspaceId, organizationId });
    return design;
  }

  private async stop(actor: Actor, { id, jobId, hasEnded }: Deployment): Promise<void> {
    if (hasEnded) return;
    if (jobId) {
      await this.jobs.cancel(jobId);
      return;
    }
    const deployment = found(id, await this.deployments.lock(actor, id));
    if (deployment.hasEnded) return;
    await this.deployments.update(deployment, { status: 'cancelled', finishedAt: new Date() });
    await this.events.publish(new DeploymentCancelled(actor, deployment));
  }

  private async pending(actor: Actor, id: string): Promise<Deployment> {
    const deployment = await this.open(actor, id, deploymentPolicy.approve);
    if (deployment.status === 'pending_approval') return deployment;
    throw new Conflict('NOT_PENDING', `the deployment is ${deployment.status}, and waits for no approval`);
  }

  private async open(actor: Actor, id: string, operation: Operation): Promise<Deployment> {
    const deployment = found(id, await this.deployments.lock(actor, id));
    await this.requireOn(actor, deployment, operation);
    return deployment;
  }

  private async requireOn(actor: Actor, deployment: Deployment, operation: Operation): Promise<void> {
    const { workspaceId, organizationId, environmentId } = deployment;
    const workspace = { type: 'workspace' as const, id: workspaceId, organizationId };
    await this.access.require(actor, operation, workspace);
    await this.requests.mustReach(actor, await this.tiers.tierOf(environmentId), deployment);
  }
}

function found(id: string, deployment: Deployment | null): Deployment {
  if (!deployment) throw new NotFound('deployment', id);
  return deployment;
}
