import { ResourceErrorView } from '../resource-error.view.js';
import {
  CountsField,
  FlagField,
  IdField,
  IntField,
  MapField,
  RecordField,
  RecordsField,
  TextField,
  TextsField,
  WordField,
} from '../../core/schema/view-fields.js';
import type { Tier } from '../../environments/environment.entity.js';
import { TIERS } from '../../environments/environment.entity.js';
import { PolicyViolationView } from '../../designs/enrichment/policy-violation.view.js';
import type { QuotaStatus } from '../../workspaces/quotas/quota.js';
import { QuotaStatusView } from '../../workspaces/quotas/quotas.view.js';
import { FieldChangeView } from '../plan/field-change.view.js';
import type { FieldChange } from '../plan/planned-resource.js';
import { isEnforced, type PolicyViolation } from '../plan/policy-violation.js';
import { KeptObjectView } from '../kept-object.view.js';
import type { Target } from '../targets/targets.service.js';
import type { HookItem } from '../plan/hook-plans.js';
import type { PlanConditions } from './plan-conditions.service.js';
import type { NewValue } from './requested-versions.service.js';
import type { DeploymentPlan } from './deployment-plan.entity.js';
import { type Plan, plannedResources } from '../plan/plan.js';

const ACTIONS = ['create', 'update', 'unchanged', 'delete', 'prune'] as const;

export class PlannedResourceView {
  @IdField({ rest: true })
  connection_id!: string;

  @TextField({ rest: true })
  api_version!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true, nullable: true })
  namespace!: string | null;

  @TextField({ rest: true })
  name!: string;

  @WordField(ACTIONS, { rest: true })
  action!: string;

  @RecordsField(() => FieldChangeView, { rest: true, description: 'Of an update; secret values are hidden.' })
  diff!: FieldChange[];

  @FlagField({ rest: true, description: 'The cluster itself has tried it.' })
  verified!: boolean;

  @TextsField({ rest: true })
  warnings!: string[];

  @FlagField({
    rest: true,
    description: 'The object is deleted and recreated, because a field cannot be changed in place.',
  })
  replaces!: boolean;

  @FlagField({
    rest: true,
    description: 'With adopt: this deployment takes ownership of the object, or of fields that kubectl or Helm own.',
  })
  adopts!: boolean;

  @TextField({ rest: true, nullable: true, description: 'Why an object that left the design stays where it is.' })
  kept!: string | null;

  @MapField({ of: () => ResourceErrorView, rest: true, nullable: true })
  error!: object | null;
}

export class PlannedHookView {
  @IdField({ rest: true })
  connection_id!: string;

  @TextField({ rest: true, description: 'When it is run: `pre-install`, `post-upgrade` …' })
  phase!: string;

  @IntField({ rest: true, description: 'Hooks of a phase go by weight, the lowest first.' })
  weight!: number;

  @TextsField({ rest: true, description: '`before-hook-creation`, `hook-succeeded`, `hook-failed`.' })
  delete_policies!: string[];

  @TextField({ rest: true })
  api_version!: string;

  @TextField({ rest: true })
  kind!: string;

  @TextField({ rest: true, nullable: true })
  namespace!: string | null;

  @TextField({ rest: true })
  name!: string;

  @FlagField({ rest: true, description: 'The cluster itself has tried it.' })
  verified!: boolean;

  @TextsField({ rest: true })
  warnings!: string[];

  @MapField({ of: () => ResourceErrorView, rest: true, nullable: true })
  error!: object | null;

  static fromItem(this: void, connectionId: string, { planned, hook }: HookItem): PlannedHookView {
    const { api_version, kind, namespace, name, verified, warnings, error = null } = planned;
    return Object.assign(new PlannedHookView(), {
      connection_id: connectionId,
      phase: hook.phase,
      weight: hook.weight,
      delete_policies: hook.delete_policies.length > 0 ? hook.delete_policies : ['before-hook-creation'],
      ...{ api_version, kind, namespace, name, verified, warnings, error },
    });
  }
}

class NewValueView implements NewValue {
  @IdField({ rest: true })
  connection_id!: string;

  @TextField({ rest: true, description: 'The template that uses the value.' })
  template!: string;

  @TextField({ rest: true, description: 'The function of templates that generates it.' })
  function!: string;
}

/** The effect of deploying a design, resource by resource; a deployment with `plan_id` does exactly this. */
export class PlanView {
  @IdField({ rest: true })
  plan_id!: string;

  @IdField({ rest: true })
  design_id!: string;

  @IntField({ rest: true })
  design_version!: number;

  @IdField({ rest: true })
  environment_id!: string;

  @WordField(TIERS, { rest: true })
  tier!: Tier;

  @TextsField({ rest: true })
  connections!: string[];

  @FlagField({ rest: true, description: 'Nothing in the plan has an error, or violates a policy that is enforced.' })
  deployable!: boolean;

  @CountsField({ rest: true, description: 'How many resources there are of each action.' })
  summary!: Record<string, number>;

  @RecordsField(() => PlannedResourceView, { rest: true })
  resources!: PlannedResourceView[];

  @RecordsField(() => KeptObjectView, {
    rest: true,
    description: 'What earlier deployments left on the clusters, or this one would leave, and why.',
  })
  kept!: KeptObjectView[];

  @RecordsField(() => PlannedHookView, { rest: true, description: 'Hooks of a chart, in the order in which they run.' })
  hooks!: PlannedHookView[];

  @RecordsField(() => PolicyViolationView, { rest: true, description: 'What does not comply with policies.' })
  policy_violations!: PolicyViolation[];

  @RecordField(() => QuotaStatusView, { rest: true, description: 'Deployments of today.' })
  quota!: QuotaStatus;

  @RecordsField(() => NewValueView, {
    rest: true,
    description: 'Values that a chart generates and that will be new. Others are used again.',
  })
  generated!: NewValue[];

  @TextsField({ rest: true, description: 'What a chart could not look up on the clusters.' })
  warnings!: string[];

  static fromPlans(
    this: void,
    kept: DeploymentPlan,
    { tier }: Target,
    plans: Map<string, Plan>,
    { quota, violations, newValues }: PlanConditions & { newValues: NewValue[] },
  ): PlanView {
    const resources = [...plans].flatMap(([connectionId, plan]) =>
      plannedResources(plan).map(
        ({ component: _, replaces = false, adopts = false, kept = null, error = null, ...planned }) => ({
          connection_id: connectionId,
          ...planned,
          replaces,
          adopts,
          kept,
          error,
        }),
      ),
    );
    const hooks = [...plans].flatMap(([connectionId, plan]) =>
      [...plan.hooks.before, ...plan.hooks.after].map((item) => PlannedHookView.fromItem(connectionId, item)),
    );
    return Object.assign(new PlanView(), {
      plan_id: kept.id,
      design_id: kept.designId,
      design_version: kept.designVersion,
      environment_id: kept.environmentId,
      tier,
      connections: kept.connectionIds,
      deployable: [...resources, ...hooks].every(({ error }) => error === null) && !violations.some(isEnforced),
      summary: Object.fromEntries(
        ACTIONS.map((action) => [action, resources.filter((each) => each.action === action).length]),
      ),
      resources,
      kept: resources.flatMap((each) => (each.kept === null ? [] : KeptObjectView.of(each, each.kept))),
      hooks,
      policy_violations: violations,
      quota,
      generated: newValues,
      warnings: Object.values(kept.renderings).flatMap(({ warnings }) => warnings),
    });
  }
}
