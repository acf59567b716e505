import { Global, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { setTimeout as sleep } from 'node:timers/promises';
import { ResponsesModule } from '../src/core/responses/responses.module.js';
import { AuthorizationModule } from '../src/core/authorization/authorization.module.js';
import { Actor } from '../src/core/access/actor.js';
import { Authenticator } from '../src/core/access/authenticator.js';
import { ConfigModule } from '../src/core/config/config.module.js';
import { Env } from '../src/core/config/env.js';
import { CryptoModule } from '../src/core/crypto/crypto.module.js';
import { DatabaseModule } from '../src/core/database/database.module.js';
import { EventBusModule } from '../src/core/events/event-bus.module.js';
import { LeasesModule } from '../src/core/leases/leases.module.js';
import { OutboundModule } from '../src/core/outbound/outbound.module.js';
import { RestModule } from '../src/core/rest/rest.module.js';
import { LargeBodyModule } from '../src/formats/large-body.module.js';
import { TelemetryModule } from '../src/core/telemetry/telemetry.module.js';
import type { Job, NewJob } from '../src/jobs/job.js';
import { JobSettings } from '../src/jobs/job-settings.js';
import type { JobsService } from '../src/jobs/jobs.service.js';
import { JobsModule } from '../src/jobs/jobs.module.js';
import { entities } from '../src/migrations/entities.js';
import { migrations } from '../src/migrations/migrations.js';

const system = Actor.system('a test');

const env = Env.parse({
  NODE_ENV: 'test',
  LOG_LEVEL: 'silent',
  DATABASE_POOL: '5',
  ENCRYPTION_KEY: '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff',
});

/** Nobody signs in here. */
@Global()
@Module({
  providers: [{ provide: Authenticator, useValue: { onRevoked: () => () => undefined } }],
  exports: [Authenticator],
})
class SignInModule {}

@Module({})
class Replica {}

/** A replica of the server, as far as jobs need it, on a migrated database. */
export async function startReplica(databaseUrl: string, times: Partial<JobSettings> = {}): Promise<INestApplication> {
  const imports = [
    ConfigModule.forRoot(env),
    TelemetryModule,
    DatabaseModule.forRoot(databaseUrl, entities, migrations),
    LeasesModule,
    ResponsesModule,
    AuthorizationModule,
    SignInModule,
    CryptoModule,
    EventBusModule,
    OutboundModule,
    LargeBodyModule,
    RestModule,
    JobsModule,
  ];
  const app = await NestFactory.create({ module: Replica, imports }, { logger: false, abortOnError: false });
  Object.assign(app.get(JobSettings), times);
  return app.enableShutdownHooks().init();
}

/** Waits until the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 50_000; !(await condition()); await sleep(10))
    if (Date.now() > deadline) throw new Error(`this did not come true: ${condition.toString()}`);
}

/** A promise and what keeps it. */
export function gate(): { open: () => void; opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

export function enqueue(jobs: JobsService, queue: string, fields: Partial<NewJob> = {}): Promise<Job> {
  return jobs.enqueue(system, { queue, payload: {}, organizationId: null, ...fields });
}
