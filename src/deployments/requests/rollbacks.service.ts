import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { Conflict } from '../../core/errors/app-error.js';
import { DesignsService } from '../../designs/designs.service.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import type { RollbackRequest } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { ApprovalRulesService } from '../admission/approval-rules.service.js';
import { DeploymentRequestsService } from './deployment-requests.service.js';
import { DeploymentsStore } from '../deployments.store.js';
import { type DeployedVersions, type Rendering, versionFor } from '../renderings/rendering.js';
import { TargetsService } from '../targets/targets.service.js';

/** Deploys an earlier version again. Rollbacks do not count against the quota, so only versions that were deployed before are accepted. */
@Injectable()
export class RollbacksService {
  constructor(
    private readonly deployments: DeploymentsStore,
    private readonly designs: DesignsService,
    private readonly deployed: DeployedDesignsStore,
    private readonly targets: TargetsService,
    private readonly approvals: ApprovalRulesService,
    private readonly requests: DeploymentRequestsService,
  ) {}

  /**
   * Rolls back to the requested version, else to the one that was deployed before this deployment, in the namespace that it had.
   * @throws Conflict NOTHING_TO_ROLL_BACK_TO when that version was never deployed there, or is the current one
   */
  async rollback(actor: Actor, id: string, input: RollbackRequest): Promise<Deployment> {
    assertScope(actor, deploymentPolicy.read);
    const { version } = input;
    const deployment = await this.deployments.get(actor, id);
    const { designId, organizationId, environmentId, connectionIds, options } = deployment;
    const design = await this.designs.get(actor, designId);
    const everywhere = await this.deployed.findByUse({ designId, environmentId });
    const deployed = everywhere.filter(({ connectionId }) => connectionIds.includes(connectionId));
    const workspaceId = deployed[0]?.workspaceId ?? deployment.workspaceId;
    await this.approvals.requireRequest(
      actor,
      { action: 'rollback', requestApproval: input.request_approval, override: input },
      { workspaceId, organizationId, environmentId },
    );
    if (workspaceId !== design.workspaceId)
      throw nothingToRollBackTo('the design has been moved to another workspace since');
    const { namespace, ...versions } = await this.findTarget(deployment, version);
    const isDeployed = connectionIds.every((connectionId) =>
      deployed.some(
        (destination) =>
          destination.connectionId === connectionId && destination.designVersion === versionFor(versions, connectionId),
      ),
    );
    if (isDeployed) throw nothingToRollBackTo(`version ${versions.designVersion} is deployed there now`);
    const target = await this.targets.resolveForDeployment(actor, design, {
      environment_id: environmentId,
      connection_ids: connectionIds,
    });
    return this.requests.create(actor, {
      action: 'rollback',
      design,
      version: () => Promise.resolve(versions),
      target,
      name: design.name,
      options: {
        ...(namespace ? { namespace, move: true } : {}),
        create_namespace: options.create_namespace,
        replace: options.replace,
        adopt: input.adopt,
        force: input.force,
        atomic: options.atomic,
        wait: input.wait,
        self_heal: options.self_heal,
        drift: options.drift,
        timeout: input.timeout,
      },
      requestApproval: input.request_approval,
      override: input,
    });
  }

  /** @throws Conflict NOTHING_TO_ROLL_BACK_TO */
  private async findTarget(deployment: Deployment, version: number | undefined): Promise<RollbackTarget> {
    if (version !== undefined) {
      const earlier = await this.deployments.findOfVersion(deployment, version);
      if (!earlier) throw nothingToRollBackTo(`version ${version} was never deployed there successfully`);
      return { designVersion: version, renderings: earlier.renderings, namespace: earlier.options.namespace };
    }
    const before = await this.deployments.findPrevious(deployment);
    const versions = new Set(before.map(({ designVersion }) => designVersion));
    const [{ designVersion = null, options = null } = {}] = before;
    if (versions.size > 1)
      throw nothingToRollBackTo('its clusters had different versions before', 'Send the version to roll back to.');
    if (designVersion === null) throw nothingToRollBackTo('no version was deployed there before this deployment');
    const renderings = before.flatMap(({ connectionId, renderings: all }): [string, Rendering][] => {
      const rendering = all?.[connectionId];
      return rendering ? [[connectionId, rendering]] : [];
    });
    return { designVersion, renderings: Object.fromEntries(renderings), namespace: options?.namespace };
  }
}

/** The version to deploy again, and its namespace. */
interface RollbackTarget extends DeployedVersions {
  namespace: string | undefined;
}

const nothingToRollBackTo = (
  why: string,
  remedy = 'Deploy the version that you want: POST /api/pattern/deploy with version.',
): Conflict => new Conflict('NOTHING_TO_ROLL_BACK_TO', why, { remedy });
