import { type Client } from 'pg';

/** The role for migrations and for the pool. It owns its database and may create roles; it is no superuser. */
export const DATABASE_OWNER = 'armature_owner';
export const DATABASE_NAME = 'armature';

const ADVISORY_LOCK = 7_310_002;

/**
 * Creates the owner and its database unless they exist.
 * @param client signed in as the superuser
 * @returns whether this call created the database
 */
export async function ensureDatabase(client: Client): Promise<boolean> {
  await client.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCK]);
  try {
    const owner = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [DATABASE_OWNER]);
    if (!owner.rowCount) await client.query(`CREATE ROLE ${DATABASE_OWNER} LOGIN CREATEROLE`);
    const database = await client.query('SELECT FROM pg_database WHERE datname = $1', [DATABASE_NAME]);
    if (database.rowCount) return false;
    await client.query(`CREATE DATABASE ${DATABASE_NAME} OWNER ${DATABASE_OWNER}`);
    return true;
  } finally {
    await client.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCK]);
  }
}

/**
 * Returns the owner's URL over the Unix socket. Port and host are explicit, because PGHOST and PGPORT would replace
 * missing ones.
 */
export function buildOwnerUrl(socketFolder: string): string {
  return `postgres://${DATABASE_OWNER}@localhost:5432/${DATABASE_NAME}?host=${encodeURIComponent(socketFolder)}`;
}
