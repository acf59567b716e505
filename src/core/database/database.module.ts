import { type DynamicModule, Global, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Env } from '../config/env.js';
import { AuditedRequests } from './audited-request.js';
import { DatabaseAvailability } from './database-availability.js';
import { createDataSource, type EntityClass, type Migration } from './data-source.js';
import { DatabaseUrl } from './database-url.js';
import { Metrics } from '../telemetry/metrics.service.js';
import { migrate } from './migrate.js';
import { registerPoolMetrics } from './pool-metrics.js';
import { tolerateWorkInTransactions } from './open-transaction.js';
import { sendThroughPool } from '../patches/typeorm/pool-queries.js';
import { PostgresNotifications } from './postgres-notifications.js';
import { ensureServiceLogin } from './service-login.js';
import { bindRowSecurityUser } from './row-security.js';
import { UnitOfWork } from './unit-of-work.js';

/** Prepares the database before other modules start: runs the migrations and connects as the service role. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    private readonly dataSource: DataSource,
    private readonly notifications: PostgresNotifications,
    private readonly availability: DatabaseAvailability,
  ) {}

  static forRoot(url: string, entities: EntityClass[], migrations: Migration[]): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: DatabaseUrl, useValue: new DatabaseUrl(url) },
        {
          provide: DataSource,
          inject: [Env, DatabaseAvailability, Metrics],
          useFactory: async (env: Env, availability: DatabaseAvailability, { registry }: Metrics) => {
            await migrate(url, migrations);
            if (env.isProduction) tolerateWorkInTransactions((fault) => new Logger('Database').error(fault));
            const login = env.DATABASE_SERVICE_URL ?? (await resolveLogin(url));
            const pool = { url: login, entities, migrations, role: 'service', poolSize: env.DATABASE_POOL } as const;
            const dataSource = await createDataSource(pool).initialize();
            bindRowSecurityUser(dataSource);
            const shares = availability.guardPool(dataSource);
            sendThroughPool(dataSource);
            registerPoolMetrics(registry, dataSource, shares);
            return dataSource;
          },
        },
        AuditedRequests,
        UnitOfWork,
        PostgresNotifications,
        DatabaseAvailability,
      ],
      exports: [DatabaseUrl, DataSource, AuditedRequests, UnitOfWork, PostgresNotifications, DatabaseAvailability],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    this.notifications.close();
    if (this.availability.isUnavailable) this.availability.dropConnections(new Error('Connection terminated'));
    await this.dataSource.destroy();
  }
}

async function resolveLogin(url: string): Promise<string> {
  const { url: login, shared } = await ensureServiceLogin(url);
  if (shared)
    new Logger(DatabaseModule.name).warn(
      `the service signs in to the database as the owner of the tables, because no separate login could be created: ${shared}. ` +
        'Give the user of DATABASE_URL the right CREATEROLE, or set DATABASE_SERVICE_URL.',
    );
  return login;
}
