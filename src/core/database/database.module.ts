import { type DynamicModule, Global, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Env } from '../config/env.js';
import { makeDataSource, type Migration } from './data-source.js';
import { DatabaseUrl } from './database-url.js';
import { migrate } from './migrate.js';
import { Notifications } from './notifications.js';
import { serviceLogin } from './service-login.js';
import { tellWhoAsks } from './row-security.js';
import { UnitOfWork } from './unit-of-work.js';

/** Makes the database ready before anything else starts: migrated, and reached as the service's own role. */
@Global()
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  private closed?: () => Promise<void> | void;

  constructor(
    private readonly dataSource: DataSource,
    private readonly notifications: Notifications,
  ) {}

  static forRoot(url: string, migrations: Migration[]): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: DatabaseUrl, useValue: new DatabaseUrl(url) },
        {
          provide: DataSource,
          inject: [Env],
          useFactory: async (env: Env) => {
            await migrate(url, migrations);
            const login = env.DATABASE_SERVICE_URL ?? (await ownLogin(url));
            const pool = { url: login, role: 'service', poolSize: env.DATABASE_POOL } as const;
            const dataSource = await makeDataSource(pool).initialize();
            tellWhoAsks(dataSource);
            return dataSource;
          },
        },
        UnitOfWork,
        Notifications,
      ],
      exports: [DatabaseUrl, DataSource, UnitOfWork, Notifications],
    };
  }

  /** Calls back once the pool is closed, so that an embedded server can be stopped after its last client. */
  whenClosed(listener: () => Promise<void> | void): void {
    this.closed = listener;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.notifications.close();
    await this.dataSource.destroy();
    await this.closed?.();
  }
}

async function ownLogin(url: string): Promise<string> {
  const { url: login, shared } = await serviceLogin(url);
  if (shared)
    new Logger(DatabaseModule.name).warn(
      `the service signs in to the database as the owner of its tables, for a login of its own could not be made: ${shared}. ` +
        'Give the user of DATABASE_URL the right CREATEROLE, or set DATABASE_SERVICE_URL.',
    );
  return login;
}
