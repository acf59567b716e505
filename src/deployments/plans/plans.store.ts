import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { Conflict, NotFound } from '../../core/errors/app-error.js';
import type { Design } from '../../designs/design.entity.js';
import type { Plan } from '../plan/plan.js';
import { PLAN_AGAIN } from '../plan/resource-remedies.js';
import { DeploymentPlan } from './deployment-plan.entity.js';

/** Maximum number of versions per DELETE statement. */
const PURGE_BATCH = 500;

/** The inputs of plans, and the plans as they were returned. */
@Injectable()
export class PlansStore {
  constructor(private readonly unit: UnitOfWork) {}

  async insert(plan: DeploymentPlan): Promise<void> {
    await this.plans.insert(plan);
  }

  /**
   * The plan that the deployment of a design names, if the design has not changed since.
   * @throws NotFound, Conflict PLAN_STALE
   */
  async getCurrent(design: Design, id: string): Promise<DeploymentPlan> {
    const plan = await this.plans.findOneBy({ id, designId: design.id });
    if (!plan) throw new NotFound('plan', id);
    if ((plan.currentVersion ?? design.versionNumber) !== design.versionNumber)
      throw planStale('the design has changed since');
    return plan;
  }

  /** A plan with its sealed content; null for one that is unknown or was deleted. */
  findWithContent(id: string): Promise<DeploymentPlan | null> {
    return this.plans.createQueryBuilder('plan').addSelect('plan.content').where('plan.id = :id', { id }).getOne();
  }

  /** @throws Conflict PLAN_STALE when the cluster has changed since the plan was made */
  async assertUnchanged(id: string, connectionId: string, now: Plan): Promise<void> {
    const plan = await this.plans.findOneBy({ id });
    if (plan?.fingerprints[connectionId] !== now.fingerprint) throw planStale('the cluster has changed since');
  }

  /** Deletes plans older than a day that no deployment was requested with, and versions with other values that were created only for them. */
  async purge(): Promise<void> {
    await this.unit.manager.query(
      `DELETE FROM deployment_plan p WHERE created_at < now() - interval '1 day'
         AND NOT EXISTS (SELECT FROM deployment d WHERE d.options ? 'plan_id' AND d.options->>'plan_id' = p.id::text)`,
    );
    while ((await this.deleteUnusedVariants()) === PURGE_BATCH);
  }

  /** Keeps the version with the highest number, so that its number is not reused. */
  private async deleteUnusedVariants(): Promise<number> {
    const [, deleted] = await this.unit.manager.query<[unknown, number]>(
      `DELETE FROM design_version WHERE (design_id, number) IN (
         SELECT v.design_id, v.number FROM design_version v JOIN design d ON d.id = v.design_id
          WHERE v.variant_of IS NOT NULL AND v.created_at < now() - interval '1 day' AND v.number <> d.version_number
            AND EXISTS (SELECT FROM design_version later WHERE later.design_id = v.design_id AND later.number > v.number)
            AND NOT EXISTS (SELECT FROM design_version w WHERE w.design_id = v.design_id AND w.variant_of = v.number)
            AND NOT EXISTS (SELECT FROM snapshot s WHERE s.design_id = v.design_id AND s.number = v.number)
            AND NOT EXISTS (SELECT FROM publication p WHERE p.design_id = v.design_id AND p.number = v.number)
            AND NOT EXISTS (SELECT FROM deployment_plan p WHERE p.design_id = v.design_id AND (p.design_version = v.number OR EXISTS (
              SELECT FROM jsonb_each(p.renderings) r WHERE (r.value->>'version')::int = v.number)))
            AND NOT EXISTS (SELECT FROM deployment d WHERE d.design_id = v.design_id AND (d.design_version = v.number OR EXISTS (
              SELECT FROM jsonb_each(d.renderings) r WHERE (r.value->>'version')::int = v.number)))
          LIMIT ${PURGE_BATCH})`,
    );
    return deleted;
  }

  private get plans() {
    return this.unit.manager.getRepository(DeploymentPlan);
  }
}

const planStale = (why: string): Conflict =>
  new Conflict('PLAN_STALE', `the plan is out of date: ${why}`, {
    remedy: PLAN_AGAIN,
  });
