import { AsyncLocalStorage } from 'node:async_hooks';
import type { QueryRunner } from 'typeorm';
import { wrapRunnerQuery } from '../patches/typeorm/runner-query.js';

/** The number of running statements of a transaction, and the maximum. */
export interface Turns {
  running: number;
  most: number;
}

/** The state of a context in which at most one statement may be sent. */
const single = new AsyncLocalStorage<{ sent: boolean }>();

/** Runs a query that sends exactly one statement synchronously, so that later statements are answered after it. */
export function inOneStatement<T>(ask: () => Promise<T>): Promise<T> {
  const state = { sent: false };
  const answer = single.run(state, ask);
  if (state.sent) return answer;
  answer.catch(() => undefined);
  throw new Error('the first query has to send its statement at once');
}

/**
 * Sends the statements of a transaction directly to its connection. Concurrent statements would run in an undefined
 * order; they are a programming error and throw.
 */
export function sendInTurn(runner: QueryRunner, turns: Turns): void {
  wrapRunnerQuery(runner, (send) => async (...statement) => {
    if (turns.running >= turns.most)
      throw new Error('two statements at once inside one unit of work; await them one after another');
    const alone = single.getStore();
    if (alone?.sent) throw new Error('the first query has to be a single statement');
    if (alone) alone.sent = true;
    turns.running++;
    try {
      return await send(...statement);
    } finally {
      turns.running--;
    }
  });
}
