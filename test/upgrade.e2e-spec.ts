import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { migrate } from '../src/core/database/migrate.js';
import { migrations } from '../src/migrations/migrations.js';
import { World } from './support/world.js';

let world: World;
/** Signs in the owner of the tables. */
let ownerUrl: string;
const clients: pg.Client[] = [];

beforeAll(async () => {
  world = await World.start({}, (url) => (ownerUrl = url));
});
afterAll(async () => {
  for (const client of clients) await client.end();
  await world.stop();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  clients.push(client);
  return client;
}

const attachedAfter = async (client: pg.Client): Promise<unknown> =>
  (await client.query(`SELECT obj_description('audit_attach'::regproc, 'pg_proc') AS name`)).rows[0].name;

it('audits the tables of an upgrade while others write, without making them wait for what it waits for', async () => {
  const [writer, other] = [await connect(), await connect()];
  // As after an upgrade that ended between its migrations and the audit of their tables.
  await other.query(`COMMENT ON FUNCTION audit_attach() IS 'Earlier1700000000000'`);
  await writer.query('BEGIN');
  await writer.query('LOCK TABLE workspace IN ROW EXCLUSIVE MODE');

  let isMigrated = false;
  const migrated = migrate(ownerUrl, migrations).finally(() => (isMigrated = true));
  const waits: number[] = [];
  for (const end = Date.now() + 4_000; Date.now() < end; await sleep(20)) {
    const begun = performance.now();
    for (const table of ['app_user', 'environment', 'workspace']) await other.query(`DELETE FROM ${table} WHERE false`);
    waits.push(performance.now() - begun);
  }
  expect(isMigrated).toBe(false);
  // It would have been until the end of the writer's transaction; the bound is wide for a busy machine.
  expect(Math.max(...waits)).toBeLessThan(3_500);
  expect(waits.length).toBeGreaterThan(1);

  await writer.query('COMMIT');
  expect(await migrated).toEqual([]);
  expect(await attachedAfter(other)).toBe(migrations.at(-1)?.name);
});

it('is left alone by a start that has nothing to change', async () => {
  const writer = await connect();
  await writer.query('BEGIN');
  await writer.query('LOCK TABLE workspace IN ROW EXCLUSIVE MODE');
  expect(await migrate(ownerUrl, migrations)).toEqual([]);
  await writer.query('ROLLBACK');
});
