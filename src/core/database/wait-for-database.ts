import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { backoff } from '../backoff.js';
import type { ProcessLog } from '../telemetry/process-log.js';
import { DatabaseUrl } from './database-url.js';
import { isConnectionError } from '../errors/database-outage.js';

const CONNECT_TIMEOUT_MS = 5_000;
const INITIAL_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;
const TOO_MANY_CONNECTIONS = '53300';

const REMEDIES: Record<string, string> = {
  '28P01': 'Correct the user and the password in DATABASE_URL.',
  '28000': 'Correct the user in DATABASE_URL, or let the server take it (pg_hba.conf).',
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
  '42501': 'Let the user connect to the database: GRANT CONNECT ON DATABASE.',
};

/** The database will not take this server, however long it waits. */
export class DatabaseRefused extends Error {}

/**
 * Waits until the database takes a connection, with a line for each attempt that failed.
 * @throws DatabaseRefused when waiting does not help: wrong credentials, no such database, or no server that is understood
 */
export async function waitForDatabase(url: string, log: ProcessLog): Promise<void> {
  const { hostAndPort: place } = new DatabaseUrl(url);
  for (let failures = 1; ; failures++) {
    const error = await tryConnect(url);
    if (!error) return;
    const reason = describeError(error);
    if (!isTemporary(error))
      throw new DatabaseRefused(
        `The database at ${place} refuses the connection: ${reason}. ${REMEDIES[error.code ?? ''] ?? 'Correct DATABASE_URL.'}`,
      );
    const pause = Math.round(backoff(failures, INITIAL_PAUSE_MS, MAX_PAUSE_MS));
    const remedy = 'Start it, or correct host and port in DATABASE_URL.';
    log.warn(
      `Waiting for the database at ${place}: ${reason}. ${remedy} The next attempt is in ${(pause / 1000).toFixed(1)} s.`,
      { place, reason, remedy, attempt: failures, retry_in_ms: pause },
    );
    await sleep(pause);
  }
}

async function tryConnect(url: string): Promise<(Error & { code?: string }) | null> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    application_name: 'armature',
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return null;
  } catch (error) {
    return error as Error;
  } finally {
    client.connection.stream.destroy();
  }
}

const isTemporary = (error: Error & { code?: string }): boolean =>
  isConnectionError(error) || error.code === TOO_MANY_CONNECTIONS;

/** Without the names of other hosts and without a password: the driver reports neither. */
function describeError(error: Error & { code?: string; errors?: Error[] }): string {
  return (
    error.message || error.errors?.map(({ message }) => message).join(', ') || (error.code ?? 'it does not answer')
  );
}
