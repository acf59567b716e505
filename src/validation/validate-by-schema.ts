import { isObject, type Json, type JsonObject, asText } from '../core/json/json.js';
import { StepBudget, BudgetExceeded } from './schema/step-budget.js';
import { checkRepeatedItems, checkStructure } from './structural/embedded-resources.js';
import { Findings, invalidValue, type ValidationResult } from './schema/findings.js';
import { checkJsonSchema } from './json-schema/json-schema.js';
import { usesJsonSchema } from './json-schema/json-schema-parts.js';
import { isBuiltIn } from './native/built-in-groups.js';
import { checkNativeRules, nameRuleOf } from './native/native-rules.js';
import { checkObjectMeta } from './structural/object-meta.js';
import { prepareValue } from './structural/preparation.js';
import { checkCelRules } from './structural/cel-rules.js';
import { type SchemaNode, SchemaSource } from './schema/schema-node.js';
import { checkValue } from './structural/value-check.js';

export interface ValidationOptions {
  /** The type that the schema describes; by default the one in `x-kubernetes-group-version-kind`. */
  type?: { apiVersion: string; kind: string };
  /** The resource is part of another document and needs no name. */
  embedded?: boolean;
  /** The maximum steps of the validation, about 1.5 µs each; the default suffices for the largest resources that an API server stores. */
  budget?: number;
}

/** A schema prepared for validation; callers cache it. */
export class CompiledSchema {
  readonly root: SchemaNode;
  readonly types: { apiVersion: string; kind: string }[];
  /** Whether the schema describes a type of Kubernetes resource. */
  readonly isKubernetes: boolean;
  /** Whether the schema uses keywords that structural schemas do not allow. */
  readonly usesJsonSchema: boolean;

  constructor(readonly schema: JsonObject) {
    this.root = new SchemaSource(schema).node(schema);
    this.types = readTypes(schema);
    this.isKubernetes = this.types.length > 0 || hasEnvelope(this.root) || mentionsKubernetes(schema);
    this.usesJsonSchema = usesJsonSchema(schema);
  }
}

const MAX_STEPS = 300_000;
/** The maximum nesting of a resource: deeper ones risk a stack overflow. */
const MAX_DEPTH = 200;
/** The maximum number of values in a resource; larger ones exceed what an API server stores. */
const MAX_VALUES = 75_000;
/** The maximum subschemas that are searched for `x-kubernetes-` keywords. */
const MAX_SCHEMA_PARTS = 200_000;
/** Errors of these keywords prevent the evaluation of CEL rules, as in an API server. */
const BLOCKING_KEYWORDS = new Set(['type', 'required', 'enum', 'maxLength', 'maxItems', 'maxProperties']);

/** Prepares a schema: structural (apiextensions.k8s.io/v1), of a built-in type (OpenAPI v3), or JSON Schema. Never throws. */
export function compileSchema(schema: JsonObject): CompiledSchema {
  return new CompiledSchema(schema);
}

/**
 * Validates a resource as an API server does on create. Unknown fields, and rules that cannot be evaluated here, are warnings.
 * Takes about 10 µs for each value, so large resources belong in a worker. Never throws.
 */
export function validateBySchema(
  resource: JsonObject,
  schema: JsonObject | CompiledSchema,
  options: ValidationOptions = {},
): ValidationResult {
  const compiled = schema instanceof CompiledSchema ? schema : compileSchema(schema);
  const findings = new Findings();
  try {
    checkResource(resource, compiled, options, findings);
  } catch (error) {
    if (!(error instanceof BudgetExceeded || error instanceof RangeError)) throw error;
    findings.notEvaluated('', `the resource is only partly validated: ${error.message}`);
  }
  return { errors: findings.errors, warnings: findings.warnings };
}

