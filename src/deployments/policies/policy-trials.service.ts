import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { NotFound } from '../../core/errors/app-error.js';
import { DesignsService } from '../../designs/designs.service.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import { TargetsStore } from '../targets/targets.store.js';
import { PolicyEvaluationService } from './policy-evaluation.service.js';
import { assertPolicyExpression } from './policy-expression.js';
import type { PolicyTrialRequest } from './policy.inputs.js';
import type { PolicyTrial } from './policy-task.js';
import { policyPolicy } from './policy.policy.js';

/** Evaluates expressions for designs without saving them as policies. */
@Injectable()
export class PolicyTrialsService {
  constructor(
    private readonly workspaces: WorkspacesService,
    private readonly designs: DesignsService,
    private readonly targets: TargetsStore,
    private readonly evaluation: PolicyEvaluationService,
  ) {}

  /** @throws NotFound when the workspace has no such design or environment, InvalidRequest when it does not compile */
  async try(actor: Actor, workspaceId: string, input: PolicyTrialRequest): Promise<PolicyTrial> {
    const { expression, design_id: designId, environment_id: environmentId } = input;
    await this.workspaces.authorize(actor, policyPolicy.try, workspaceId);
    const design = await this.designs.get(actor, designId);
    if (design.workspaceId !== workspaceId) throw new NotFound('design', designId);
    if (environmentId && !(await this.targets.isAssigned(workspaceId, environmentId)))
      throw new NotFound('environment', environmentId);
    assertPolicyExpression(expression);
    const rule = { id: '', name: '', expression, message: '', mode: 'enforce' as const, kinds: [] };
    return this.evaluation.evaluate({ designId, designVersion: design.versionNumber, environmentId }, [rule], true);
  }
}
