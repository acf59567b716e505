import { Injectable } from '@nestjs/common';
import { Access, type ProtectedRecord } from '../../core/access/access.service.js';
import { Actor } from '../../core/access/actor.js';
import type { Operation } from '../../core/access/policy.js';
import { isRoleAtLeast } from '../../core/access/roles.js';
import { Conflict, Forbidden, InvalidRequest } from '../../core/errors/app-error.js';
import { freezePolicy } from '../../environments/freezes/freeze.policy.js';
import { UsersStore } from '../../organizations/users/users.store.js';
import type { DeploymentLocation } from '../deployed-designs.store.js';
import type { Deployment, DeploymentAction } from '../deployment.entity.js';
import type { FreezeOverride } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { TargetsStore } from '../targets/targets.store.js';

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

  /** @throws Forbidden; when only the tier stands in the way of a deployment, with the code APPROVAL_REQUIRED */
  async requireAccess(actor: Actor, operation: Operation, place: DeploymentLocation): Promise<void> {
    await this.access.authorize(actor, operation, toResource(place));
    await this.requireTier(actor, place, operation === deploymentPolicy.deploy ? approvalRequired() : adminRequired());
  }

  /** Judges the override of a freeze that is asked for. @throws Forbidden, InvalidRequest when it has no reason */
  async requireOverride(
    actor: Actor,
    { override_freeze: overrides, reason }: FreezeOverride,
    organizationId: string,
  ): Promise<void> {
    if (!overrides) return;
    await this.access.authorize(actor, freezePolicy.override, {
      type: 'organization',
      id: organizationId,
      organizationId,
    });
    if (!reason?.trim())
      throw InvalidRequest.forField('/reason', 'is required', 'Say why the freeze is overridden; an event tells it.');
  }

  /** @throws the refusal when the tier is production and the actor is no admin of the workspace */
  async requireTier(actor: Actor, place: DeploymentLocation, refusal: Forbidden): Promise<void> {
    if (!(await this.isProduction(place))) return;
    await this.access.authorize(actor, deploymentPolicy.actOnProduction, toResource(place)).catch((error: unknown) => {
      throw error instanceof Forbidden && error.code === 'FORBIDDEN' ? refusal : error;
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
        { remedy: 'Let a user who may deploy there request it.' },
      );
    if (!(await this.isProduction(place))) return;
    if (await this.isAllowed(requestedBy, deploymentPolicy.actOnProduction, place)) return;
    if (!(await this.isAllowed(approvedBy, deploymentPolicy.approve, place))) throw approvalRequired('deploy');
  }

  /** @throws Conflict APPROVER_NOT_ALLOWED when an approval was given that its approver could not give any more */
  async requireApproval({ approvedBy }: Mandate, place: DeploymentLocation): Promise<void> {
    if (approvedBy === null || (await this.isAllowed(approvedBy, deploymentPolicy.approve, place))) return;
    throw new Conflict('APPROVER_NOT_ALLOWED', 'the user who approved the deployment may not approve there any more', {
      remedy: 'Request it again, and let an admin of the workspace approve.',
    });
  }

  private async isProduction({ environmentId }: DeploymentLocation): Promise<boolean> {
    return (await this.targets.findTier(environmentId)) === 'production';
  }

  /** Whether a user may do this by the role that they have now. */
  async isAllowed(userId: string | null, operation: Operation, place: DeploymentLocation): Promise<boolean> {
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

const NEEDS_ADMIN = 'acting on production needs an admin of the workspace';
const ASK_ADMIN = 'Ask an admin of the workspace to do it.';

/** An approval can be requested for deploying only; of anything else the admin has to be asked. */
export const approvalRequired = (action?: DeploymentAction): Forbidden =>
  new Forbidden(NEEDS_ADMIN, {
    code: 'APPROVAL_REQUIRED',
    remedy: action === 'deploy' ? 'Send request_approval: true, and let an admin of the workspace approve.' : ASK_ADMIN,
  });

const adminRequired = (): Forbidden => new Forbidden(NEEDS_ADMIN, { remedy: ASK_ADMIN });
