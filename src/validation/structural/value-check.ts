import { canonicalJson } from '../../core/json/canonical-json.js';
import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import type { StepBudget } from '../schema/step-budget.js';
import { toFieldPath, Findings, invalidValue, quoted } from '../schema/findings.js';
import { isCheckedFormat } from '../values/text-formats.js';
import { checkGoValue } from './go-values.js';
import { checkNumber, checkText, jsonTypeOf } from './scalars.js';
import type { SchemaNode } from '../schema/schema-node.js';

/** Steps charged for each branch of `anyOf`, `oneOf` and `not`: collecting the findings of branches is costly. */
const ATTEMPT_STEPS = 5;

/** The context of checking a value. */
export interface CheckContext {
  findings: Findings;
  budget: StepBudget;
  /** Whether the resource is of a built-in type, which Go decodes. */
  asGo: boolean;
}

/** Validates a prepared value against its schema, as kube-openapi does. */
export function checkValue(value: Json, node: SchemaNode, at: string, context: CheckContext): void {
  context.budget.spend(1);
  if (node.goType === 'object-meta' && (at === '/metadata' || !context.asGo)) return; // checkObjectMeta checks it
  if (context.asGo && checkGoValue(value, node, at, context.findings)) return;
  if (!checkType(value, node, at, context)) return;
  if (value !== null) {
    if (isObject(value)) checkObject(value, node, at, context);
    else if (Array.isArray(value)) checkArray(value, node, at, context);
    else if (typeof value === 'string') checkText(value, node, at, context);
    else if (typeof value === 'number') checkNumber(value, node, at, context.findings);
    checkBranches(value, node, at, context);
  }
  checkEnum(value, node, at, context);
}

function checkType(value: Json, node: SchemaNode, at: string, { findings, asGo }: CheckContext): boolean {
  const { types } = node;
  if (types.length === 0) return true;
  const type = jsonTypeOf(value);
  if (value === null ? node.nullable || types.includes('null') : types.includes(type)) return true;
  if (type === 'integer' && types.includes('number')) return true;
  // An API server accepts a list for a string with a format.
  const isOfFormat = node.format !== undefined && isCheckedFormat(node.format);
  if (type === 'array' && types.includes('string') && isOfFormat && !asGo) return true;
  const expected = types.join(',');
  findings.error(at, 'type', invalidValue(type, `${inBody(at)} must be of type ${expected}: ${quoted(type)}`));
  return false;
}

function checkEnum(value: Json, node: SchemaNode, at: string, { findings, asGo }: CheckContext): void {
  const values = node.enumeration;
  if (!values || values.length === 0 || (asGo && value === '')) return; // Go treats the empty string as unset
  // In an API server null equals no item of the enum, not even null.
  if (value !== null && values.some((allowed) => allowed === value || canonicalJson(allowed) === canonicalJson(value)))
    return;
  const known = values.map((allowed) => quoted(allowed)).join(', ');
  findings.error(at, 'enum', `Unsupported value: ${quoted(value)}: supported values: ${known}`);
}

function checkObject(value: JsonObject, node: SchemaNode, at: string, context: CheckContext): void {
  const { findings } = context;
  const names = Object.keys(value);
  const [least, most] = [node.number('minProperties'), node.number('maxProperties')];
  if (least !== undefined && names.length < least)
    findings.error(at, 'minProperties', invalidValue('', `${inBody(at)} should have at least ${least} properties`));
  if (most !== undefined && names.length > most)
    findings.error(at, 'maxProperties', `Too many: ${names.length}: must have at most ${most} items`);
  const additional = node.additional;
  for (const [name, member] of Object.entries(value)) {
    const schema = node.property(name) ?? (typeof additional === 'object' ? additional : undefined);
    const place = at + toPointer(name);
    if (schema) checkValue(member, schema, place, context);
    else if (additional === false)
      findings.error(place, 'additionalProperties', `${toFieldPath(place)} in body is a forbidden property`);
  }
  for (const name of node.required)
    if (!Object.hasOwn(value, name) && !(context.asGo && isZeroValueAllowed(node, name)))
      findings.error(at + toPointer(name), 'required', 'Required value');
}

