import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { QuotaStatus } from '../../workspaces/quotas/quota.js';
import { DeploymentQuotaService } from '../admission/deployment-quota.service.js';
import { type PolicySubject, PolicyEvaluationService } from '../policies/policy-evaluation.service.js';
import type { PolicyViolation } from '../plan/policy-violation.js';

/** The conditions of a plan that do not depend on the clusters. */
export interface PlanConditions {
  quota: QuotaStatus;
  violations: PolicyViolation[];
}

/** Checks a plan against the quota and the policies of the workspace. */
@Injectable()
export class PlanConditionsService {
  constructor(
    private readonly quota: DeploymentQuotaService,
    private readonly policies: PolicyEvaluationService,
  ) {}

  async read(actor: Actor, subject: PolicySubject): Promise<PlanConditions> {
    const violations = await this.policies.findViolations(subject);
    return { quota: await this.quota.getStatus(actor, subject.workspaceId), violations };
  }
}
