import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { backoff } from '../backoff.js';
import type { ProcessLog } from '../telemetry/process-log.js';
import { DatabaseUrl } from './database-url.js';
import { isConnectionError } from '../errors/database-outage.js';

const CONNECT_TIMEOUT_MS = 5_000;
const INITIAL_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;
const READ_ONLY = '25006';

/** Remedies for servers that answer but are not ready. */
const TEMPORARY_REMEDIES: Record<string, string> = {
  '53300': 'End other sessions, or raise max_connections on the server.',
  [READ_ONLY]: 'Promote it, or name the primary in DATABASE_URL.',
};

const REMEDIES: Record<string, string> = {
  '28P01': 'Correct the user and the password in DATABASE_URL.',
  '28000': 'Correct the user in DATABASE_URL, or allow it on the server (pg_hba.conf).',
  '3D000': 'Create the database, or correct its name in DATABASE_URL.',
  '42501': 'Allow the user to connect: GRANT CONNECT ON DATABASE.',
  CERT_HAS_EXPIRED: 'Renew the certificate of the database.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use the name in DATABASE_URL that the certificate of the database is for.',
};
/** Certificate errors: the issuer is not trusted by this process. */
const UNTRUSTED =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE))/;
const TRUST = 'Specify the CA of its certificate: sslrootcert=<file> in DATABASE_URL, or NODE_EXTRA_CA_CERTS=<file>.';
const NO_TLS = 'The server does not support SSL connections';
const OLDEST_MAJOR = 15;

/** The database rejects this server permanently; waiting does not help. */
export class DatabaseRefused extends Error {}

/**
 * Waits until the database accepts a connection, and logs each failed attempt.
 * @throws DatabaseRefused when waiting does not help: wrong credentials, no such database, or an unsupported server
 * version
 */
export async function waitForDatabase(url: string, log: ProcessLog): Promise<void> {
  const { hostAndPort: place } = new DatabaseUrl(url);
  for (let failures = 1; ; failures++) {
    const error = await tryConnect(url);
    if (!error) return;
    if (error instanceof DatabaseRefused) throw error;
    const reason = describeError(error);
    if (!isTemporary(error))
      throw new DatabaseRefused(`The database at ${place} refuses the connection: ${reason}. ${findRemedy(error)}`);
    const pause = Math.round(backoff(failures, INITIAL_PAUSE_MS, MAX_PAUSE_MS));
    const remedy = TEMPORARY_REMEDIES[error.code ?? ''] ?? 'Start it, or correct host and port in DATABASE_URL.';
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
    const { rows } = await client.query<ServerFacts>(SERVER_FACTS);
    return rows[0] ? findServerFault(rows[0]) : null;
  } catch (error) {
    return error as Error;
  } finally {
    client.connection.stream.destroy();
  }
}

interface ServerFacts {
  version: string;
  major: number;
  read_only: boolean;
}

const SERVER_FACTS = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int / 10000 AS major,
  current_setting('transaction_read_only')::bool AS read_only`;

/** Returns what makes a reachable server unsuitable, or null. */
function findServerFault({ version, major, read_only }: ServerFacts): (Error & { code?: string }) | null {
  if (major < OLDEST_MAJOR)
    return new DatabaseRefused(`The database is PostgreSQL ${version}. Use PostgreSQL ${OLDEST_MAJOR} or later.`);
  return read_only ? Object.assign(new Error('it is read-only'), { code: READ_ONLY }) : null;
}

const findRemedy = ({ code = '', message }: Error & { code?: string }): string =>
  UNTRUSTED.test(code)
    ? TRUST
    : message === NO_TLS
      ? 'Enable TLS on the server, or disable it in DATABASE_URL (sslmode=disable).'
      : (REMEDIES[code] ?? 'Correct DATABASE_URL.');

const isTemporary = (error: Error & { code?: string }): boolean =>
  isConnectionError(error) || TEMPORARY_REMEDIES[error.code ?? ''] !== undefined;

/** Returns the driver's message, which contains neither other host names nor passwords. */
function describeError(error: Error & { code?: string; errors?: Error[] }): string {
  return (
    error.message || error.errors?.map(({ message }) => message).join(', ') || (error.code ?? 'it does not answer')
  );
}
