import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { serializeError, type SerializedError, deserializeError } from './serialized-error.js';
import { type AskMainThread, TransferredValue } from './task.js';

/** A message of the pool to a worker: a task, or the answer to a question of its task. */
export type WorkerRequest = { module: string; name: string; input: unknown } | QuestionReply;

export type QuestionReply = { reply: number; value: unknown } | { reply: number; error: SerializedError };

/**
 * A message of a worker: that it has started and its thread id, a question of its task, the next part of a
 * generator, the result, or the error.
 */
export type WorkerMessage =
  | { begun: true; thread: string | null }
  | { ask: number; question: unknown }
  | { part: unknown }
  | { value: unknown }
  | { error: SerializedError };

/** The startup data of a worker. */
export interface WorkerData {
  niceness: number;
}

const thread = findThread();
lowerPriority(workerData as WorkerData);

const questions: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];

const ask: AskMainThread = (question, buffers = []) =>
  new Promise((resolve, reject) => {
    const number = questions.push({ resolve, reject }) - 1;
    post({ ask: number, question }, buffers);
  });

parentPort?.on('message', (order: WorkerRequest) => {
  if ('reply' in order) {
    const { resolve, reject } = questions[order.reply] ?? {};
    if ('value' in order) resolve?.(order.value);
    else reject?.(deserializeError(order.error, order.reply));
    return;
  }
  questions.length = 0;
  post({ begun: true, thread });
  void runTask(order).catch((error: unknown) => post({ error: serializeError(error) }));
});

/** The OS thread id of this thread, where /proc exists. */
function findThread(): string | null {
  try {
    return basename(readlinkSync('/proc/thread-self'));
  } catch {
    return null;
  }
}

/** Lowers the priority of this thread only. */
function lowerPriority({ niceness }: WorkerData): void {
  try {
    if (niceness > 0 && thread !== null) setPriority(Number(thread), niceness);
  } catch {
    // The system does not permit it.
  }
}

async function runTask(order: Exclude<WorkerRequest, QuestionReply>): Promise<void> {
  const value = await (await loadFunction(order))(order.input, ask);
  if (value instanceof TransferredValue) return post({ value: value.value }, value.transferList);
  if (!isIterator(value)) return post({ value });
  for (const part of value) post({ part });
  post({ value: undefined });
}

/** Imports the function of a task. @throws Error when the module does not export it */
async function loadFunction({ module, name }: { module: string; name: string }): Promise<LoadedFunction> {
  const found = ((await import(module)) as Record<string, LoadedFunction>)[name];
  if (typeof found !== 'function') throw new Error(`${module} exports no function ${name}`);
  return found;
}

type LoadedFunction = (input: unknown, ask: AskMainThread) => unknown;

function post(answer: WorkerMessage, buffers: ArrayBuffer[] = []): void {
  parentPort?.postMessage(answer, buffers);
}

/** Generators are sent part by part; arrays and strings are sent whole. */
function isIterator(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && Symbol.iterator in value;
}
