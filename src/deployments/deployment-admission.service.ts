import { Injectable } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import { AppError, Conflict } from '../core/errors/app-error.js';
import { isTemporary } from '../core/errors/problem.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { Deployment, DeploymentFailure } from './deployment.entity.js';
import { DeploymentRightsService } from './deployment-rights.service.js';
import { TargetsStore } from './targets/targets.store.js';

const SYSTEM = Actor.system('deployment');

type AdmissionSubject = Pick<
  Deployment,
  'organizationId' | 'workspaceId' | 'designId' | 'environmentId' | 'connectionIds' | 'action'
>;

/** Judges whether a deployment may go ahead: when it is requested, again when it is approved, and again when its job begins. */
@Injectable()
export class DeploymentAdmissionService {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly targets: TargetsStore,
    private readonly rights: DeploymentRightsService,
  ) {}

  /**
   * Locks what the deployment uses until the end of the transaction; the caller holds the lock of the workspace. What is deployed
   * can be undeployed whatever became of its environment.
   * @throws Conflict naming what is gone
   */
  async requireTarget(deployment: AdmissionSubject): Promise<void> {
    const { workspaceId, environmentId, connectionIds, action } = deployment;
    const state = await this.targets.lock(deployment);
    if (action === 'undeploy') return;
    if (!state?.isAssigned)
      throw new Conflict(
        'ENVIRONMENT_NOT_ASSIGNED',
        `environment ${state?.environment ?? environmentId} is not assigned to the workspace any more`,
      );
    if (!state.designWorkspaceId) throw new Conflict('DESIGN_DELETED', 'the design has been deleted');
    if (state.designWorkspaceId !== workspaceId)
      throw new Conflict('DESIGN_MOVED', 'the design has been moved to another workspace');
    if (state.status === 'archived')
      throw new Conflict('ENVIRONMENT_ARCHIVED', `environment ${state.environment} is archived`);
    const gone = connectionIds.filter((id) => !state.connectionIds.includes(id));
    if (gone.length > 0)
      throw new Conflict(
        'CONNECTION_NOT_IN_ENVIRONMENT',
        `environment ${state.environment} does not have connection ${gone.join(', ')} any more`,
      );
  }

  /** Why a deployment that was accepted before may not go ahead now; undefined when it may. Needs an open unit of work. */
  async findRefusal(
    deployment: AdmissionSubject & Pick<Deployment, 'requestedBy' | 'approvedBy'>,
  ): Promise<DeploymentFailure | undefined> {
    try {
      await this.workspaces.lockActive(SYSTEM, deployment.workspaceId);
      await this.requireTarget(deployment);
      await this.rights.requireApproval(deployment, deployment);
      await this.rights.requireMandate(deployment, deployment);
      return undefined;
    } catch (error) {
      if (isTemporary(error) || !(error instanceof AppError)) throw error;
      return { status: error.status, code: error.code, detail: error.message };
    }
  }
}
