import fs from 'node:fs';
import process from 'node:process';
import { makeApp } from './app.setup.js';
import { FirstStart } from './auth/first-start.js';
import { welcome } from './auth/welcome.js';
import { withDevelopmentSecrets } from './core/config/development-secrets.js';
import { Env, InvalidEnvironment } from './core/config/env.js';
import { DatabaseModule } from './core/database/database.module.js';
import { EmbeddedDatabaseError } from './core/database/embedded/embedded-error.js';
import { startEmbedded } from './core/database/embedded/embedded.js';

/** The server ends at the latest so long after it was told to. */
const LONGEST_SHUTDOWN_MS = 25_000;

async function main(): Promise<void> {
  if (fs.existsSync('.env')) process.loadEnvFile('.env');
  const env = Env.read(withDevelopmentSecrets(process.env));
  const embedded = env.DATABASE_URL
    ? null
    : await startEmbedded({ dataDir: env.DATA_DIR, log: (line) => process.stderr.write(`${line}\n`) });
  try {
    await serve(env, env.DATABASE_URL ?? embedded?.url ?? '', () => embedded?.stop());
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

async function serve(env: Env, databaseUrl: string, whenClosed: () => Promise<void> | void): Promise<void> {
  const app = await makeApp(env, databaseUrl);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => setTimeout(() => process.exit(1), LONGEST_SHUTDOWN_MS).unref());
  app.get(DatabaseModule).whenClosed(whenClosed);
  await app.listen(env.PORT, env.HOST);
  const administrator = app.get(FirstStart).administrator;
  if (administrator) process.stdout.write(welcome(env.baseUrl, administrator));
  else process.stdout.write(`Armature is ready at ${env.baseUrl}\n`);
}

main().catch((error: unknown) => {
  const expected = error instanceof InvalidEnvironment || error instanceof EmbeddedDatabaseError;
  process.stderr.write(`${expected ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});
