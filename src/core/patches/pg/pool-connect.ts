import type pg from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';

export type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (error?: Error) => void,
) => void;

export type Connect = (callback: ConnectCallback) => void;

/** The connection pool that TypeORM has made for a data source. */
export const getPool = (dataSource: DataSource): pg.Pool => (dataSource.driver as PostgresDriver).master as pg.Pool;

/**
 * Replaces `connect` of a pool (pg-pool 3), which TypeORM calls with a callback, because neither has a hook that runs
 * with the caller's context before a connection is taken. Not for speed: rights and the shares of organizations
 * depend on it.
 */
export function wrapConnect(pool: pg.Pool, wrap: (connect: Connect) => Connect): void {
  pool.connect = wrap(pool.connect.bind(pool) as Connect) as typeof pool.connect;
}
