import { asText, isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { defineTask, type Task } from '../../core/workers/task.js';
import { replaceSecrets } from '../../formats/design-file/secret-values.js';
import { runCel } from '../../validation/cel/evaluator.js';
import { jsonToCel } from '../../validation/cel/json-values.js';
import { parseCel } from '../../validation/cel/parser.js';
import { CelUnsupported } from '../../validation/cel/tokens.js';
import { CelError, type CelValue, typeName } from '../../validation/cel/values.js';
import { BudgetExceeded, StepBudget } from '../../validation/schema/step-budget.js';
import type { DesiredResource } from '../plan/planned-resource.js';
import type { PolicyResource } from '../plan/policy-violation.js';
import type { Policy } from './policy.entity.js';

export type PolicyRule = Pick<Policy, 'id' | 'name' | 'expression' | 'message' | 'mode' | 'kinds'>;

interface PolicyTaskInput {
  policies: PolicyRule[];
  resources: DesiredResource[];
  design: JsonObject;
  environment: JsonObject;
  /** Also returns the verdicts on complying resources. */
  all: boolean;
}

/** The result of one policy for one resource. */
export interface PolicyVerdict {
  policy: PolicyRule;
  resource: PolicyResource;
  complies: boolean;
  /** Why the policy could not be evaluated; the resource counts as a violation then. */
  reason: string | null;
}

/** The number of verdicts and the first of them, violations first. */
export interface PolicyTrial {
  judged: number;
  violations: number;
  verdicts: PolicyVerdict[];
}

/** Evaluates policies for all resources of a design. */
export const policyTask: Task<PolicyTaskInput, PolicyTrial> = defineTask(import.meta.url, { evaluateInWorker });

const MAX_VERDICTS = 500;
/** Maximum number of evaluation steps of one policy for one resource, and of all together. */
const MAX_STEPS = 100_000;
const MAX_STEPS_OF_ALL = 20_000_000;

/** Task of the worker pool. */
export function evaluateInWorker({ policies, resources, design, environment, all }: PolicyTaskInput): PolicyTrial {
  const budget = new StepBudget(MAX_STEPS_OF_ALL);
  const visible = resources.map(({ component, object }) => ({
    component,
    object: withoutSecrets(object as JsonObject),
  }));
  const components = visible.map(({ object }) => object as Json);
  const shared = {
    design: jsonToCel({ ...design, components }, undefined),
    environment: jsonToCel(environment, undefined),
  };
  const violations: PolicyVerdict[] = [];
  const complying: PolicyVerdict[] = [];
  const count = { judged: 0, violations: 0 };
  for (const policy of policies) {
    const evaluate = createEvaluator(policy, budget);
    for (const { component, object } of visible) {
      const resource = describe(component, object);
      if (policy.kinds.length > 0 && !policy.kinds.includes(resource.kind)) continue;
      const reason = evaluate({ component: jsonToCel(object, undefined), ...shared });
      const complies = reason === undefined;
      count.judged++;
      if (!complies) count.violations++;
      const kept = complies ? complying : violations;
      if (kept.length >= MAX_VERDICTS || (complies && !all)) continue;
      kept.push({ policy, resource, complies, reason: reason ?? null });
    }
  }
  return { ...count, verdicts: [...violations, ...complying].slice(0, MAX_VERDICTS) };
}

/** The resource as policies see it: hidden values are empty. */
const withoutSecrets = (object: JsonObject): JsonObject => replaceSecrets(asText(object['kind']), object, () => '');

/** Returns undefined if the resource complies, null if it does not, and the reason if the policy cannot be evaluated. */
function createEvaluator(
  { expression: source }: PolicyRule,
  budget: StepBudget,
): (variables: Record<string, CelValue>) => string | null | undefined {
  const expression = attempt(() => parseCel(source));
  return (variables) => {
    if ('reason' in expression) return expression.reason;
    const answer = attempt(() => runCel(expression.value, variables, budget.share(MAX_STEPS)));
    if ('reason' in answer) return answer.reason;
    if (typeof answer.value !== 'boolean') return `it evaluates to ${typeName(answer.value)} instead of true or false`;
    return answer.value ? undefined : null;
  };
}

function attempt<T>(work: () => T): { value: T } | { reason: string } {
  try {
    return { value: work() };
  } catch (error) {
    const isNamed = [CelError, CelUnsupported, BudgetExceeded, RangeError].some((type) => error instanceof type);
    if (!isNamed) throw error;
    if (error instanceof CelError) return { reason: error.reason };
    return { reason: error instanceof RangeError ? 'it is too deep or too long' : (error as Error).message };
  }
}

function describe(component: string, object: JsonObject): PolicyResource {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  return {
    component,
    api_version: asText(object['apiVersion']),
    kind: asText(object['kind']),
    namespace: asText(metadata['namespace']) || null,
    name: asText(metadata['name']),
  };
}
