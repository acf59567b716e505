import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import type { Design } from './design.entity.js';
import type { PolicyEvaluation } from './enrichment/design-validation-task.js';

/** Evaluates the policies for a design, optionally in an environment of its workspace. */
export type PolicyEvaluator = (
  actor: Actor,
  design: Design,
  environmentId: string | undefined,
) => Promise<PolicyEvaluation>;

/** The module that owns policies registers their evaluation here, for the validation of designs. */
@Injectable()
export class DesignPoliciesRegistry {
  private current?: PolicyEvaluator;

  register(evaluate: PolicyEvaluator): void {
    this.current = evaluate;
  }

  async evaluate(...of: Parameters<PolicyEvaluator>): Promise<PolicyEvaluation> {
    return (await this.current?.(...of)) ?? { violations: [], refuses: false };
  }
}