function checkResource(
  resource: JsonObject,
  schema: CompiledSchema,
  options: ValidationOptions,
  findings: Findings,
): void {
  const excess = findExcess(resource);
  if (excess) {
    findings.notEvaluated('', `the resource ${excess} and is not validated`);
    return;
  }
  const isKubernetes = schema.isKubernetes || options.type !== undefined;
  const asGo = isKubernetes && isBuiltIn(resource['apiVersion']);
  if (isKubernetes) {
    checkType(resource, options.type ? [options.type] : schema.types, findings);
    const rules = { name: nameRuleOf(resource), mustBeNamed: options.embedded !== true };
    checkObjectMeta(resource['metadata'], '/metadata', rules, findings);
  }
  if (!isKubernetes || schema.usesJsonSchema) {
    checkJsonSchema(resource, schema.schema, findings);
    return;
  }
  const budget = new StepBudget(options.budget ?? MAX_STEPS);
  const prepared = prepareValue(resource, schema.root, '', { findings, budget, asGo });
  checkValue(prepared, schema.root, '', { findings, budget, asGo });
  if (asGo) {
    if (isObject(prepared)) checkNativeRules(prepared, findings);
    checkRepeatedItems(prepared, schema.root, '', findings, budget);
    return;
  }
  checkStructure(prepared, schema.root, '', findings, budget);
  if (!findings.errors.some(({ keyword }) => BLOCKING_KEYWORDS.has(keyword)))
    checkCelRules(prepared, schema.root, '', findings, budget);
}

function checkType(resource: JsonObject, types: { apiVersion: string; kind: string }[], findings: Findings): void {
  const { apiVersion, kind } = resource;
  for (const [name, value] of Object.entries({ apiVersion: apiVersion ?? null, kind: kind ?? null })) {
    if (value === null || value === '') findings.error(`/${name}`, 'required', 'Required value');
    else if (typeof value !== 'string') findings.error(`/${name}`, 'type', invalidValue(value, 'must be a string'));
  }
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || types.length === 0) return;
  if (types.some((type) => type.apiVersion === apiVersion && type.kind === kind)) return;
  const [expected] = types;
  if (expected && types.every((type) => type.kind !== kind))
    findings.error('/kind', 'kind', invalidValue(kind, `must be ${expected.kind}`));
  else if (expected)
    findings.error('/apiVersion', 'apiVersion', invalidValue(apiVersion, `must be ${expected.apiVersion}`));
}

function readTypes(schema: JsonObject): { apiVersion: string; kind: string }[] {
  const known = schema['x-kubernetes-group-version-kind'];
  return (Array.isArray(known) ? known : [known ?? null]).filter(isObject).map(({ group, version, kind }) => ({
    apiVersion: asText(group) === '' ? asText(version) : `${asText(group)}/${asText(version)}`,
    kind: asText(kind),
  }));
}

function hasEnvelope(root: SchemaNode): boolean {
  return ['apiVersion', 'kind', 'metadata'].every((name) => root.property(name) !== undefined);
}

/** Whether any subschema has an `x-kubernetes-` keyword. */
function mentionsKubernetes(schema: JsonObject): boolean {
  const open: Json[] = [schema];
  for (let seen = 0; seen < MAX_SCHEMA_PARTS; seen++) {
    const part = open.pop();
    if (part === undefined) return false;
    if (isObject(part) && Object.keys(part).some((key) => key.startsWith('x-kubernetes-'))) return true;
    if (typeof part === 'object' && part !== null) for (const inner of Object.values(part)) open.push(inner);
  }
  return false;
}

/** The limit that a resource exceeds, as text that follows "the resource"; undefined when it exceeds none. */
function findExcess(resource: Json): string | undefined {
  let level: Json[] = [resource];
  let count = 0;
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const inner: Json[] = [];
    for (const part of level)
      if (typeof part === 'object' && part !== null) for (const member of Object.values(part)) inner.push(member);
    count += inner.length;
    if (count > MAX_VALUES) return `holds more than ${MAX_VALUES} values`;
    if (inner.length === 0) return undefined;
    level = inner;
  }
  return `is nested deeper than ${MAX_DEPTH} levels`;
}
