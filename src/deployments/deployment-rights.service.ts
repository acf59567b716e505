import { Injectable } from '@nestjs/common';
import { Access, type ProtectedRecord } from '../core/access/access.service.js';
import { Actor } from '../core/access/actor.js';
import type { Operation } from '../core/access/policy.js';
import { isRoleAtLeast } from '../core/access/roles.js';
import { Conflict, Forbidden } from '../core/errors/app-error.js';
import { UsersStore } from '../organizations/users/users.store.js';
import type { DeploymentLocation } from './deployed-designs.store.js';
import type { Deployment } from './deployment.entity.js';
import { deploymentPolicy } from './deployment.policy.js';
import { TargetsStore } from './targets/targets.store.js';

/** Who asked for a deployment, and who approved it. */
export type Mandate = Pick<Deployment, 'requestedBy' | 'approvedBy'>;

/** Judges who may act where something is deployed: by their role in its workspace, and by the tier of its environment. */
@Injectable()
export class DeploymentRightsService {
  constructor(
    private readonly access: Access,
    private readonly targets: TargetsStore,
    private readonly users: UsersStore,
  ) {}

  /** @throws Forbidden; with the code APPROVAL_REQUIRED when only the tier stands in the way */
  async requireAccess(actor: Actor, operation: Operation, place: DeploymentLocation): Promise<void> {
    await this.access.authorize(actor, operation, toResource(place));
    await this.requireTier(actor, place);
  }

  /** @throws Forbidden APPROVAL_REQUIRED when the tier is production and the actor is no admin of the workspace */
  async requireTier(actor: Actor, place: DeploymentLocation): Promise<void> {
    if (!(await this.isProduction(place))) return;
    await this.access.authorize(actor, deploymentPolicy.actOnProduction, toResource(place)).catch((error: unknown) => {
      if (!(error instanceof Forbidden) || error.code !== 'FORBIDDEN') throw error;
      throw approvalRequired();
    });
  }

  /**
   * Judges by the roles of now what was asked for, and maybe approved, before: on production one of the two must be an admin.
   * @throws Conflict REQUESTER_NOT_ALLOWED, Forbidden APPROVAL_REQUIRED
   */
  async requireMandate({ requestedBy, approvedBy }: Mandate, place: DeploymentLocation): Promise<void> {
    if (!(await this.isAllowed(requestedBy, deploymentPolicy.deploy, place)))
      throw new Conflict(
        'REQUESTER_NOT_ALLOWED',
        'the user who requested the deployment may not deploy there any more',
      );
    if (!(await this.isProduction(place))) return;
    if (await this.isAllowed(requestedBy, deploymentPolicy.actOnProduction, place)) return;
    if (!(await this.isAllowed(approvedBy, deploymentPolicy.approve, place))) throw approvalRequired();
  }

  /** @throws Conflict APPROVER_NOT_ALLOWED when an approval was given that its approver could not give any more */
  async requireApproval({ approvedBy }: Mandate, place: DeploymentLocation): Promise<void> {
    if (approvedBy === null || (await this.isAllowed(approvedBy, deploymentPolicy.approve, place))) return;
    throw new Conflict('APPROVER_NOT_ALLOWED', 'the user who approved the deployment may not approve there any more');
  }

  private async isProduction({ environmentId }: DeploymentLocation): Promise<boolean> {
    return (await this.targets.findTier(environmentId)) === 'production';
  }

  private async isAllowed(userId: string | null, operation: Operation, place: DeploymentLocation): Promise<boolean> {
    const user = userId === null ? null : await this.users.find(userId);
    if (!user || user.deactivatedAt) return false;
    return isRoleAtLeast(await this.access.roleOn(Actor.user(user), toResource(place)), operation.needs);
  }
}

const toResource = ({ workspaceId, organizationId }: DeploymentLocation): ProtectedRecord => ({
  type: 'workspace',
  id: workspaceId,
  organizationId,
});

const approvalRequired = (): Forbidden =>
  new Forbidden('acting on production needs an admin of the workspace', {
    code: 'APPROVAL_REQUIRED',
    remedy: 'Send request_approval: true, and let an admin of the workspace approve.',
  });
