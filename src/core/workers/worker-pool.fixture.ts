import { type AskMainThread, defineTask } from './task.js';

/** Asks whatever it is given. */
export const passOn = (question: string, ask: AskMainThread): Promise<unknown> => ask(question);

export const passOnTask = defineTask(import.meta.url, { passOn });
