import { type Json, asText } from '../../core/json/json.js';
import type { StepBudget } from '../schema/step-budget.js';
import { toFieldPath, type Findings, invalidValue, quoted } from '../schema/findings.js';
import { hasFormat } from '../values/text-formats.js';
import type { JsonType, SchemaNode } from '../schema/schema-node.js';

const BEYOND_INT64 = 2 ** 63;
const MAX_FLOAT = 3.4028234663852886e38;
export const INT32 = { least: -(2 ** 31), most: 2 ** 31 - 1 };

/** The JSON type as an API server names it; a number without a fraction is an integer, also when written as `1.0`. */
export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}

export function isInteger(value: number): boolean {
  return Number.isInteger(value) && value >= -BEYOND_INT64 && value < BEYOND_INT64;
}

export function checkNumber(value: number, node: SchemaNode, at: string, findings: Findings): void {
  const where = `${toFieldPath(at)} in body`;
  const report = (keyword: string, why: string): void =>
    findings.error(at, keyword, invalidValue(value, `${where} ${why}`));
  const [type, ...others] = node.types;
  if (others.length === 0 && !fits(value, type, node.format))
    findings.error(
      at,
      'format',
      invalidValue(value, `Checked value must be of type ${type} with format ${node.format} in ${toFieldPath(at)}`),
    );
  const factor = node.number('multipleOf');
  if (factor !== undefined && !isMultiple(value, factor)) report('multipleOf', `should be a multiple of ${factor}`);
  const [most, least] = [
    readBound(node, 'maximum', 'exclusiveMaximum'),
    readBound(node, 'minimum', 'exclusiveMinimum'),
  ];
  if (most?.strict && value >= most.at) report('maximum', `should be less than ${most.at}`);
  else if (most && value > most.at) report('maximum', `should be less than or equal to ${most.at}`);
  if (least?.strict && value <= least.at) report('minimum', `should be greater than ${least.at}`);
  else if (least && value < least.at) report('minimum', `should be greater than or equal to ${least.at}`);
}

/** An exclusive bound is a boolean next to the bound in OpenAPI 3.0, and a number in JSON Schema. */
function readBound(node: SchemaNode, keyword: string, exclusive: string): { at: number; strict: boolean } | undefined {
  const [own, strict] = [node.number(keyword), node.number(exclusive)];
  if (strict !== undefined) return { at: strict, strict: true };
  return own === undefined ? undefined : { at: own, strict: node.raw[exclusive] === true };
}

function fits(value: number, type: string | undefined, format: string | undefined): boolean {
  if (type === 'integer' && format === 'int32') return value >= INT32.least && value <= INT32.most;
  if (type === 'number' && format === 'float') return Math.abs(value) <= MAX_FLOAT;
  return true;
}

function isMultiple(value: number, factor: number): boolean {
  return factor > 0 && Number.isInteger(factor < 1 ? (1 / factor) * value : value / factor);
}

export function checkText(
  value: string,
  node: SchemaNode,
  at: string,
  { findings, budget }: { findings: Findings; budget: StepBudget },
): void {
  const where = `${toFieldPath(at)} in body`;
  budget.spend(value.length >> 8);
  const [least, most] = [node.number('minLength'), node.number('maxLength')];
  const length = least === undefined && most === undefined ? 0 : codePoints(value);
  if (most !== undefined && length > most)
    findings.error(at, 'maxLength', `Too long: may not be more than ${most} bytes`);
  else if (least !== undefined && length < least)
    findings.error(at, 'minLength', invalidValue(value, `${where} should be at least ${least} chars long`));
  else checkPattern(value, node, at, findings, budget);
  const { format, types } = node;
  if (format !== undefined && (types.length === 0 || types.includes('string')) && !hasFormat(format, value))
    findings.error(at, 'format', invalidValue(value, `${where} must be of type ${format}: ${quoted(value)}`));
}

function checkPattern(value: string, node: SchemaNode, at: string, findings: Findings, budget: StepBudget): void {
  const { pattern } = node;
  if (pattern === undefined) return;
  const source = asText(node.raw['pattern']);
  if (typeof pattern === 'string') {
    findings.notEvaluated(at, `the pattern '${source}' is not valid in RE2: ${pattern}`);
    return;
  }
  budget.spend((value.length * pattern.size) >> 7);
  const found = pattern.matches(value);
  if (found === undefined) findings.notEvaluated(at, `matching the pattern '${source}' takes too long`);
  else if (!found)
    findings.error(at, 'pattern', invalidValue(value, `${toFieldPath(at)} in body should match '${source}'`));
}

/** The length in Unicode code points, as Go counts it. */
function codePoints(value: string): number {
  let length = 0;
  for (const _ of value) length++;
  return length;
}
