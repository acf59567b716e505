import type { JsonObject } from '../core/json/json.js';
import { defineTask, type Task } from '../core/workers/task.js';
import { type ValidationResult } from './schema/findings.js';
import { validateResource, type ResourceTypeMeta } from './validate-resource.js';
import { type CompiledSchema, compileSchema } from './validate-by-schema.js';

export interface ResourceToValidate {
  resource: JsonObject;
  type: ResourceTypeMeta;
  /** The key of its schema in `schemas`. */
  schema: string;
}

interface ValidationTaskInput {
  resources: ResourceToValidate[];
  /** JSON Schemas as text, by the keys that the resources use. */
  schemas: ReadonlyMap<string, string>;
}

/** Validates resources, each against its schema. The results are in the order of the resources. */
export const validationTask: Task<ValidationTaskInput, ValidationResult[]> = defineTask(import.meta.url, {
  validateInWorker,
});

/** The compiled schemas of this thread, least recently used first. */
const compiledSchemas = new Map<string, CompiledSchema>();
const MAX_COMPILED = 50;

/** Task of the worker pool. */
export function validateInWorker({ resources, schemas }: ValidationTaskInput): ValidationResult[] {
  return resources.map(({ resource, type, schema }) =>
    validateResource(resource, getCompiledSchema(schemas.get(schema) ?? '{}'), type),
  );
}

/** The compiled schema, cached by this thread. @param schema JSON Schema as text */
export function getCompiledSchema(schema: string): CompiledSchema {
  const found = compiledSchemas.get(schema) ?? compileSchema(JSON.parse(schema) as JsonObject);
  compiledSchemas.delete(schema);
  compiledSchemas.set(schema, found);
  const [oldest] = compiledSchemas.keys();
  if (compiledSchemas.size > MAX_COMPILED && oldest !== undefined) compiledSchemas.delete(oldest);
  return found;
}
