import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { isRoleAtLeast } from '../../core/access/roles.js';
import { NotFound } from '../../core/errors/app-error.js';
import { DesignPoliciesRegistry } from '../../designs/design-policies.registry.js';
import type { PolicyEvaluation } from '../../designs/enrichment/design-validation-task.js';
import type { Design } from '../../designs/design.entity.js';
import { isEnforced } from '../plan/policy-violation.js';
import { TargetsStore } from '../targets/targets.store.js';
import { PolicyEvaluationService } from './policy-evaluation.service.js';
import { policyPolicy } from './policy.policy.js';

/** Adds the verdicts of the workspace's policies to the validation of a design, for callers who may read the policies. */
@Injectable()
export class PolicyValidationListeners implements OnModuleInit {
  constructor(
    private readonly registry: DesignPoliciesRegistry,
    private readonly access: Access,
    private readonly targets: TargetsStore,
    private readonly evaluation: PolicyEvaluationService,
  ) {}

  onModuleInit(): void {
    this.registry.register((actor, design, environmentId) => this.evaluate(actor, design, environmentId));
  }

  /** @throws NotFound when the workspace has no such environment */
  private async evaluate(actor: Actor, design: Design, environmentId?: string): Promise<PolicyEvaluation> {
    const { id: designId, organizationId, workspaceId, versionNumber: designVersion } = design;
    const role = await this.access.roleOn(actor, { type: 'workspace', id: workspaceId, organizationId });
    const isReader = isRoleAtLeast(role, policyPolicy.read.needs);
    if (environmentId && !(isReader && (await this.targets.isAssigned(workspaceId, environmentId))))
      throw new NotFound('environment', environmentId);
    if (!isReader) return { violations: [], refuses: false };
    const subject = { organizationId, workspaceId, designId, designVersion, environmentId };
    const violations = await this.evaluation.findViolations(subject);
    return { violations, refuses: violations.some(isEnforced) };
  }
}
