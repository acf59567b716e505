import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { NotFound } from '../../core/errors/app-error.js';
import type { JsonObject } from '../../core/json/json.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { DesignContentsStore } from '../../designs/contents/design-contents.store.js';
import { DesignsStore } from '../../designs/designs.store.js';
import { EnvironmentsStore } from '../../environments/environments.store.js';
import type { Environment } from '../../environments/environment.entity.js';
import type { Deployment } from '../deployment.entity.js';
import { PoliciesStore } from './policies.store.js';
import { type PolicyRule, policyTask, type PolicyTrial } from './policy-task.js';
import { isEnforced, type PolicyViolation } from '../plan/policy-violation.js';
import { allVersions } from '../renderings/rendering.js';
import { toPolicyViolation } from './policy-conflict.js';

const SYSTEM = Actor.system('policies');

/** A version of a design and where it is deployed. */
export type PolicySubject = Pick<
  Deployment,
  'organizationId' | 'workspaceId' | 'designId' | 'designVersion' | 'environmentId'
> &
  Partial<Pick<Deployment, 'renderings'>>;

/** Evaluates policies for versions of designs, in a worker. */
@Injectable()
export class PolicyEvaluationService {
  constructor(
    private readonly policies: PoliciesStore,
    private readonly designs: DesignsStore,
    private readonly contents: DesignContentsStore,
    private readonly environments: EnvironmentsStore,
    private readonly pool: WorkerPool,
  ) {}

  /** The violations of the policies of a workspace, enforced ones first. */
  async findViolations(
    subject: Omit<PolicySubject, 'environmentId'> & { environmentId?: string },
  ): Promise<PolicyViolation[]> {
    const policies = await this.policies.findEnabled(subject.workspaceId);
    if (policies.length === 0) return [];
    const rules = policies.map(({ id, name, expression, message, mode, kinds }) => ({
      ...{ id, name, expression, message, mode, kinds },
    }));
    const found = new Map<string, PolicyViolation>();
    for (const designVersion of allVersions({ renderings: {}, ...subject })) {
      const { verdicts } = await this.evaluate({ ...subject, designVersion }, rules, false);
      for (const violation of verdicts.map(toPolicyViolation)) found.set(JSON.stringify(violation), violation);
    }
    return [...found.values()].sort((a, b) => Number(isEnforced(b)) - Number(isEnforced(a)));
  }

  /** Evaluates rules for a version. Without an environment, the rules see one with an empty name. @throws NotFound */
  async evaluate(
    {
      designId,
      designVersion,
      environmentId,
    }: Pick<PolicySubject, 'designId' | 'designVersion'> & { environmentId?: string },
    policies: PolicyRule[],
    all: boolean,
  ): Promise<PolicyTrial> {
    const design = await this.designs.find(SYSTEM, designId);
    if (!design) throw new NotFound('design', designId);
    const environment = environmentId ? await this.environments.find(SYSTEM, environmentId) : null;
    const resources = await this.contents.readResources(design, designVersion);
    const input = {
      policies,
      resources,
      design: { id: design.id, name: design.name, version: designVersion },
      environment: describeEnvironment(environment),
      all,
    };
    return this.pool.run(policyTask, input, { lane: 'own' });
  }
}

const describeEnvironment = (environment: Environment | null): JsonObject =>
  environment
    ? {
        id: environment.id,
        name: environment.name,
        tier: environment.tier,
        metadata: environment.metadata as JsonObject,
      }
    : { id: '', name: '', tier: 'development', metadata: {} };
