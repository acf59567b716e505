import { type JsonObject } from '../../formats/located.js';
import { type Task } from '../../formats/worker-pool.js';
import { type Verdict } from './finding.js';
import { judge, type ResourceType } from './judged-part.js';
import { type CompiledSchema, compileSchema } from './validate.js';

export interface JudgedResource {
  resource: JsonObject;
  type: ResourceType;
  /** What its schema is called in the map of schemas. */
  schema: string;
}

interface Input {
  resources: JudgedResource[];
  /** JSON Schemas as text, by what resources call them. */
  schemas: ReadonlyMap<string, string>;
}

/** Judges resources, each by its schema; the answers come in their order. */
export const validationTask: Task<Input, Verdict[]> = { module: import.meta.url, name: 'validateInWorker' };

/** Schemas that this worker has made ready; the least lately used goes first. */
const ready = new Map<string, CompiledSchema>();
const KEPT = 50;

/** Task of the worker pool. */
export function validateInWorker({ resources, schemas }: Input): Verdict[] {
  return resources.map(({ resource, type, schema }) => judge(resource, compiled(schemas.get(schema) ?? '{}'), type));
}

/** A schema made ready, which this thread keeps for a while. */
export function compiled(schema: string): CompiledSchema {
  const found = ready.get(schema) ?? compileSchema(JSON.parse(schema) as JsonObject);
  ready.delete(schema);
  ready.set(schema, found);
  const [oldest] = ready.keys();
  if (ready.size > KEPT && oldest !== undefined) ready.delete(oldest);
  return found;
}
