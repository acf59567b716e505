import { parentPort } from 'node:worker_threads';
import { AppError, type Fault } from '../core/errors/app-error.js';

/** What the pool sends to a worker. */
export interface Job {
  module: string;
  name: string;
  input: unknown;
}

/** What a worker sends back: that it has begun, the parts of a value as they come, the value, an AppError taken apart, or the message of any other error. */
export type Answer =
  | { begun: true }
  | { part: unknown }
  | { value: unknown }
  | { message: string }
  | { status: number; code: string; title: string; message: string; errors: Fault[]; remedy?: string };

parentPort?.on('message', (job: Job) => {
  parentPort?.postMessage({ begun: true });
  void answer(job).then((result) => parentPort?.postMessage(result));
});

async function answer({ module, name, input }: Job): Promise<Answer> {
  try {
    const task = ((await import(module)) as Record<string, (input: unknown) => unknown>)[name];
    if (typeof task !== 'function') throw new Error(`${module} exports no function ${name}`);
    const value = await task(input);
    if (!isIterator(value)) return { value };
    for (const part of value) parentPort?.postMessage({ part });
    return { value: undefined };
  } catch (error) {
    if (error instanceof AppError) {
      const { status, code, title, message, errors, remedy } = error;
      return { status, code, title, message, errors, ...(remedy === undefined ? {} : { remedy }) };
    }
    return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** Generators are sent piece by piece; arrays and text are values. */
function isIterator(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && Symbol.iterator in value;
}
