import { canonicalJson } from '../../core/json/canonical-json.js';
import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import type { Findings } from '../schema/findings.js';
import type { Pattern } from '../values/pattern.js';

/** One validation against a JSON Schema. */
export interface SchemaRun {
  findings: Findings;
  /** Validates a value against a subschema and reports its errors; `at` is the JSON Pointer of the value. */
  check(value: Json, schema: Json | undefined, at: string): void;
  /** As `check`, but returns the errors instead of reporting them. */
  attempt(value: Json, schema: Json | undefined, at: string): Findings;
  error(at: string, keyword: string, detail: string): void;
  /** The compiled pattern; undefined, with a warning, when RE2 does not support it. */
  pattern(source: string): Pattern | undefined;
}

/** Keywords of JSON Schema that structural schemas do not allow. */
const JSON_SCHEMA_KEYWORDS = [
  '$schema',
  'if',
  'then',
  'else',
  'const',
  'contains',
  'dependencies',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'prefixItems',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
  '$dynamicRef',
  '$recursiveRef',
];
const MAX_DEPTH = 60;

/** Whether a schema uses keywords that structural schemas do not allow. */
export function usesJsonSchema(schema: Json | undefined, depth = 0): boolean {
  if (!isObject(schema) || depth > MAX_DEPTH) return false;
  if (JSON_SCHEMA_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword))) return true;
  if (Array.isArray(schema['type']) || Array.isArray(schema['items'])) return true;
  const maps = ['properties', 'definitions', '$defs'].flatMap((name) => {
    const map = schema[name];
    return isObject(map) ? Object.values(map) : [];
  });
  const lists = ['allOf', 'anyOf', 'oneOf'].flatMap((name) => {
    const list = schema[name];
    return Array.isArray(list) ? list : [];
  });
  const single = ['items', 'additionalProperties', 'not'].map((name) => schema[name]);
  return [...maps, ...lists, ...single].some((part) => usesJsonSchema(part, depth + 1));
}

export function checkArrayRules(value: Json[], schema: JsonObject, at: string, run: SchemaRun): void {
  const { items, prefixItems, additionalItems, minItems, maxItems, uniqueItems, contains } = schema;
  if (typeof minItems === 'number' && value.length < minItems)
    run.error(at, 'minItems', `must have at least ${minItems} items`);
  if (typeof maxItems === 'number' && value.length > maxItems)
    run.error(at, 'maxItems', `must have at most ${maxItems} items`);
  if (uniqueItems === true && new Set(value.map(canonicalJson)).size < value.length)
    run.error(at, 'uniqueItems', 'must not have the same item twice');
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
  const rest = Array.isArray(items) ? additionalItems : items;
  for (const [index, item] of value.entries())
    run.check(item, index < first.length ? first[index] : rest, at + toPointer(index));
  if (contains === undefined) return;
  const count = value.filter(
    (item, index) => run.attempt(item, contains, at + toPointer(index)).errors.length === 0,
  ).length;
  const { minContains: least = 1, maxContains: most = Infinity } = schema as {
    minContains?: number;
    maxContains?: number;
  };
  if (count < least || count > most) run.error(at, 'contains', 'must contain items that fit the schema');
}

export function checkObjectRules(value: JsonObject, schema: JsonObject, at: string, run: SchemaRun): void {
  const names = Object.keys(value);
  const { minProperties, maxProperties, propertyNames, required } = schema;
  if (typeof minProperties === 'number' && names.length < minProperties)
    run.error(at, 'minProperties', `must have at least ${minProperties} members`);
  if (typeof maxProperties === 'number' && names.length > maxProperties)
    run.error(at, 'maxProperties', `must have at most ${maxProperties} members`);
  for (const name of readTexts(required))
    if (!Object.hasOwn(value, name)) run.error(at + toPointer(name), 'required', 'must be there');
  if (propertyNames !== undefined) for (const name of names) run.check(name, propertyNames, at + toPointer(name));
  checkMembers(value, schema, at, run);
  checkDependencies(value, schema, at, run);
}

function checkMembers(value: JsonObject, schema: JsonObject, at: string, run: SchemaRun): void {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const byPattern = isObject(schema['patternProperties']) ? Object.entries(schema['patternProperties']) : [];
  const patterns = byPattern.map(([source, part]) => [run.pattern(source), part] as const);
  for (const [name, member] of Object.entries(value)) {
    const place = at + toPointer(name);
    const isDeclared = Object.hasOwn(properties, name);
    if (isDeclared) run.check(member, properties[name], place);
    // A pattern that cannot be evaluated may match, so its properties are not additional.
    const matching = patterns.filter(([pattern]) => pattern?.matches(name) ?? true);
    for (const [pattern, part] of matching) if (pattern) run.check(member, part, place);
    const additional = schema['additionalProperties'];
    if (isDeclared || matching.length > 0 || additional === undefined) continue;
    if (additional === false) run.error(place, 'additionalProperties', 'must not be there');
    else run.check(member, additional, place);
  }
}

/** `dependencies`, `dependentRequired` and `dependentSchemas`. */
function checkDependencies(value: JsonObject, schema: JsonObject, at: string, run: SchemaRun): void {
  for (const keyword of ['dependencies', 'dependentRequired', 'dependentSchemas']) {
    const rules = schema[keyword];
    for (const [name, rule] of Object.entries(isObject(rules) ? rules : {})) {
      if (!Object.hasOwn(value, name)) continue;
      if (!Array.isArray(rule)) run.check(value, rule, at);
      else
        for (const other of readTexts(rule))
          if (!Object.hasOwn(value, other)) run.error(at + toPointer(other), keyword, `must be there beside ${name}`);
    }
  }
}

function readTexts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
