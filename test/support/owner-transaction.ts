import pg from 'pg';
import { DatabaseUrl } from '../../src/core/database/database-url.js';
import type { World } from './world.js';

/** In one transaction of the tables' owner, which no server has signed. */
export async function inOwnerTransaction<T>(world: World, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: world.get(DatabaseUrl).href });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`SELECT set_config('armature.user', 'system', true)`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}
