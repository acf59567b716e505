import { threadId } from 'node:worker_threads';
import { type AskMainThread, defineTask } from './task.js';

/** Asks whatever it is given. */
export function passOn(question: string, ask: AskMainThread): Promise<unknown> {
  return ask(question);
}

export const passOnTask = defineTask(import.meta.url, { passOn });

/** Which worker runs it. */
export function findThread(): number {
  return threadId;
}

export const findThreadTask = defineTask<null, number>(import.meta.url, { findThread });
