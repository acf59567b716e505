import { type Fault } from '../../core/errors/app-error.js';
import type { JsonObject } from '../../core/json/json.js';
import { defineTask, type Task, type TaskRunner } from '../../core/workers/task.js';
import { BudgetExceeded } from '../../validation/schema/step-budget.js';
import { Findings } from '../../validation/schema/findings.js';
import { checkJsonSchema } from '../../validation/json-schema/json-schema.js';

/** Characters of schema and value that are validated on this thread; larger ones go to a worker. */
const INLINE_MAX_CHARACTERS = 20_000;

interface SchemaValidationInput {
  schema: JsonObject;
  value: JsonObject;
}

const schemaValidationTask: Task<SchemaValidationInput, Fault[]> = defineTask(import.meta.url, {
  findFaultsInWorker,
});

/**
 * Validates a value against a schema of a package, interpreted within a budget, with its patterns as RE2. What cannot be
 * validated is not a fault.
 */
export async function findSchemaFaults(schema: JsonObject, value: JsonObject, tasks: TaskRunner): Promise<Fault[]> {
  const input = { schema, value };
  return JSON.stringify(input).length <= INLINE_MAX_CHARACTERS
    ? findFaultsInWorker(input)
    : tasks.run(schemaValidationTask, input, { lane: 'connection' });
}

/** Task of the worker pool. */
export function findFaultsInWorker({ schema, value }: SchemaValidationInput): Fault[] {
  const findings = new Findings();
  try {
    checkJsonSchema(value, schema, findings);
  } catch (error) {
    if (!(error instanceof BudgetExceeded)) throw error;
  }
  return findings.errors.map(({ pointer, detail, keyword }) => ({ pointer, detail, keyword }));
}
