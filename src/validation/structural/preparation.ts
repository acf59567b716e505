import { isObject, type Json, type JsonObject } from '../../core/json/json.js';
import { toPointer } from '../../core/json/json-pointer.js';
import type { StepBudget } from '../schema/step-budget.js';
import { toFieldPath, type Findings } from '../schema/findings.js';
import type { SchemaNode } from '../schema/schema-node.js';

/** The fields of every resource, including those that its schema does not list. */
const ENVELOPE_MEMBERS = new Set(['apiVersion', 'kind', 'metadata']);

/** The context of preparing a value for validation. */
export interface PreparationContext {
  findings: Findings;
  budget: StepBudget;
  /** Decodes as Go does for built-in types: null counts as absent, and defaults of the schema are not applied. */
  asGo: boolean;
}

/**
 * Prunes and defaults a value as an API server does before validation: removes unknown fields and nulls that are not nullable, and applies
 * defaults. The returned objects have no prototype, so that no key is special.
 */
export function prepareValue(value: Json, node: SchemaNode | undefined, at: string, reading: PreparationContext): Json {
  reading.budget.spend(1);
  if (Array.isArray(value)) {
    const items = node?.items;
    if (!items && (node?.preserves || node?.goType === 'any')) return value;
    return value.map((item, index) => {
      const kept = item === null && items ? substitute(items, reading) : item;
      return prepareValue(kept, items, at + toPointer(index), reading);
    });
  }
  return isObject(value) ? prepareObject(value, node, at, reading) : value;
}

function prepareObject(
  value: JsonObject,
  node: SchemaNode | undefined,
  at: string,
  reading: PreparationContext,
): JsonObject {
  const kept = Object.create(null) as JsonObject;
  const additional = node?.additional;
  for (const [key, member] of Object.entries(value)) {
    reading.budget.spend(1);
    const place = at + toPointer(key);
    const declared = node?.property(key) ?? (typeof additional === 'object' ? additional : undefined);
    if ((node?.embeds || at === '') && ENVELOPE_MEMBERS.has(key)) {
      if (member !== null) kept[key] = member;
    } else if (declared) {
      const given = member === null ? replaceNull(declared, node?.property(key) === undefined, reading) : member;
      if (given !== undefined) kept[key] = prepareValue(given, declared, place, reading);
    } else if (node?.preserves || node?.goType === 'any') kept[key] = member;
    else if (additional === true) kept[key] = prepareValue(member, undefined, place, reading);
    else if (!reading.findings.isFull)
      reading.findings.warn(place, 'unknown-field', `unknown field "${toFieldPath(place)}"`);
  }
  if (!reading.asGo) addDefaults(kept, node, at, reading);
  return kept;
}

function addDefaults(kept: JsonObject, node: SchemaNode | undefined, at: string, reading: PreparationContext): void {
  for (const name of node?.propertyNames ?? []) {
    if (name in kept) continue;
    const property = node?.property(name);
    const value = property && defaultFor(property, reading);
    if (value !== undefined) kept[name] = prepareValue(value, property, at + toPointer(name), reading);
  }
}

/** The replacement of a null member: null when nullable, otherwise the default or undefined; in maps of built-in types the zero value. */
function replaceNull(node: SchemaNode, isEntry: boolean, reading: PreparationContext): Json | undefined {
  if (reading.asGo) return isEntry ? substitute(node, reading) : undefined;
  return node.nullable ? null : defaultFor(node, reading);
}

function defaultFor(node: SchemaNode, { asGo }: PreparationContext): Json | undefined {
  return !asGo && node.hasDefault ? node.raw['default'] : undefined;
}

/** The replacement of a null item: the default, or the zero value of the Go type. */
function substitute(node: SchemaNode, { asGo }: PreparationContext): Json {
  if (!asGo) return !node.nullable && node.hasDefault ? (node.raw['default'] ?? null) : null;
  if (node.goType === 'quantity') return '0';
  const [type] = node.types;
  if (type === 'string') return node.goType === 'time' ? null : '';
  if (type === 'integer' || type === 'number') return 0;
  return type === 'object' ? {} : null;
}
