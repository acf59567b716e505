import pg from 'pg';
import { DataSource } from 'typeorm';
import { type ConnectCallback, getPool, wrapConnect } from './pool-connect.js';

describe('The pool of TypeORM', () => {
  it('is the one of pg, and every query runner takes its connections by the replaced method', async () => {
    const asked: string[] = [];
    class Pool extends pg.Pool {
      override connect(): never {
        return (() => undefined)() as never;
      }
    }
    const dataSource = new DataSource({ type: 'postgres', driver: { ...pg, Pool }, url: 'postgres://localhost/none' });
    const pool = new Pool();
    Object.assign(dataSource.driver, { master: pool });
    expect(getPool(dataSource)).toBe(pool);
    wrapConnect(pool, () => (callback: ConnectCallback) => {
      asked.push('connect');
      callback(new Error('no connection'), undefined, () => undefined);
    });
    await expect(dataSource.createQueryRunner('master').connect()).rejects.toThrow('no connection');
    expect(asked).toEqual(['connect']);
  });
});
