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

/** A requested action with its requester and its approvals. */
export type ApprovalSubject = Pick<Deployment, 'requestedBy' | 'action' | 'approvals'>;

/** The part of a user's request that rights and approvals depend on. */
export interface RequestedAction {
  action: Deployment['action'];
  requestApproval?: boolean;
  override: FreezeOverride;
}

/**
 * Counts the approvals that a deployment requires and has. An environment requires a number of workspace admins; a requester who is
 * an admin counts as one of them. Service accounts cannot approve, and do not count as an admin where more than one is required,
 * because an administrator of the organization can act as any of them.
 */
@Injectable()
export class ApprovalRulesService {
  constructor(
    private readonly rights: DeploymentRightsService,
    private readonly targets: TargetsStore,
    private readonly env: Env,
  ) {}

  /** When a request that is made now expires. */
  getExpiry(): Date {
    return new Date(Date.now() + this.env.APPROVAL_TTL * 1000);
  }

  /**
   * Checks the requester before anything else of the request is resolved.
   * @throws Forbidden; with APPROVAL_REQUIRED when an approval is required and the request does not ask for one
   */
  async requireRequest(actor: Actor, request: RequestedAction, location: DeploymentLocation): Promise<void> {
    await this.rights.authorize(actor, deploymentPolicy.deploy, location);
    await this.rights.requireOverride(actor, request.override, location.organizationId);
    if (request.requestApproval) return;
    const needed = await this.countNeeded({ requestedBy: actor.userId, action: request.action }, location);
    if (needed > 0) throw approvalRequired(needed);
  }

  /**
   * The number of approvals by other users that a request requires, by the current roles, tier and settings. On production, a
   * requester who is not an admin requires at least one; a rollback by an admin requires none.
   */
  async countNeeded(
    { requestedBy, action }: Pick<ApprovalSubject, 'requestedBy' | 'action'>,
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

  /** The number of missing approvals. Approvals of users who have lost the right to approve do not count. */
  async countMissing(subject: ApprovalSubject, location: DeploymentLocation): Promise<number> {
    const needed = await this.countNeeded(subject, location);
    return needed === 0 ? 0 : Math.max(needed - (await this.countValid(subject, location)), 0);
  }

  /** Checks the current rights of the requester. @throws Conflict REQUESTER_NOT_ALLOWED */
  async requireRequester({ requestedBy }: ApprovalSubject, location: DeploymentLocation): Promise<void> {
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
   * Checks the requester and the approvals of an earlier request by current rights.
   * @throws Conflict REQUESTER_NOT_ALLOWED, APPROVER_NOT_ALLOWED; Forbidden APPROVAL_REQUIRED
   */
  async requireStillAllowed(subject: ApprovalSubject, location: DeploymentLocation): Promise<void> {
    await this.requireRequester(subject, location);
    const missing = await this.countMissing(subject, location);
    if (missing === 0) return;
    if ((await this.countValid(subject, location)) === findApprovers(subject).length) throw approvalRequired(missing);
    throw new Conflict(
      'APPROVER_NOT_ALLOWED',
      'a user who approved the deployment no longer has the right to approve there',
      {
        remedy: 'Request it again, and let admins of the workspace approve.',
      },
    );
  }

  private async countValid(subject: ApprovalSubject, location: DeploymentLocation): Promise<number> {
    let valid = 0;
    for (const approver of findApprovers(subject))
      if (await this.rights.isAllowed(approver, deploymentPolicy.approve, location)) valid += 1;
    return valid;
  }
}

/** The distinct users other than the requester who approved. */
const findApprovers = ({ requestedBy, approvals }: ApprovalSubject): string[] => [
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
