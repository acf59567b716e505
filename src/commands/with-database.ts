import process from 'node:process';
import type { Env } from '../core/config/env.js';
import { loadEnv } from '../core/config/load-env.js';
import { startEmbeddedPostgres } from '../core/embedded-postgres/embedded-postgres.js';

/** The settings of the server, and its database: DATABASE_URL, otherwise the embedded one. */
export interface OpenDatabase {
  env: Env;
  url: string;
  /** Stops the embedded database, unless another process uses it. */
  close: () => Promise<void>;
}

export async function openDatabase(): Promise<OpenDatabase> {
  const env = loadEnv();
  if (env.DATABASE_URL) return { env, url: env.DATABASE_URL, close: () => Promise.resolve() };
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const embedded = await startEmbeddedPostgres({ dataDir: env.DATA_DIR, log });
  return { env, url: embedded.url, close: () => embedded.stop() };
}

/** Runs a command with the settings and the database of the server, and closes the database afterwards. */
export async function withDatabase<T>(work: (env: Env, url: string) => Promise<T>): Promise<T> {
  const { env, url, close } = await openDatabase();
  return work(env, url).finally(close);
}
