import { type Fault } from '../../core/errors/app-error.js';
import { type JsonObject } from '../../formats/located.js';
import { type Task, type TaskRunner } from '../../formats/task.js';
import { BudgetSpent } from '../validation/budget.js';
import { Findings } from '../validation/finding.js';
import { checkJsonSchema } from '../validation/json-schema.js';

/** Characters of schema and value that are judged on this thread; more goes to a worker. */
const INLINE_MAX_CHARACTERS = 20_000;

interface Input {
  schema: JsonObject;
  value: JsonObject;
}

const task: Task<Input, Fault[]> = { module: import.meta.url, name: 'judgeInWorker' };

/**
 * Judges a value by a schema that a package brought, interpreted within a budget, its patterns as RE2. What cannot be
 * judged is no fault.
 */
export async function faultsBySchema(schema: JsonObject, value: JsonObject, tasks: TaskRunner): Promise<Fault[]> {
  const input = { schema, value };
  return JSON.stringify(input).length <= INLINE_MAX_CHARACTERS ? judgeInWorker(input) : tasks.run(task, input);
}

/** Task of the worker pool. */
export function judgeInWorker({ schema, value }: Input): Fault[] {
  const findings = new Findings();
  try {
    checkJsonSchema(value, schema, findings);
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
  return findings.errors.map(({ pointer, detail, keyword }) => ({ pointer, detail, keyword }));
}
