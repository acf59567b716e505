import type { RequestListener } from 'node:http';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApp } from './app.setup.js';
import { type FirstAdministrator, FirstStartService } from './auth/first-start.service.js';
import { readyLogLine, welcomeMessage, welcomeLogLine } from './auth/startup-messages.js';
import { backoff } from './core/backoff.js';
import { type Env, InvalidEnvironment } from './core/config/env.js';
import { loadDotEnv, loadEnv } from './core/config/load-env.js';
import type { SettingFault } from './core/config/secret-files.js';
import { findSettingWarnings } from './core/config/setting-warnings.js';
import { MissingKey } from './core/crypto/key-service.js';
import { EmbeddedPostgresError } from './core/embedded-postgres/embedded-postgres-error.js';
import { startEmbeddedPostgres } from './core/embedded-postgres/embedded-postgres.js';
import { NewerSchema, SchemaInUse } from './core/database/migrate.js';
import { isConnectionError, isDatabaseOutage } from './core/errors/database-outage.js';
import { DatabaseRefused, waitForDatabase } from './core/database/wait-for-database.js';
import { ListenError, HttpListener } from './core/lifecycle/http-listener.js';
import { setErrorReference } from './core/errors/problem.js';
import { ProcessLog } from './core/telemetry/process-log.js';
import { Watchdog } from './core/lifecycle/watchdog.js';
import { Metrics } from './core/telemetry/metrics.service.js';
import { IsolationMissing } from './formats/programs/isolation.js';
import { drainApplication, MAX_DRAIN_MS, Shutdown } from './core/lifecycle/shutdown.js';

const RESTART_MS = 1_000;
const MAX_RESTART_MS = 15_000;
/** Errors that are logged without a stack, because their message explains them to the operator. */
const EXPECTED_ERRORS = [
  InvalidEnvironment,
  EmbeddedPostgresError,
  DatabaseRefused,
  NewerSchema,
  SchemaInUse,
  ListenError,
  IsolationMissing,
  MissingKey,
];

async function main(log: ProcessLog, found: SettingFault[]): Promise<void> {
  const env = loadEnv(found);
  for (const warning of findSettingWarnings(process.env, env)) log.warn(warning);
  const watchdog = new Watchdog(log.isJson);
  const shutdown = new Shutdown(log, watchdog);
  shutdown.listen();
  try {
    // Before the application exists, problems of the start have an absolute type, too.
    setErrorReference(env.baseUrl);
    const listener = new HttpListener();
    await listener.listen(env.PORT, env.HOST);
    const url = env.DATABASE_URL ?? (await startEmbeddedDatabase(env, log, shutdown, watchdog));
    const app = await start(env, url, listener, log, shutdown);
    watchdog.reportBlocks();
    watchdog.registerMetrics(app.get(Metrics));
    shutdown.addStep(() => drainApplication(app, listener, env), MAX_DRAIN_MS);
  } catch (error) {
    await shutdown.runSteps();
    throw error;
  }
}

async function startEmbeddedDatabase(
  env: Env,
  log: ProcessLog,
  shutdown: Shutdown,
  watchdog: Watchdog,
): Promise<string> {
  const starting = startEmbeddedPostgres({ dataDir: env.DATA_DIR, log: log.info });
  // Registered before it has started: a signal during the start must stop the database too.
  shutdown.addStep(async () => (await starting.catch(() => null))?.stop(shutdown.remainingMs));
  // A process that has to be killed leaves no database behind.
  shutdown.addPreparation(async () => {
    const pid = await (await starting).findUnsharedPid();
    if (pid !== undefined) watchdog.stopAlso(pid);
  });
  return (await starting).url;
}

/** Creates the application and serves requests; on a database outage it starts again, until it succeeds. */
async function start(
  env: Env,
  url: string,
  listener: HttpListener,
  log: ProcessLog,
  shutdown: Shutdown,
): Promise<NestExpressApplication> {
  for (let failures = 1; ; failures++)
    try {
      await waitForDatabase(url, log);
      return await startOnce(env, url, listener, log);
    } catch (error) {
      // The shutdown has stopped the database and ends the process.
      if (shutdown.hasBegun) await new Promise(() => undefined);
      if (!isDatabaseOutage(error) && !isConnectionError(error)) throw error;
      log.warn(`Starting again after a failure of the database: ${(error as Error).message}`);
      await sleep(backoff(failures, RESTART_MS, MAX_RESTART_MS));
    }
}

async function startOnce(
  env: Env,
  url: string,
  listener: HttpListener,
  log: ProcessLog,
): Promise<NestExpressApplication> {
  const app = await createApp(env, url, listener);
  try {
    await app.init();
    const show = (administrator: FirstAdministrator): Promise<void> =>
      writeToStdout((log.isJson ? welcomeLogLine : welcomeMessage)(env.baseUrl, administrator));
    const serve = app.getHttpAdapter().getInstance() as RequestListener;
    const seeding = app.get(FirstStartService).seed(show);
    listener.holdUntil(seeding, serve);
    const filled = await seeding;
    listener.serveWith(serve);
    if (!filled) await writeToStdout(log.isJson ? readyLogLine(env.baseUrl) : `Armature is ready at ${env.baseUrl}\n`);
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** Resolves when the text is written, so that the caller knows whether it was shown. */
function writeToStdout(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

const found = loadDotEnv();
const log = ProcessLog.fromEnv(process.env);

// A database outage must not end the process, even where no code awaits its error; every other unhandled rejection does.
process.on('unhandledRejection', (error) => {
  if (!isDatabaseOutage(error)) throw error;
  log.error(`A failure of the database was not handled: ${(error as Error).stack}`);
});

main(log, found).catch((error: unknown) => {
  const isExplained = EXPECTED_ERRORS.some((kind) => error instanceof kind);
  log.fatal(isExplained ? (error as Error).message : error instanceof Error ? (error.stack ?? '') : String(error));
  process.exit(1);
});
