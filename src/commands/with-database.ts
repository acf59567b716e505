import fs from 'node:fs';
import process from 'node:process';
import { withDevelopmentSecrets } from '../core/config/development-secrets.js';
import { Env } from '../core/config/env.js';
import { startEmbeddedPostgres } from '../core/embedded-postgres/embedded-postgres.js';

/** Runs a command with the settings of the server, on its database: the one of DATABASE_URL, else the embedded one. */
export async function withDatabase<T>(work: (env: Env, url: string) => Promise<T>): Promise<T> {
  if (fs.existsSync('.env')) process.loadEnvFile('.env');
  const env = Env.parse(withDevelopmentSecrets(process.env));
  if (env.DATABASE_URL) return work(env, env.DATABASE_URL);
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const embedded = await startEmbeddedPostgres({ dataDir: env.DATA_DIR, log });
  return work(env, embedded.url).finally(() => embedded.stop());
}
