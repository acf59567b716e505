import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import { type StepBudget, BudgetExceeded } from '../schema/step-budget.js';
import { runCel } from '../cel/evaluator.js';
import { jsonToCel } from '../cel/json-values.js';
import { type CelExpression, parseCel } from '../cel/parser.js';
import { CelUnsupported } from '../cel/tokens.js';
import { CelError, CelOptional, type CelValue } from '../cel/values.js';
import type { Findings } from '../schema/findings.js';
import type { SchemaNode } from '../schema/schema-node.js';

/** The maximum steps of one rule on one value; the cost limit of Kubernetes is of this order. */
const MAX_STEPS = 100_000;
const MAX_CACHED = 2_000;

const cachedExpressions = new Map<string, CelExpression | CelUnsupported>();

/** Evaluates `x-kubernetes-validations` of a value and its descendants, as for a create request. */
export function checkCelRules(value: Json, node: SchemaNode, at: string, findings: Findings, budget: StepBudget): void {
  if (value === null) return;
  budget.spend(1);
  for (const rule of node.rules) checkRule(rule, value, node, at, findings, budget);
  for (const branch of node.branches('allOf')) checkCelRules(value, branch, at, findings, budget);
  if (Array.isArray(value)) {
    const items = node.items;
    if (items)
      for (const [index, item] of value.entries()) checkCelRules(item, items, at + toPointer(index), findings, budget);
  } else if (isObject(value)) checkMembers(value, node, at, findings, budget);
}

function checkMembers(value: JsonObject, node: SchemaNode, at: string, findings: Findings, budget: StepBudget): void {
  const additional = node.additional;
  for (const [name, member] of Object.entries(value)) {
    const schema = node.property(name) ?? (typeof additional === 'object' ? additional : undefined);
    if (schema) checkCelRules(member, schema, at + toPointer(name), findings, budget);
  }
}

function checkRule(
  rule: JsonObject,
  value: Json,
  node: SchemaNode,
  at: string,
  findings: Findings,
  budget: StepBudget,
): void {
  const source = text(rule['rule']);
  if (source.trim() === '') return;
  const notEvaluated = (why: string): void =>
    findings.notEvaluated(at, `CEL rule not evaluated: ${source.trim()}: ${why}`);
  try {
    const expression = parseRule(source);
    const isOptional = rule['optionalOldSelf'] === true;
    if (!isOptional && mentions(expression, 'oldSelf')) return; // transition rules apply to updates only
    const variables = { self: jsonToCel(value, node), ...(isOptional ? { oldSelf: CelOptional.none } : {}) };
    if (runCel(expression, variables, budget.share(MAX_STEPS)) === true) return;
    const message = messageOf(rule, variables, budget);
    findings.error(at + fieldPathToPointer(rule), 'x-kubernetes-validations', formatMessage(rule, message));
  } catch (error) {
    // An expression that is nested too deeply fails alone.
    if (error instanceof CelUnsupported || error instanceof BudgetExceeded || error instanceof RangeError)
      notEvaluated(error.message);
    else if (!(error instanceof CelError)) throw error;
    else if (error.message.startsWith('undeclared reference')) notEvaluated(error.message);
    else {
      const rulesWords = text(rule['message']) || source;
      findings.error(
        at,
        'x-kubernetes-validations',
        `Invalid value: ${error.message} evaluating rule: ${rulesWords.trim()}`,
      );
    }
  }
}

function parseRule(source: string): CelExpression {
  let known = cachedExpressions.get(source);
  if (!known) {
    if (cachedExpressions.size >= MAX_CACHED) cachedExpressions.clear();
    try {
      known = parseCel(source);
    } catch (error) {
      if (!(error instanceof CelUnsupported)) throw error;
      known = error;
    }
    cachedExpressions.set(source, known);
  }
  if (known instanceof CelUnsupported) throw known;
  return known;
}

/** The result of `messageExpression` when it is one line, otherwise `message`, otherwise the rule itself. */
function messageOf(rule: JsonObject, variables: Record<string, CelValue>, budget: StepBudget): string {
  const source = text(rule['messageExpression']);
  const plain = text(rule['message']).trim() || `failed rule: ${text(rule['rule']).trim()}`;
  if (source === '') return plain;
  try {
    const message = runCel(parseRule(source), variables, budget.share(MAX_STEPS));
    const line = typeof message === 'string' ? message.trim() : '';
    return line === '' || line.includes('\n') ? plain : line;
  } catch {
    return plain; // when the expression fails, as in an API server
  }
}

function formatMessage(rule: JsonObject, message: string): string {
  const words: Record<string, string> = {
    FieldValueForbidden: 'Forbidden',
    FieldValueRequired: 'Required value',
    FieldValueDuplicate: 'Duplicate value',
  };
  return `${words[text(rule['reason'])] ?? 'Invalid value'}: ${message}`;
}

/** The `fieldPath` of a rule (`.spec['a/b'].c`) as a JSON Pointer. */
function fieldPathToPointer(rule: JsonObject): string {
  const path = text(rule['fieldPath']);
  const segments = [...path.matchAll(/\.([^.[\]]+)|\['((?:\\.|[^'\\])*)'\]/g)];
  return toPointer(...segments.map(([, name, quoted]) => name ?? (quoted ?? '').replace(/\\(.)/g, '$1')));
}

/** Whether an expression references a variable; macros in rules do not shadow the variables of the rule. */
function mentions(part: unknown, name: string): boolean {
  if (Array.isArray(part)) return part.some((item) => mentions(item, name));
  if (typeof part !== 'object' || part === null) return false;
  if ('kind' in part && part.kind === 'name' && 'name' in part && part.name === name) return true;
  return Object.values(part).some((child) => mentions(child, name));
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
