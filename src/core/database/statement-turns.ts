import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { queryClient } from './pool-queries.js';

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
  const query = runner.query.bind(runner);
  runner.query = async (text: string, values?: unknown[], structured?: boolean): Promise<never> => {
    if (turns.running >= turns.most)
      throw new Error('two statements at once inside one unit of work; await them one after another');
    const alone = single.getStore();
    if (alone?.sent) throw new Error('the first query has to be a single statement');
    if (alone) alone.sent = true;
    turns.running++;
    try {
      // The overloads of `query` return a type that the caller chooses.
      // After the release, TypeORM's `query` throws.
      if (structured || runner.isReleased) return (await query(text, values, structured as true)) as never;
      return (await queryClient((await runner.connect()) as pg.PoolClient, text, values)) as never;
    } finally {
      turns.running--;
    }
  };
}
