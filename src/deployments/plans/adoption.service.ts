import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { AppError } from '../../core/errors/app-error.js';
import { isTemporary } from '../../core/errors/problem.js';
import { DeployedDesignsStore } from '../deployed-designs.store.js';
import type { DeploymentStatus } from '../deployment.entity.js';
import { ApprovalRulesService, type ApprovalSubject } from '../admission/approval-rules.service.js';
import type { LabelledOwner } from '../plan/owner.js';

/** Decides whether objects of other deployments of this installation may be adopted: the requester must have the right to undeploy them. */
@Injectable()
export class AdoptionService {
  constructor(
    private readonly deployed: DeployedDesignsStore,
    private readonly approvals: ApprovalRulesService,
  ) {}

  /**
   * Returns a check that uses the current roles for each object. Objects of an unknown owner may not be adopted. While a request waits
   * for its approvals, they count as given.
   */
  createCheck(
    subject: Omit<ApprovalSubject, 'action'> & { status?: DeploymentStatus },
  ): (owner: LabelledOwner) => Promise<boolean> {
    return async ({ design, environment }) => {
      if (!design || !environment || !isUUID(design) || !isUUID(environment)) return false;
      const location = await this.deployed.findLocation(design, environment);
      if (!location) return false;
      try {
        const undeployment = { ...subject, action: 'undeploy' as const };
        if (subject.status === 'pending_approval') await this.approvals.requireRequester(undeployment, location);
        else await this.approvals.requireStillAllowed(undeployment, location);
        return true;
      } catch (error) {
        if (isTemporary(error) || !(error instanceof AppError)) throw error;
        return false;
      }
    };
  }
}
