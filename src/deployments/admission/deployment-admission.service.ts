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

/** Decides whether a deployment may proceed: when it is requested, when it is approved, and when its job starts. */
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
   * Admits a requested deployment, and locks its workspace and everything that it uses until the end of the transaction. A
   * deployment that waits for approval may be requested during a freeze, because it is checked again when it is approved.
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
   * Locks what the deployment uses until the end of the transaction. The caller holds the lock of the workspace. Undeploying
   * remains possible when the environment has been archived or unassigned.
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

  /** Locks the workspace of a deployment; must be called before the deployment is locked. @throws Conflict when it is archived */
  async lockWorkspace(actor: Actor, id: string): Promise<void> {
    await this.workspaces.lockActive(actor, id);
  }

  /**
   * Evaluates the policies of the workspace; undeployments always comply. Must be called outside of a transaction.
   * @returns the violations of policies that only warn
   * @throws Conflict POLICY_VIOLATION
   */
  async requireCompliance(
    actor: Actor,
    deployment: PolicySubject & Pick<Deployment, 'action'>,
  ): Promise<PolicyViolation[]> {
    return deployment.action === 'undeploy' ? [] : this.policies.requireCompliance(actor, deployment);
  }

  /** Refuses an approval during a freeze; the deployment keeps waiting. @throws Conflict ENVIRONMENT_FROZEN */
  async requireOpen(deployment: AdmissionSubject): Promise<void> {
    await this.freezes.requireOpen(deployment);
  }

  /** Why a request may not proceed now, apart from approvals; undefined when it may. Requires an open transaction. */
  findRefusal(deployment: AdmissionSubject): Promise<DeploymentFailure | undefined> {
    return toRefusal(async () => {
      await this.workspaces.lockActive(SYSTEM, deployment.workspaceId);
      await this.requireTarget(deployment);
      await this.freezes.requireOpen(deployment);
      await this.approvals.requireRequester(deployment, deployment);
    });
  }

  /** As `findRefusal`, when the job starts: all approvals that are required now must have been given. */
  async findStartRefusal(deployment: AdmissionSubject): Promise<DeploymentFailure | undefined> {
    return (
      (await this.findRefusal(deployment)) ??
      (await toRefusal(() => this.approvals.requireStillAllowed(deployment, deployment)))
    );
  }

  /** The number of approvals that a request still requires. */
  countMissingApprovals(deployment: AdmissionSubject): Promise<number> {
    return this.approvals.countMissing(deployment, deployment);
  }
}

async function toRefusal(check: () => Promise<void>): Promise<DeploymentFailure | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    if (isTemporary(error) || !(error instanceof AppError)) throw error;
    return toDeploymentFailure(error);
  }
}
