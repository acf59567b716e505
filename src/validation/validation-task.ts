import type { JsonObject } from '../core/json/json.js';
import {} from '../core/workers/worker-pool.js';
import { defineTask, type Task } from '../core/workers/task.js';
import { type ValidationResult } from './schema/findings.js';
import { validateResource, type ResourceTypeMeta } from './validate-resource.js';
import { type CompiledSchema, compileSchema } from './validate-by-schema.js';

export interface ResourceToValidate {
  resource: JsonObject;
  type: ResourceTypeMeta;
  /** What its schema is called in the map of schemas. */
  schema: string;
}

interface ValidationTaskInput {
  resources: ResourceToValidate[];
  /** JSON Schemas as text, by what resources call them. */
  schemas: ReadonlyMap<string, string>;
}

/** Judges resources, each by its schema; the answers come in their order. */
export const validationTask: Task<ValidationTaskInput, ValidationResult[]> = defineTask(import.meta.url, {
  validateInWorker,
});

/** Schemas that this worker has made ready; the least lately used goes first. */
const compiledSchemas = new Map<string, CompiledSchema>();
const MAX_COMPILED = 50;

/** Task of the worker pool. */
export function validateInWorker({ resources, schemas }: ValidationTaskInput): ValidationResult[] {
  return resources.map(({ resource, type, schema }) =>
    validateResource(resource, getCompiledSchema(schemas.get(schema) ?? '{}'), type),
  );
}

/** A schema made ready, which this thread keeps for a while. */
export function getCompiledSchema(schema: string): CompiledSchema {
  const found = compiledSchemas.get(schema) ?? compileSchema(JSON.parse(schema) as JsonObject);
  compiledSchemas.delete(schema);
  compiledSchemas.set(schema, found);
  const [oldest] = compiledSchemas.keys();
  if (compiledSchemas.size > MAX_COMPILED && oldest !== undefined) compiledSchemas.delete(oldest);
  return found;
}
