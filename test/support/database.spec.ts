import pg from 'pg';
import { cloneDatabase } from './database.js';

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('a test database', () => {
  it('is migrated, private, and gone when it is dropped', async () => {
    const [one, two] = [await cloneDatabase(), await cloneDatabase()];
    expect(await query(one.url, 'SELECT count(*) > 0 AS migrated FROM migration')).toEqual([{ migrated: true }]);
    await query(one.url, 'CREATE TABLE mine (id int)');
    await expect(query(two.url, 'SELECT * FROM mine')).rejects.toThrow('does not exist');
    await one.drop();
    await expect(query(one.url, 'SELECT 1')).rejects.toThrow('does not exist');
    await two.drop();
  });
});
