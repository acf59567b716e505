import { Injectable, Logger } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import type { Design } from '../../designs/design.entity.js';
import { DesignFilesService, type FileDesign } from '../../designs/design-files.service.js';
import { RequestedDesignsService } from '../admission/requested-designs.service.js';
import type { Deployment } from '../deployment.entity.js';
import { type DeployRequest, toOptions } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { DeploymentsStore } from '../deployments.store.js';
import type { DeploymentPlan } from '../plans/deployment-plan.entity.js';
import { PlansStore } from '../plans/plans.store.js';
import { type RequestedVersions, RequestedVersionsService } from '../plans/requested-versions.service.js';
import { type Target, TargetsService } from '../targets/targets.service.js';
import { DeploymentConditionsService } from './deployment-conditions.service.js';
import { DeploymentRequestsService } from './deployment-requests.service.js';

/** Requests deployments of designs, with or without a plan. */
@Injectable()
export class DesignDeploymentsService {
  private readonly logger = new Logger(DesignDeploymentsService.name);

  constructor(
    private readonly designs: RequestedDesignsService,
    private readonly files: DesignFilesService,
    private readonly versions: RequestedVersionsService,
    private readonly targets: TargetsService,
    private readonly plans: PlansStore,
    private readonly deployments: DeploymentsStore,
    private readonly conditions: DeploymentConditionsService,
    private readonly requests: DeploymentRequestsService,
  ) {}

  /** A file without a design is imported first; where its deployment is refused, no design of it is left. */
  async deploy(actor: Actor, input: DeployRequest): Promise<Deployment> {
    const { id, pattern_file, workspace_id, name } = input;
    if (id || pattern_file === undefined) {
      const design = await this.designs.getAllowed(actor, deploymentPolicy.deploy, input);
      return this.deployDesign(actor, design, input, (_, target) =>
        this.versions.resolveWithFile(actor, design, input, target),
      );
    }
    const file = await this.files.prepare(actor, { pattern_file, workspace_id, name }, deploymentPolicy.deploy);
    try {
      return await this.deployDesign(
        actor,
        file.design,
        input,
        (design, target) => this.versions.resolve(actor, design, input, target),
        file.store,
      );
    } catch (error) {
      await this.discard(file);
      throw error;
    }
  }

  /** Another call with the same file may deploy its design. The caller receives why the file was refused, whatever fails here. */
  private async discard(file: FileDesign): Promise<void> {
    try {
      await file.discard((designId) => this.deployments.existsOfDesign(designId));
    } catch (error) {
      this.logger.warn(`The design ${file.design.id} of a file that was not deployed is not deleted: ${String(error)}`);
    }
  }

  /** @param store called once the target is known, before the deployment is admitted */
  private async deployDesign(
    actor: Actor,
    design: Design,
    input: DeployRequest,
    resolveVersion: (design: Design, target: Target) => Promise<RequestedVersions>,
    store?: () => Promise<Design>,
  ): Promise<Deployment> {
    const plan = input.plan_id ? await this.plans.getCurrent(design, input.plan_id) : null;
    if (plan) {
      assertMatchesPlan(input, plan);
      // A plan of a chart is one of the version as it is rendered for a cluster.
      const { version = plan.designVersion } = input;
      if (!(await this.versions.isVersionOrVariant(design, plan.designVersion, version))) throw differs('/version');
    }
    const wanted = plan ? { environment_id: plan.environmentId, connection_ids: plan.connectionIds } : input;
    const target = await this.targets.resolveForDeployment(actor, design, wanted);
    const options = { ...(plan?.options ?? toOptions(input)), self_heal: input.self_heal, drift: input.drift };
    await this.conditions.require({ designId: design.id, ...target }, options);
    const stored = (await store?.()) ?? design;
    if (stored.id !== design.id) return this.deployDesign(actor, stored, input, resolveVersion);
    return this.requests.create(actor, {
      action: 'deploy',
      design,
      version: async () => plan ?? resolveVersion(design, target),
      target,
      name: input.name ?? design.name,
      options: {
        ...options,
        plan_id: input.plan_id,
        wait: input.wait,
        timeout: input.timeout,
        atomic: input.atomic,
      },
      requestApproval: input.request_approval,
      override: input,
    });
  }
}

/** @throws InvalidRequest when the request names another target than the plan, or values */
export function assertMatchesPlan(
  input: Pick<DeployRequest, 'values' | 'environment_id' | 'connection_ids' | 'namespace'>,
  plan: DeploymentPlan,
): void {
  if (input.values !== undefined)
    throw InvalidRequest.forField('/values', 'are part of the plan', 'Plan with these values, and deploy that plan.');
  const { environment_id, connection_ids = [], namespace } = input;
  if (environment_id && environment_id !== plan.environmentId) throw differs('/environment_id');
  if (connection_ids.length > 0 && !isSameSet(connection_ids, plan.connectionIds)) throw differs('/connection_ids');
  if (namespace && namespace !== plan.options.namespace) throw differs('/namespace');
}

const differs = (pointer: string): InvalidRequest =>
  InvalidRequest.forField(pointer, 'is not what the plan was made for', 'Leave it out, or plan again.');

const isSameSet = (some: string[], others: string[]): boolean =>
  new Set([...some, ...others]).size === new Set(some).size && new Set(some).size === new Set(others).size;
