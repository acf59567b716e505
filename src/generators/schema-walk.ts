import { isObject, type Json, type JsonObject } from '../core/json/json.js';

/** Keywords whose value is a schema, a list of schemas, or either. */
const SCHEMA_KEYWORDS = new Set([
  ...['additionalProperties', 'additionalItems', 'items', 'prefixItems', 'contains', 'propertyNames', 'not'],
  ...['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'unevaluatedItems', 'unevaluatedProperties', 'contentSchema'],
]);
/** Keywords whose value is an object of schemas by name. */
const NAMED_SCHEMA_KEYWORDS = new Set([
  ...['properties', 'patternProperties', 'definitions', '$defs', 'dependentSchemas', 'dependencies'],
]);

/** A `$ref` of a schema, and its path as segments of a JSON Pointer. */
export interface SchemaReference {
  target: string;
  path: readonly (string | number)[];
}

/**
 * A copy of a schema in which `change` has replaced the members of each subschema, outermost first.
 * Only keywords are followed: a property that is named `$ref`, or an example that holds one, is data.
 */
export function mapSchema(
  schema: Json,
  change: (schema: JsonObject, path: readonly (string | number)[]) => JsonObject,
): Json {
  const path: (string | number)[] = [];
  const at = <Value>(segment: string | number, work: () => Value): Value => {
    path.push(segment);
    const value = work();
    path.pop();
    return value;
  };
  const visit = (value: Json): Json => {
    if (Array.isArray(value)) return value.map((item, index) => at(index, () => visit(item)));
    if (!isObject(value)) return value;
    const result: JsonObject = {};
    for (const [key, member] of Object.entries(change(value, path))) {
      if (SCHEMA_KEYWORDS.has(key)) result[key] = at(key, () => visit(member));
      else if (NAMED_SCHEMA_KEYWORDS.has(key)) result[key] = at(key, () => named(member));
      else result[key] = member;
    }
    return result;
  };
  const named = (value: Json): Json => {
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, at(name, () => visit(schema))]));
  };
  return visit(schema);
}

/** Every `$ref` of a schema and its subschemas. */
export function findReferences(schema: Json): SchemaReference[] {
  const references: SchemaReference[] = [];
  mapSchema(schema, (inner, path) => {
    const target = inner['$ref'];
    if (typeof target === 'string') references.push({ target, path: [...path, '$ref'] });
    return inner;
  });
  return references;
}
