import pg from 'pg';
import { DataSource, type DataSourceOptions, type MigrationInterface } from 'typeorm';
import { PooledClient } from './pooled-client.js';
import { SnakeNamingStrategy } from './snake-naming.strategy.js';

/** The database role of the service: no superuser, no owner, no BYPASSRLS. `migrate` creates it. */
export const SERVICE_ROLE = 'armature_service';

export type Migration = new () => MigrationInterface;
export type EntityClass = new () => object;

export interface DatabaseOptions {
  url: string;
  /** Empty for work without entities, such as migrations. */
  entities?: EntityClass[];
  migrations?: Migration[];
  /** `service` drops the owner's privileges for the whole session; migrations run as `owner`. */
  role: 'owner' | 'service';
  poolSize?: number;
  /** How long a statement of the owner waits for a lock; without it, indefinitely. */
  lockTimeoutMs?: number;
}

/**
 * Planner settings for many short queries: random pages of SSDs are nearly as fast as sequential ones (with the
 * default cost of 4, counts scan whole tables), and one query does not occupy the processors of others.
 */
export const PLANNER_OPTIONS = '-c random_page_cost=1.1 -c max_parallel_workers_per_gather=0';

/**
 * The `search_path` that functions of the owner also set: under a different path, a connection would plan their
 * statements again.
 */
export const SEARCH_PATH = '-c search_path=public,pg_temp';

/**
 * The server cancels statements and transactions of requests and jobs that exceed these times, because their caller
 * has gone. Schema changes have no limit. Idle connections are never closed, whatever the database or role settings.
 */
const SESSION_TIMEOUTS = {
  service:
    '-c statement_timeout=120s -c idle_in_transaction_session_timeout=120s -c lock_timeout=0 -c idle_session_timeout=0',
  owner: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0',
} as const;

/** Creates a data source; the caller initializes it. */
export const createDataSource = (options: DatabaseOptions): DataSource => new DataSource(toDataSourceOptions(options));

export function toDataSourceOptions(options: DatabaseOptions): DataSourceOptions {
  const { url, entities = [], migrations = [], role, poolSize = 10, lockTimeoutMs } = options;
  return {
    type: 'postgres',
    // Otherwise TypeORM requires the package by name at run time, which is a second copy in a bundle.
    driver: pg,
    url,
    entities,
    migrations,
    migrationsTableName: 'migration',
    migrationsTransactionMode: 'all',
    namingStrategy: new SnakeNamingStrategy(),
    synchronize: false,
    logging: false,
    poolSize,
    installExtensions: false,
    // Skips the constructor, which would generate an id for each row that is read.
    entitySkipConstructor: true,
    applicationName: 'armature',
    extra: {
      ...(role === 'service'
        ? { options: `-c role=${SERVICE_ROLE} ${SEARCH_PATH} ${PLANNER_OPTIONS} ${SESSION_TIMEOUTS.service}` }
        : { options: SESSION_TIMEOUTS.owner, lock_timeout: lockTimeoutMs }),
      Client: PooledClient,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    },
  };
}
