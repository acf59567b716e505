import pg from 'pg';
import { DataSource } from 'typeorm';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { ConnectCallback } from '../pg/pool-connect.js';
import { sendThroughPool } from './pool-queries.js';
import { wrapRunnerQuery } from './runner-query.js';

/** A data source whose pool has one client, which responds to every statement with one row. */
function makeDataSource() {
  const released: string[] = [];
  const client = {
    query: (text: string) => Promise.resolve({ command: text.split(' ', 1)[0], rows: [{ text }], rowCount: 1 }),
    on: () => client,
    removeListener: () => client,
  };
  const pool = {
    connect: (callback: ConnectCallback) => callback(undefined, client as never, () => released.push('released')),
  };
  const dataSource = new DataSource({ type: 'postgres', driver: pg, url: 'postgres://localhost/none' });
  Object.assign(dataSource.driver, { master: pool });
  return { dataSource, released };
}

describe('Queries of TypeORM', () => {
  it('return the same rows through the pool as through a query runner, which is released', async () => {
    const { dataSource, released } = makeDataSource();
    const ask = (): Promise<unknown[]> =>
      Promise.all([
        dataSource.manager.query('SELECT 1'),
        dataSource.manager.query('UPDATE a'),
        dataSource.manager.query('DELETE a'),
        dataSource.manager.query('INSERT a'),
      ]);
    Object.assign(dataSource, { isInitialized: true });
    const theirs = await ask();
    sendThroughPool(dataSource);
    expect(await ask()).toEqual(theirs);
    expect(released).toHaveLength(8);
  });

  it('of a transaction pass the method that is replaced', async () => {
    const { dataSource } = makeDataSource();
    const runner = dataSource.createQueryRunner();
    expect(runner).toBeInstanceOf(PostgresQueryRunner);
    const texts: string[] = [];
    wrapRunnerQuery(runner, (send) => (text, ...rest) => {
      texts.push(text);
      return send(text, ...rest);
    });
    await runner.startTransaction();
    await runner.manager.query('SELECT 1');
    await runner.commitTransaction();
    expect(texts).toEqual(['START TRANSACTION', 'SELECT 1', 'COMMIT']);
  });
});
