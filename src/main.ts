import fs from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { makeApp } from './app.setup.js';
import { type FirstAdministrator, FirstStart } from './auth/first-start.js';
import { readyLine, welcome, welcomeLine } from './auth/welcome.js';
import { withDevelopmentSecrets } from './core/config/development-secrets.js';
import { Env, InvalidEnvironment } from './core/config/env.js';
import { EmbeddedDatabaseError } from './core/database/embedded/embedded-error.js';
import { startEmbedded } from './core/database/embedded/embedded.js';
import { NewerSchema } from './core/database/migrate.js';
import { isConnectionFault, isOutage } from './core/database/outage.js';
import { DatabaseRefused, waitForDatabase } from './core/database/wait-for-database.js';
import { CannotListen, FrontDoor } from './core/lifecycle/front-door.js';
import { ProcessLog } from './core/lifecycle/process-log.js';
import { Watchdog } from './core/lifecycle/watchdog.js';
import { Metrics } from './core/telemetry/metrics.js';
import { IsolationMissing } from './formats/programs/isolation.js';
import { drain, Shutdown } from './shutdown.js';

const RESTART_MS = 1_000;
/** Failures that their message explains. */
const EXPLAINED = [
  InvalidEnvironment,
  EmbeddedDatabaseError,
  DatabaseRefused,
  NewerSchema,
  CannotListen,
  IsolationMissing,
];

async function main(log: ProcessLog): Promise<void> {
  const env = Env.read(withDevelopmentSecrets(process.env));
  const watchdog = new Watchdog(log.isJson);
  const shutdown = new Shutdown(log, watchdog);
  shutdown.listen();
  try {
    const door = new FrontDoor();
    await door.listen(env.PORT, env.HOST);
    const url = env.DATABASE_URL ?? (await startOwnDatabase(env, log, shutdown));
    const app = await start(env, url, door, log);
    watchdog.tellIn(app.get(Metrics));
    shutdown.atEnd(() => drain(app, door, env));
  } catch (error) {
    await shutdown.run();
    throw error;
  }
}

async function startOwnDatabase(env: Env, log: ProcessLog, shutdown: Shutdown): Promise<string> {
  const { url, stop } = await startEmbedded({ dataDir: env.DATA_DIR, log: log.info });
  shutdown.atEnd(stop);
  return url;
}

/** Makes the application and lets it answer; an outage of the database makes it begin again, for as long as that lasts. */
async function start(env: Env, url: string, door: FrontDoor, log: ProcessLog): Promise<NestExpressApplication> {
  for (;;)
    try {
      await waitForDatabase(url, log);
      return await startOnce(env, url, door, log);
    } catch (error) {
      if (!isOutage(error) && !isConnectionFault(error)) throw error;
      log.warn(`The database was lost during the start, which begins again: ${(error as Error).message}`);
      await sleep(RESTART_MS);
    }
}

async function startOnce(env: Env, url: string, door: FrontDoor, log: ProcessLog): Promise<NestExpressApplication> {
  const app = await makeApp(env, url, door);
  try {
    await app.init();
    const show = (administrator: FirstAdministrator): Promise<void> =>
      print((log.isJson ? welcomeLine : welcome)(env.baseUrl, administrator));
    const filled = await app.get(FirstStart).fill(show);
    door.open(app.getHttpAdapter().getInstance());
    if (!filled) await print(log.isJson ? readyLine(env.baseUrl) : `Armature is ready at ${env.baseUrl}\n`);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Resolves when the text has been taken, so that what was not shown is known not to be. */
function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

if (fs.existsSync('.env')) process.loadEnvFile('.env');
const log = ProcessLog.of(process.env);

// An outage that nobody waits for any more must not end the process; every other fault that nobody caught does.
process.on('unhandledRejection', (error) => {
  if (!isOutage(error)) throw error;
  log.error(`A failure of the database was not handled: ${(error as Error).stack}`);
});

main(log).catch((error: unknown) => {
  const isExplained = EXPLAINED.some((kind) => error instanceof kind);
  log.fatal(isExplained ? (error as Error).message : error instanceof Error ? (error.stack ?? '') : String(error));
  process.exit(1);
});
