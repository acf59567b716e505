import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { SERVICE_ROLE } from './data-source.js';

/** The key of the advisory lock that serializes the creation of the login. */
const ADVISORY_LOCK = 4_152_773;
const TIMEOUT_MS = 10_000;
const MAX_NAME_LENGTH = 63;

/** How the service signs in. */
export interface ServiceLogin {
  url: string;
  /** Why the service signs in as the owner of the tables and drops its privileges; null when the service has its own login. */
  shared: string | null;
}

/**
 * Ensures a login for the service that is not a member of the owner: SQL that is injected into its session gains
 * nothing by SET ROLE or RESET ROLE. Its password is derived from the owner's, so that every replica can compute it
 * and none is stored; without a password of the owner (a socket with `trust`) it has none.
 * @param ownerUrl login for migrations; without CREATEROLE, the service shares it
 */
export async function ensureServiceLogin(ownerUrl: string): Promise<ServiceLogin> {
  const password = new URL(ownerUrl).password;
  const owner = new pg.Client({ connectionString: ownerUrl, connectionTimeoutMillis: TIMEOUT_MS });
  owner.on('error', () => undefined);
  try {
    await owner.connect();
    const { rows } = await owner.query<{ name: string }>('SELECT current_user AS name');
    const name = loginOf(rows[0]?.name ?? '');
    const derived = password && createHmac('sha256', password).update(`login ${name}`).digest('hex');
    const url = withLogin(ownerUrl, name, derived);
    if ((await findSignInError(url)) === null) return { url, shared: null };
    await createLogin(owner, name, derived);
    const refusal = await findSignInError(url);
    return refusal === null ? { url, shared: null } : { url: ownerUrl, shared: refusal };
  } catch (error) {
    return { url: ownerUrl, shared: errorMessage(error) };
  } finally {
    await owner.end().catch(() => undefined);
  }
}

/** A login must not have the name of the service role, which cannot sign in. */
function loginOf(owner: string): string {
  const name = `${owner}_service`.slice(-MAX_NAME_LENGTH);
  return name === SERVICE_ROLE ? `${name}_login` : name;
}

async function createLogin(owner: pg.Client, name: string, password: string): Promise<void> {
  const role = pg.escapeIdentifier(name);
  await owner.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
  const { rowCount } = await owner.query('SELECT FROM pg_roles WHERE rolname = $1', [name]);
  if (!rowCount) await owner.query(`CREATE ROLE ${role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS`);
  // The owner is a member of the login, never the reverse, so that it can terminate the service's sessions.
  await owner.query(`GRANT ${SERVICE_ROLE} TO ${role}; GRANT ${role} TO CURRENT_USER`);
  if (password) await owner.query(`ALTER ROLE ${role} PASSWORD ${pg.escapeLiteral(buildScramVerifier(password))}`);
}

/** Returns the error of signing in as the service; null when it succeeds. */
async function findSignInError(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: TIMEOUT_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`SET ROLE ${SERVICE_ROLE}`);
    return null;
  } catch (error) {
    return errorMessage(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Puts the login in the query of a URL without a host: such a URL of a socket has no user part. */
function withLogin(url: string, name: string, password: string): string {
  const changed = new URL(url);
  if (changed.hostname) {
    changed.username = encodeURIComponent(name);
    changed.password = password;
  } else {
    changed.searchParams.set('user', name);
    if (password) changed.searchParams.set('password', password);
  }
  return changed.href;
}

/** Builds the SCRAM-SHA-256 verifier of a password (RFC 5803), so that the password appears in no statement log. */
function buildScramVerifier(password: string): string {
  const [salt, rounds] = [randomBytes(16), 4096];
  const salted = pbkdf2Sync(password, salt, rounds, 32, 'sha256');
  const keyed = (what: string): Buffer => createHmac('sha256', salted).update(what).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${rounds}:${salt.toString('base64')}$${stored}:${keyed('Server Key').toString('base64')}`;
}

const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
