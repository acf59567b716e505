import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict } from '../../core/errors/app-error.js';
import { EventBus } from '../../core/events/event-bus.js';
import { DeploymentAdmissionService } from '../admission/deployment-admission.service.js';
import type { ApprovalDecision, Deployment, DeploymentApproval } from '../deployment.entity.js';
import { DeploymentApproved, DeploymentCancelled } from '../deployment.events.js';
import { DeploymentsStore } from '../deployments.store.js';
import { DeploymentQueueService } from '../requests/deployment-queue.service.js';
import { PendingDeploymentsService } from './pending-deployments.service.js';

/** Approves and rejects deployments. */
@Injectable()
export class ApprovalsService {
  constructor(
    private readonly pending: PendingDeploymentsService,
    private readonly deployments: DeploymentsStore,
    private readonly admission: DeploymentAdmissionService,
    private readonly queue: DeploymentQueueService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Adds the approval of one user. After the last approval that current rights and settings require, the deployment is queued; if
   * it may no longer proceed, it ends with the reason.
   * @throws Forbidden, with OWN_REQUEST for the requester, PERSON_REQUIRED for a service account; Conflict NOT_PENDING,
   *   ALREADY_APPROVED, APPROVAL_EXPIRED, ENVIRONMENT_FROZEN, POLICY_VIOLATION
   */
  async approve(actor: Actor, id: string, reason?: string): Promise<Deployment> {
    const requested = await this.pending.get(actor, id);
    const { workspaceId } = requested;
    if (requested.status === 'pending_approval') await this.admission.requireCompliance(actor, requested);
    return this.unit.run(async () => {
      await this.admission.lockWorkspace(actor, workspaceId);
      const deployment = await this.pending.getForUpdate(actor, id);
      assertNotApprovedBy(actor, deployment);
      await this.admission.requireOpen(deployment);
      const refusal = await this.admission.findRefusal(deployment);
      if (refusal) return this.queue.refuse(actor, deployment, refusal);
      await this.deployments.update(deployment, { approvals: withDecision(actor, deployment, 'approved', reason) });
      const missing = await this.admission.countMissingApprovals(deployment);
      const given = deployment.approvals.at(-1)?.reason;
      await this.events.publish(
        new DeploymentApproved(actor, deployment, { reason: given, missing_approvals: missing }),
      );
      if (missing > 0) return deployment;
      await this.deployments.update(deployment, { approvedBy: actor.userId });
      return this.queue.enqueue(actor, deployment);
    });
  }

  /** Ends the deployment; a single rejection suffices. @throws the errors of `approve` */
  async reject(actor: Actor, id: string, reason: string): Promise<Deployment> {
    return this.unit.run(async () => {
      const deployment = await this.pending.getForUpdate(actor, id);
      const failure = {
        status: 409,
        code: 'APPROVAL_REJECTED',
        detail: `the deployment was rejected: ${reason}`,
        remedy: 'Address the reason, and request the deployment again.',
      };
      await this.deployments.update(deployment, {
        status: 'cancelled',
        approvals: withDecision(actor, deployment, 'rejected', reason),
        failure,
        finishedAt: new Date(),
      });
      await this.events.publish(new DeploymentCancelled(actor, deployment, { code: failure.code, reason }));
      return deployment;
    });
  }
}

function assertNotApprovedBy({ userId }: Actor, { approvals }: Deployment): void {
  if (!approvals.some(({ user_id: approver }) => approver === userId)) return;
  throw new Conflict('ALREADY_APPROVED', 'you have approved this deployment already', {
    remedy: 'Let another admin of the workspace approve.',
  });
}

const withDecision = (
  { userId }: Actor,
  { approvals }: Deployment,
  decision: ApprovalDecision,
  reason = '',
): DeploymentApproval[] => [
  ...approvals,
  { user_id: userId ?? '', decision, reason: reason.trim() || null, at: new Date().toISOString() },
];
