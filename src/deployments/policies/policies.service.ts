import { Injectable } from '@nestjs/common';
import { Access } from '../../core/authorization/access.service.js';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict } from '../../core/errors/app-error.js';
import type { ListQuery } from '../../core/listing/list-query.js';
import type { Page } from '../../core/listing/page.js';
import { RecordGate } from '../../core/records/record-gate.js';
import type { Precondition } from '../../core/rest/precondition.js';
import { WorkspacesService } from '../../workspaces/workspaces.service.js';
import { assertPolicyExpression } from './policy-expression.js';
import { Policy } from './policy.entity.js';
import type { NewPolicy, PolicyChange } from './policy.inputs.js';
import { policyPolicy } from './policy.policy.js';
import { PolicyView } from './policy.view.js';
import { PoliciesStore } from './policies.store.js';

/** Every deployment is checked against all policies of its workspace. */
const MAX_POLICIES = 100;

/** Policy records of workspaces. */
@Injectable()
export class PoliciesService extends RecordGate<Policy, typeof policyPolicy> {
  constructor(
    private readonly policies: PoliciesStore,
    private readonly workspaces: WorkspacesService,
    access: Access,
    private readonly unit: UnitOfWork,
  ) {
    super(access, {
      name: 'policy',
      policy: policyPolicy,
      store: policies,
      getProtectedRecord: ({ workspaceId, organizationId }) => ({ type: 'workspace', id: workspaceId, organizationId }),
      toView: PolicyView.fromEntity,
    });
  }

  async list(actor: Actor, workspaceId: string, query: ListQuery): Promise<Page<Policy>> {
    await this.workspaces.get(actor, workspaceId);
    return this.policies.page(actor, workspaceId, query);
  }

  async getIn(actor: Actor, workspaceId: string, id: string): Promise<Policy> {
    await this.workspaces.get(actor, workspaceId);
    const policy = await this.policies.find(actor, id);
    return this.orNotFound(id, policy?.workspaceId === workspaceId ? policy : null);
  }

  async create(actor: Actor, workspaceId: string, input: NewPolicy): Promise<Policy> {
    await this.workspaces.authorize(actor, policyPolicy.create, workspaceId);
    assertPolicyExpression(input.expression);
    return this.unit.run(async () => {
      const { organizationId } = await this.workspaces.lockActive(actor, workspaceId);
      if ((await this.policies.count(workspaceId)) >= MAX_POLICIES)
        throw new Conflict('TOO_MANY_POLICIES', `the workspace has ${MAX_POLICIES} policies already`, {
          remedy: 'Delete those that are not used: DELETE /api/workspaces/{id}/policies/{policyId}.',
        });
      const policy = Object.assign(new Policy(), { organizationId, workspaceId, ...input.fields() });
      return this.policies.insert(policy);
    });
  }

  async update(
    actor: Actor,
    workspaceId: string,
    id: string,
    input: PolicyChange,
    match: Precondition,
  ): Promise<Policy> {
    return this.unit.run(async () => {
      await this.workspaces.lockActive(actor, workspaceId);
      await this.getIn(actor, workspaceId, id);
      const policy = await this.getForChange(actor, id, input, match);
      if (input.expression !== undefined) assertPolicyExpression(input.expression);
      await this.policies.change(policy, input.fields());
      return policy;
    });
  }

  async delete(actor: Actor, workspaceId: string, id: string, match: Precondition): Promise<Policy> {
    return this.unit.run(async () => {
      await this.workspaces.lockActive(actor, workspaceId);
      await this.getIn(actor, workspaceId, id);
      return this.policies.softDelete(await this.getForUpdate(actor, id, 'delete', match));
    });
  }
}
