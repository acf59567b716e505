import type pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { queryClient } from './pool-queries.js';

type Send = (text: string, values?: unknown[], structured?: boolean) => Promise<unknown>;

/**
 * Replaces `query` of a query runner (TypeORM 1, `PostgresQueryRunner`), through which TypeORM itself sends every
 * statement of a transaction. Not for speed: the rule that a unit of work runs one statement at a time depends on it.
 * Statements go to the connection directly, without the events that TypeORM publishes for each.
 * @param wrap gets the function that sends a statement
 */
export function wrapRunnerQuery(runner: QueryRunner, wrap: (send: Send) => Send): void {
  const query = runner.query.bind(runner) as Send;
  runner.query = wrap(async (text, values, structured) => {
    // After the release, TypeORM's `query` throws.
    if (structured || runner.isReleased) return query(text, values, structured);
    return queryClient((await runner.connect()) as pg.PoolClient, text, values);
  }) as typeof runner.query;
}
