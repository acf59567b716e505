import { type JsonObject } from '../../formats/located.js';
import { type Task } from '../../formats/worker-pool.js';
import { type Verdict } from './finding.js';
import { type CompiledSchema, compileSchema, validate } from './validate.js';

interface Input {
  resource: JsonObject;
  /** JSON Schema as text. */
  schema: string;
  type: { apiVersion: string; kind: string };
}

export const validationTask: Task<Input, Verdict> = { module: import.meta.url, name: 'validateInWorker' };

/** Schemas that this worker has made ready; the least lately used goes first. */
const ready = new Map<string, CompiledSchema>();
const KEPT = 50;

/** Task of the worker pool. */
export function validateInWorker({ resource, schema, type }: Input): Verdict {
  const compiled = ready.get(schema) ?? compileSchema(JSON.parse(schema) as JsonObject);
  ready.delete(schema);
  ready.set(schema, compiled);
  const [oldest] = ready.keys();
  if (ready.size > KEPT && oldest !== undefined) ready.delete(oldest);
  return validate(resource, compiled, { type });
}
