import pg from 'pg';
import { DataSource, type DataSourceOptions, getMetadataArgsStorage, type MigrationInterface } from 'typeorm';
import { SnakeNamingStrategy } from './snake-naming.strategy.js';

/** The role the service works as: no superuser, no owner, no BYPASSRLS. Migrations make it. */
export const SERVICE_ROLE = 'armature_service';

export type Migration = new () => MigrationInterface;

export interface DatabaseOptions {
  url: string;
  migrations?: Migration[];
  /** `service` gives up the owner's rights for the whole session; migrations run as `owner`. */
  role: 'owner' | 'service';
  poolSize?: number;
}

/**
 * How the planner is to see a server of many short requests: storage of today finds any page nearly as fast as the next
 * (with the default of 4, counts walk whole tables), and one request does not take the processors of the others.
 */
export const PLANNER_OPTIONS = '-c random_page_cost=1.1 -c max_parallel_workers_per_gather=0';

/** The server ends what a request or a job leaves running or open for longer: whoever asked for it has gone. */
const SESSION_TIMEOUTS = { statement_timeout: 120_000, idle_in_transaction_session_timeout: 120_000 };

/** Shorter than the wait for a place in the pool, which a connection that is being made takes. */
const CONNECT_MS = 4_000;

class PooledClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS });
    // One that fails while it is handed over has nobody else to hear it, which would end the process.
    this.on('error', () => undefined);
  }
}

/** A data source over every entity class that has been loaded; the caller initializes it. */
export function createDataSource({ url, migrations = [], role, poolSize = 10 }: DatabaseOptions): DataSource {
  const options: DataSourceOptions = {
    type: 'postgres',
    url,
    entities: getMetadataArgsStorage().tables.map((table) => table.target) as DataSourceOptions['entities'],
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
      ...(role === 'service' ? { options: `-c role=${SERVICE_ROLE} ${PLANNER_OPTIONS}`, ...SESSION_TIMEOUTS } : {}),
      Client: PooledClient,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    },
  };
  return new DataSource(options);
}
