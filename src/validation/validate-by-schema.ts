import { isObject, type Json, type JsonObject, asText } from '../core/json/json.js';
import { StepBudget, BudgetExceeded } from './schema/step-budget.js';
import { checkStructure } from './structural/embedded-resources.js';
import { Findings, invalidValue, type ValidationResult } from './schema/findings.js';
import { checkJsonSchema } from './json-schema/json-schema.js';
import { usesJsonSchema } from './json-schema/json-schema-parts.js';
import { checkNativeRules, isBuiltIn, nameRuleOf } from './native/native-rules.js';
import { checkObjectMeta } from './structural/object-meta.js';
import { prepareValue } from './structural/preparation.js';
import { checkCelRules } from './structural/cel-rules.js';
import { type SchemaNode, SchemaSource } from './schema/schema-node.js';
import { checkValue } from './structural/value-check.js';

export interface ValidationOptions {
  /** The type of Kubernetes that the schema describes; without it that of `x-kubernetes-group-version-kind`. */
  type?: { apiVersion: string; kind: string };
  /** Judged as a part of another document: it need not have a name yet. */
  embedded?: boolean;
  /** Steps that the judgement may take, of some 1.5 µs each; the default is for the largest resources that an API server keeps. */
  budget?: number;
}

/** A schema that is ready to judge; callers keep it as long as the schema stays. */
export class CompiledSchema {
  readonly root: SchemaNode;
  readonly types: { apiVersion: string; kind: string }[];
  /** Whether an API server would know it as the type of a resource. */
  readonly isKubernetes: boolean;
  /** Whether only JSON Schema knows all that the schema says. */
  readonly usesJsonSchema: boolean;

  constructor(readonly schema: JsonObject) {
    this.root = new SchemaSource(schema).node(schema);
    this.types = readTypes(schema);
    this.isKubernetes = this.types.length > 0 || hasEnvelope(this.root) || mentionsKubernetes(schema);
    this.usesJsonSchema = usesJsonSchema(schema);
  }
}

const MAX_STEPS = 300_000;
/** Deeper resources cannot be walked safely, and none that is meant well is. */
const MAX_DEPTH = 200;
/** Values in a resource; one with more is larger than what an API server keeps. */
const MAX_VALUES = 75_000;
/** Of a schema, that are searched for marks of Kubernetes. */
const MAX_SCHEMA_PARTS = 200_000;
/** After these an API server does not run the rules of a custom resource any more. */
const BLOCKING_KEYWORDS = new Set(['type', 'required', 'enum', 'maxLength', 'maxItems', 'maxProperties']);

/** Makes a schema ready, be it structural (apiextensions.k8s.io/v1), of a built-in type (OpenAPI v3), or plain JSON Schema; never throws. */
export function compileSchema(schema: JsonObject): CompiledSchema {
  return new CompiledSchema(schema);
}

/**
 * Judges a resource as an API server would when it is to be created; some 10 µs for each value in it, so that large ones belong into a
 * worker. Unknown fields are warnings, as are rules that cannot be
 * judged here; never throws, whatever the resource or the schema is.
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
    findings.notJudged('', `the resource is only partly judged: ${error.message}`);
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
    findings.notJudged('', `the resource ${excess} and is not judged`);
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

/** Whether any part of a schema speaks of Kubernetes. */
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

/** In what a resource is too much to be walked; undefined when it is not. */
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
