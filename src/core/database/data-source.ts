import pg from 'pg';
import { DataSource, type DataSourceOptions, type MigrationInterface } from 'typeorm';
import { PooledClient } from './pooled-client.js';
import { SnakeNamingStrategy } from './snake-naming.strategy.js';

/** The role the service works as: no superuser, no owner, no BYPASSRLS. Migrations make it. */
export const SERVICE_ROLE = 'armature_service';

export type Migration = new () => MigrationInterface;
export type EntityClass = new () => object;

export interface DatabaseOptions {
  url: string;
  /** None for what works without entities, as migrations do. */
  entities?: EntityClass[];
  migrations?: Migration[];
  /** `service` gives up the owner's rights for the whole session; migrations run as `owner`. */
  role: 'owner' | 'service';
  poolSize?: number;
  /** For how long a statement of the owner waits for a lock; without it, for ever. */
  lockTimeoutMs?: number;
}

/**
 * How the planner is to see a server of many short requests: storage of today finds any page nearly as fast as the next
 * (with the default of 4, counts walk whole tables), and one request does not take the processors of the others.
 */
export const PLANNER_OPTIONS = '-c random_page_cost=1.1 -c max_parallel_workers_per_gather=0';

/** The same as the functions of the tables' owner set: a connection plans anew what it finds under another path. */
export const SEARCH_PATH = '-c search_path=public,pg_temp';

/**
 * The database server ends statements and transactions of requests and jobs that take longer: their caller has gone. A change of
 * the schema takes as long as it takes. Whatever the database or its roles are set to, connections that wait for work stay.
 */
const SESSION_TIMEOUTS = {
  service:
    '-c statement_timeout=120s -c idle_in_transaction_session_timeout=120s -c lock_timeout=0 -c idle_session_timeout=0',
  owner: '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0 -c idle_session_timeout=0',
} as const;

/** The caller initializes it. */
export const createDataSource = (options: DatabaseOptions): DataSource => new DataSource(toDataSourceOptions(options));

export function toDataSourceOptions(options: DatabaseOptions): DataSourceOptions {
  const { url, entities = [], migrations = [], role, poolSize = 10, lockTimeoutMs } = options;
  return {
    type: 'postgres',
    // Without it TypeORM asks for the package by a name at run time, which in a bundle is another copy.
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
    // A row that is read needs no new id first.
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
