import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { passed, type PassedError, revived } from './passed-error.js';
import { type Ask, functionOf, HandedOver } from './task.js';

/** What the pool sends to a worker: something to do, or the answer to what its task asked. */
export type Order = { module: string; name: string; input: unknown } | Reply;

export type Reply = { reply: number; value: unknown } | { reply: number; error: PassedError };

/** What a worker sends back: that it has begun, what its task asks, the parts of a value as they come, the value, or why there is none. */
export type Answer =
  | { begun: true }
  | { ask: number; question: unknown }
  | { part: unknown }
  | { value: unknown }
  | { error: PassedError };

/** What a worker is started with. */
export interface WorkerSettings {
  niceness: number;
}

giveWay(workerData as WorkerSettings);

const questions: { resolve: (value: unknown) => void; reject: (error: Error) => void }[] = [];

const ask: Ask = (question, buffers = []) =>
  new Promise((resolve, reject) => {
    const number = questions.push({ resolve, reject }) - 1;
    send({ ask: number, question }, buffers);
  });

parentPort?.on('message', (order: Order) => {
  if ('reply' in order) {
    const { resolve, reject } = questions[order.reply] ?? {};
    if ('value' in order) resolve?.(order.value);
    else reject?.(revived(order.error));
    return;
  }
  questions.length = 0;
  send({ begun: true });
  void perform(order).catch((error: unknown) => send({ error: passed(error) }));
});

/** Lowers the priority of this thread alone; its id is known only where there is /proc. */
function giveWay({ niceness }: WorkerSettings): void {
  try {
    if (niceness > 0) setPriority(Number(basename(readlinkSync('/proc/thread-self'))), niceness);
  } catch {
    // This system has no priorities of threads, or does not allow it.
  }
}

async function perform(order: Exclude<Order, Reply>): Promise<void> {
  const value = await (await functionOf(order))(order.input, ask);
  if (value instanceof HandedOver) return send({ value: value.value }, value.buffers);
  if (!isIterator(value)) return send({ value });
  for (const part of value) send({ part });
  send({ value: undefined });
}

function send(answer: Answer, buffers: ArrayBuffer[] = []): void {
  parentPort?.postMessage(answer, buffers);
}

/** Generators are sent piece by piece; arrays and text are values. */
function isIterator(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && Symbol.iterator in value;
}
