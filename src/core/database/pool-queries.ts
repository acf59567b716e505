import type pg from 'pg';
import { type DataSource, QueryFailedError } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import type { ConnectCallback } from './database-availability.js';

/**
 * Sends statements outside of a transaction straight to a connection of the pool: each would make a query runner of its own, with
 * events of TypeORM without listeners. Answers and errors are those of TypeORM.
 */
export function sendThroughPool(dataSource: DataSource): void {
  const pool = (dataSource.driver as PostgresDriver).master as pg.Pool;
  const query = dataSource.query.bind(dataSource);
  dataSource.query = ((text, values, runner) =>
    runner ? query(text, values, runner) : queryPool(pool, text, values as unknown[])) as typeof dataSource.query;
  // The manager would wrap the same in a promise more.
  dataSource.manager.query = (text, values) => dataSource.query(text, values);
}

function queryPool(pool: pg.Pool, text: string, values?: unknown[]): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const taken: ConnectCallback = (error, client, release) => {
      if (error || !client) return reject(error ?? new Error('the pool has no connection'));
      // The pool drops a connection that has ended.
      const settle = (done: () => void): void => {
        release();
        done();
      };
      queryClient(client, text, values).then(
        (raw) => settle(() => resolve(raw)),
        (failure: Error) => settle(() => reject(failure)),
      );
    };
    (pool.connect as (callback: ConnectCallback) => void)(taken);
  });
}

/** Asks a connection as a query runner of TypeORM would. */
export function queryClient(client: pg.ClientBase, text: string, values?: unknown[]): Promise<unknown> {
  return client.query(text, values).then(toRaw, (cause: Error) => {
    throw new QueryFailedError(text, values, cause);
  });
}

const toRaw = ({ command, rows, rowCount }: pg.QueryResult): unknown =>
  command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows;
