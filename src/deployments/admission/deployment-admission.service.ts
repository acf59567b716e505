import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { AppError, Conflict } from '../../core/errors/app-error.js';
import { isTemporary } from '../../core/errors/problem.js';
import type { ActiveFreeze } from '../../environments/freezes/freezes.service.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import type { Deployment, DeploymentFailure } from '../deployment.entity.js';
import { toDeploymentFailure } from '../deployment-error.js';
import { PolicyChecksService } from '../policies/policy-checks.service.js';
import type { PolicySubject } from '../policies/policy-evaluation.service.js';
import type { PolicyViolation } from '../plan/policy-violation.js';
import { DeploymentQuotaService } from './deployment-quota.service.js';
import { ApprovalRulesService } from './approval-rules.service.js';
import { FreezeAdmissionService } from './freeze-admission.service.js';
import { TargetsStore } from '../targets/targets.store.js';

const SYSTEM = Actor.system('deployment');

type AdmissionSubject = Pick<
  Deployment,
  | 'organizationId'
  | 'workspaceId'
  | 'designId'
  | 'environmentId'
  | 'connectionIds'
  | 'action'
  | 'status'
  | 'requestedBy'
  | 'approvals'
  | 'options'
>;

/** Judges whether a deployment may go ahead: when it is requested, again when it is approved, and again when its job begins. */
@Injectable()
export class DeploymentAdmissionService {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly targets: TargetsStore,
    private readonly approvals: ApprovalRulesService,
    private readonly quota: DeploymentQuotaService,
    private readonly freezes: FreezeAdmissionService,
    private readonly policies: PolicyChecksService,
  ) {}

  /**
   * Judges one that is requested, and locks its workspace and what it uses until the end of the transaction.
   * What waits for an approval waits for the end of a freeze, too: it is judged again when it is approved.
   * @returns the freeze that it overrides, if any
   * @throws Conflict when the workspace is archived, its quota is used up, the target is gone or the environment is frozen
   */
  async admit(actor: Actor, deployment: AdmissionSubject): Promise<ActiveFreeze | undefined> {
    const workspace = await this.workspaces.lockActive(actor, deployment.workspaceId);
    await this.requireTarget(deployment);
    const overridden =
      deployment.status === 'pending_approval' ? undefined : await this.freezes.requireOpen(deployment);
    if (deployment.action === 'deploy') await this.quota.assertOneMore(workspace);
    return overridden;
  }

  /**
   * Locks what the deployment uses until the end of the transaction; the caller holds the lock of the workspace. What is deployed
   * can be undeployed whatever became of its environment.
   * @throws Conflict naming what is gone
   */
  private async requireTarget(deployment: AdmissionSubject): Promise<void> {
    const { workspaceId, environmentId, connectionIds, action } = deployment;
    const state = await this.targets.lock(deployment);
    if (action === 'undeploy') return;
    if (!state?.isAssigned)
      throw new Conflict(
        'ENVIRONMENT_NOT_ASSIGNED',
        `environment ${state?.environment ?? environmentId} is not assigned to the workspace any more`,
        { remedy: 'Assign the environment to the workspace, and deploy again.' },
      );
    if (!state.designWorkspaceId)
      throw new Conflict('DESIGN_DELETED', 'the design has been deleted', {
        remedy: 'Restore the design, and deploy again: POST /api/pattern/{id}/restore.',
      });
    if (state.designWorkspaceId !== workspaceId)
      throw new Conflict('DESIGN_MOVED', 'the design has been moved to another workspace', {
        remedy: 'Deploy it again from the workspace where it is now.',
      });
    if (state.status === 'archived')
      throw new Conflict('ENVIRONMENT_ARCHIVED', `environment ${state.environment} is archived`, {
        remedy: 'Restore the environment, and deploy again.',
      });
    const gone = connectionIds.filter((id) => !state.connectionIds.includes(id));
    if (gone.length > 0)
      throw new Conflict(
        'CONNECTION_NOT_IN_ENVIRONMENT',
        `environment ${state.environment} does not have connection ${gone.join(', ')} any more`,
        { remedy: 'Add the connection to the environment, or deploy through another one.' },
      );
  }

  /** Locks the workspace of a deployment before the deployment itself. @throws Conflict when it is archived */
  async lockWorkspace(actor: Actor, id: string): Promise<void> {
    await this.workspaces.lockActive(actor, id);
  }

  /**
   * Holds what is deployed to the policies of the workspace; what is undeployed complies. Needs that no unit of work is open.
   * @returns the violations of policies that only warn
   * @throws Conflict POLICY_VIOLATION
   */
  async requireCompliance(
    actor: Actor,
    deployment: PolicySubject & Pick<Deployment, 'action'>,
  ): Promise<PolicyViolation[]> {
    return deployment.action === 'undeploy' ? [] : this.policies.requireCompliance(actor, deployment);
  }

  /** An approval in a freeze is refused, and the deployment waits on. @throws Conflict ENVIRONMENT_FROZEN */
  async requireOpen(deployment: AdmissionSubject): Promise<void> {
    await this.freezes.requireOpen(deployment);
  }

  /** Why a request may not proceed now, regardless of approvals; undefined when it may. Needs an open unit of work. */
  findRefusal(deployment: AdmissionSubject): Promise<DeploymentFailure | undefined> {
    return toRefusal(async () => {
      await this.workspaces.lockActive(SYSTEM, deployment.workspaceId);
      await this.requireTarget(deployment);
      await this.freezes.requireOpen(deployment);
      await this.approvals.requireRequester(deployment, deployment);
    });
  }

  /** The same for what is about to begin: all approvals that it needs now must have been given. */
  async findStartRefusal(deployment: AdmissionSubject): Promise<DeploymentFailure | undefined> {
    return (
      (await this.findRefusal(deployment)) ??
      (await toRefusal(() => this.approvals.requireMandate(deployment, deployment)))
    );
  }

  /** How many approvals a request still needs. */
  countMissingApprovals(deployment: AdmissionSubject): Promise<number> {
    return this.approvals.countMissing(deployment, deployment);
  }
}

async function toRefusal(judge: () => Promise<void>): Promise<DeploymentFailure | undefined> {
  try {
    await judge();
    return undefined;
  } catch (error) {
    if (isTemporary(error) || !(error instanceof AppError)) throw error;
    return toDeploymentFailure(error);
  }
}
