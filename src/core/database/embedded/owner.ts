import { type Client } from 'pg';

/** Signs in for migrations and for the pool. It owns its database and may create roles; it is no superuser. */
export const OWNER = 'armature_owner';
export const DATABASE = 'armature';

const LOCK = 7_310_002;

/**
 * Makes the owner and its database unless they are there.
 *
 * @param client signed in as the superuser
 * @returns whether the database was made by this very call
 */
export async function ensureDatabase(client: Client): Promise<boolean> {
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  try {
    const owner = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [OWNER]);
    if (!owner.rowCount) await client.query(`CREATE ROLE ${OWNER} LOGIN CREATEROLE`);
    const database = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE]);
    if (database.rowCount) return false;
    await client.query(`CREATE DATABASE ${DATABASE} OWNER ${OWNER}`);
    return true;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [LOCK]);
  }
}

/** The owner's URL, over the Unix socket. Port and host are spelled out: the variables PGHOST and PGPORT would fill them in. */
export function ownerUrl(socketFolder: string): string {
  return `postgres://${OWNER}@localhost:5432/${DATABASE}?host=${encodeURIComponent(socketFolder)}`;
}