/** Fields that schemas of built-in types list as required, although kube-apiserver does not require them. */
const OPTIONAL_MEMBERS: Record<string, string[]> = {
  LimitRangeSpec: ['limits'],
  TypedLocalObjectReference: ['kind', 'name'],
};

/** Whether Go accepts an absent field as its zero value: false and 0 are valid booleans and numbers. */
function isZeroValueAllowed(node: SchemaNode, name: string): boolean {
  const types = node.property(name)?.types ?? [];
  return (
    ['boolean', 'integer', 'number'].some((type) => types.includes(type)) ||
    (OPTIONAL_MEMBERS[node.typeName] ?? []).includes(name)
  );
}

function checkArray(value: Json[], node: SchemaNode, at: string, context: CheckContext): void {
  const { findings } = context;
  const items = node.items;
  if (items) for (const [index, item] of value.entries()) checkValue(item, items, at + toPointer(index), context);
  const [least, most] = [node.number('minItems'), node.number('maxItems')];
  if (least !== undefined && value.length < least)
    findings.error(at, 'minItems', invalidValue(value.length, `${inBody(at)} should have at least ${least} items`));
  if (most !== undefined && value.length > most)
    findings.error(at, 'maxItems', `Too many: ${value.length}: must have at most ${most} items`);
  if (node.raw['uniqueItems'] === true && new Set(value.map(canonicalJson)).size < value.length)
    findings.error(at, 'uniqueItems', invalidValue('', `${inBody(at)} shouldn't contain duplicates`));
}

function checkBranches(value: Json, node: SchemaNode, at: string, context: CheckContext): void {
  const { findings } = context;
  const attempt = (branch: SchemaNode): Findings => {
    context.budget.spend(ATTEMPT_STEPS);
    const own = new Findings();
    checkValue(value, branch, at, { ...context, findings: own });
    return own;
  };
  const anyOf = node.branches('anyOf');
  if (anyOf.length > 0) {
    const results = anyOf.map(attempt);
    if (results.every(hasErrors)) {
      findings.error(at, 'anyOf', invalidValue('', `${inBody(at)} must validate at least one schema (anyOf)`));
      findings.add(selectBestBranch(results));
    }
  }
  const oneOf = node.branches('oneOf');
  if (oneOf.length > 0) {
    const results = oneOf.map(attempt);
    const fitting = results.filter((result) => !hasErrors(result)).length;
    const found = fitting === 0 ? 'Found none valid' : `Found ${fitting} valid alternatives`;
    if (fitting !== 1)
      findings.error(
        at,
        'oneOf',
        invalidValue('', `${inBody(at)} must validate one and only one schema (oneOf). ${found}`),
      );
    if (fitting === 0) findings.add(selectBestBranch(results));
  }
  for (const branch of node.branches('allOf')) {
    const result = attempt(branch);
    findings.add(result);
    if (hasErrors(result))
      findings.error(at, 'allOf', invalidValue('', `${inBody(at)} must validate all the schemas (allOf)`));
  }
  const { not } = node;
  if (not && !hasErrors(attempt(not)))
    findings.error(at, 'not', invalidValue('', `${inBody(at)} must not validate the schema (not)`));
}

function hasErrors({ errors }: Findings): boolean {
  return errors.length > 0;
}

/** When all branches fail, the one with the fewest errors is probably the intended one. */
function selectBestBranch(results: Findings[]): Findings {
  return results.reduce((least, result) => (result.errors.length < least.errors.length ? result : least));
}

export function inBody(at: string): string {
  return at === '' ? 'in body' : `${toFieldPath(at)} in body`;
}
