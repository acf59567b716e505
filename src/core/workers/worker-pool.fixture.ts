import { type AskMainThread, defineTask } from './task.js';

/** Asks whatever it is given. */
export function passOn(question: string, ask: AskMainThread): Promise<unknown> {
  return ask(question);
}

export const passOnTask = defineTask(import.meta.url, { passOn });
