import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import type { Design } from './design.entity.js';
import type { PolicyJudgement } from './enrichment/design-validation-task.js';

/** Evaluates the policies for a design, optionally in an environment of its workspace. */
export type PolicyJudge = (actor: Actor, design: Design, environmentId: string | undefined) => Promise<PolicyJudgement>;

/** The module that owns policies registers their evaluation here, for the validation of designs. */
@Injectable()
export class DesignPoliciesRegistry {
  private current?: PolicyJudge;

  register(judge: PolicyJudge): void {
    this.current = judge;
  }

  async judge(...of: Parameters<PolicyJudge>): Promise<PolicyJudgement> {
    return (await this.current?.(...of)) ?? { violations: [], refuses: false };
  }
}
