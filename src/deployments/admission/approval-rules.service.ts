import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { Conflict, Forbidden } from '../../core/errors/app-error.js';
import { countOf } from '../../core/errors/wording.js';
import type { DeploymentLocation } from '../deployed-designs.store.js';
import type { Deployment } from '../deployment.entity.js';
import type { FreezeOverride } from '../deployment.inputs.js';
import { deploymentPolicy } from '../deployment.policy.js';
import { TargetsStore } from '../targets/targets.store.js';
import { DeploymentRightsService } from './deployment-rights.service.js';

/** Who asked for which action, and who approved it. */
export type Mandate = Pick<Deployment, 'requestedBy' | 'action' | 'approvals'>;

/** The request of a user, as far as rights and approvals depend on it. */
export interface RequestedAction {
  action: Deployment['action'];
  requestApproval?: boolean;
  override: FreezeOverride;
}

/**
 * Says how many people must approve what is done in an environment, and whether they have. The environment asks for a number of
 * admins of the workspace; a requester who is one counts as one of them. Service accounts approve nothing, and where more than one
 * admin is asked for they do not count as one: an administrator of the organization can act as any of them.
 */
@Injectable()
export class ApprovalRulesService {
  constructor(
    private readonly rights: DeploymentRightsService,
    private readonly targets: TargetsStore,
    private readonly env: Env,
  ) {}

  /** Until when a request that is made now waits for its approvals. */
  getExpiry(): Date {
    return new Date(Date.now() + this.env.APPROVAL_TTL * 1000);
  }

  /**
   * Judges who asks, before anything of the request is resolved.
   * @throws Forbidden; APPROVAL_REQUIRED when it needs approvals and asks for none
   */
  async requireRequest(actor: Actor, request: RequestedAction, location: DeploymentLocation): Promise<void> {
    await this.rights.authorize(actor, deploymentPolicy.deploy, location);
    await this.rights.requireOverride(actor, request.override, location.organizationId);
    if (request.requestApproval) return;
    const needed = await this.countNeeded({ requestedBy: actor.userId, action: request.action }, location);
    if (needed > 0) throw approvalRequired(needed);
  }

  /**
   * How many people beside the requester must approve, by the roles, the tier and the number of now. On production a user who is no
   * admin needs one at least; an admin who rolls back needs nobody.
   */
  async countNeeded(
    { requestedBy, action }: Pick<Mandate, 'requestedBy' | 'action'>,
    location: DeploymentLocation,
  ): Promise<number> {
    const { tier, requiredApprovals } = await this.targets.findProtection(location.environmentId);
    const isProduction = tier === 'production';
    if (requiredApprovals === 0 && !isProduction) return 0;
    const isAdmin = await this.rights.isAllowed(requestedBy, deploymentPolicy.actOnProduction, location);
    if (!isAdmin) return Math.max(requiredApprovals, isProduction ? 1 : 0);
    if (action === 'rollback' || requiredApprovals <= 1) return 0;
    const isApprover = await this.rights.isAllowed(requestedBy, deploymentPolicy.approve, location);
    return isApprover ? requiredApprovals - 1 : requiredApprovals;
  }

  /** How many approvals are missing; those whose approver could not give them any more do not count. */
  async countMissing(mandate: Mandate, location: DeploymentLocation): Promise<number> {
    const needed = await this.countNeeded(mandate, location);
    return needed === 0 ? 0 : Math.max(needed - (await this.countValid(mandate, location)), 0);
  }

  /** Judges the requester by the rights of now. @throws Conflict REQUESTER_NOT_ALLOWED */
  async requireRequester({ requestedBy }: Mandate, location: DeploymentLocation): Promise<void> {
    if (await this.rights.isAllowed(requestedBy, deploymentPolicy.deploy, location)) return;
    throw new Conflict(
      'REQUESTER_NOT_ALLOWED',
      'the user who requested the deployment no longer has the right to deploy there',
      {
        remedy: 'Let a user who may deploy there request it.',
      },
    );
  }

  /**
   * Judges by the rights of now what was asked for, and maybe approved, before.
   * @throws Conflict REQUESTER_NOT_ALLOWED, APPROVER_NOT_ALLOWED; Forbidden APPROVAL_REQUIRED
   */
  async requireMandate(mandate: Mandate, location: DeploymentLocation): Promise<void> {
    await this.requireRequester(mandate, location);
    const missing = await this.countMissing(mandate, location);
    if (missing === 0) return;
    if ((await this.countValid(mandate, location)) === findApprovers(mandate).length) throw approvalRequired(missing);
    throw new Conflict(
      'APPROVER_NOT_ALLOWED',
      'a user who approved the deployment no longer has the right to approve there',
      {
        remedy: 'Request it again, and let admins of the workspace approve.',
      },
    );
  }

  private async countValid(mandate: Mandate, location: DeploymentLocation): Promise<number> {
    let valid = 0;
    for (const approver of findApprovers(mandate))
      if (await this.rights.isAllowed(approver, deploymentPolicy.approve, location)) valid += 1;
    return valid;
  }
}

/** Different people other than the requester who approved. */
const findApprovers = ({ requestedBy, approvals }: Mandate): string[] => [
  ...new Set(
    approvals
      .filter(({ decision, user_id: approver }) => decision === 'approved' && approver !== requestedBy)
      .map(({ user_id: approver }) => approver),
  ),
];

const approvalRequired = (missing: number): Forbidden =>
  new Forbidden(`this environment needs ${countOf(missing, 'approval')} by admins of the workspace for it`, {
    code: 'APPROVAL_REQUIRED',
    extensions: { missing_approvals: missing },
    remedy: 'Send request_approval: true, and let other admins of the workspace approve; or ask an admin to do it.',
  });
