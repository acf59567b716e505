import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { type PolicySubject, PolicyEvaluationService } from './policy-evaluation.service.js';
import { isEnforced, type PolicyViolation } from '../plan/policy-violation.js';
import { policyConflict } from './policy-conflict.js';
import { PolicyViolated } from './policy.events.js';

/** Checks deployments against the policies of their workspace; violations are published as an event. */
@Injectable()
export class PolicyChecksService {
  constructor(
    private readonly evaluation: PolicyEvaluationService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Checks a deployment before it is created. Must be called outside of a transaction, because the event is stored even when the
   * deployment is refused.
   * @returns the violations of policies that only warn
   * @throws Conflict POLICY_VIOLATION naming resource, policy and message
   */
  async requireCompliance(actor: Actor, subject: PolicySubject): Promise<PolicyViolation[]> {
    const violations = await this.evaluation.findViolations(subject);
    if (violations.length === 0) return [];
    const enforced = violations.filter(isEnforced);
    const refused = enforced.length > 0;
    await this.unit.run(() => this.events.publish(new PolicyViolated(actor, subject, violations, refused)));
    if (refused) throw policyConflict(enforced);
    return violations;
  }
}
