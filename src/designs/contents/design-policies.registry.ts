import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import type { Design } from '../design.entity.js';

/** How a design fares by the policies of its workspace. */
export interface PolicyJudgement {
  violations: object[];
  /** Whether one of them refuses a deployment. */
  refuses: boolean;
}

/** Judges a design for an actor, in an environment of its workspace when one is named. */
export type PolicyJudge = (actor: Actor, design: Design, environmentId: string | undefined) => Promise<PolicyJudgement>;

/** Where the module that keeps policies says what they say of a design that is validated. */
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
