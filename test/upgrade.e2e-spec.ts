import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { migrate } from '../src/core/database/migrate.js';
import { AddressesInOneForm1764000000107 } from '../src/migrations/1764000000107-addresses-in-one-form.js';
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

const triggersOf = async (client: pg.Client): Promise<number> =>
  (await client.query(`SELECT count(*)::int AS count FROM pg_trigger WHERE tgname = 'audited'`)).rows[0].count;

it('audits the tables of an upgrade while others write, and waits for none that is audited', async () => {
  const [writer, other] = [await connect(), await connect()];
  const triggers = await triggersOf(other);
  // As after an upgrade that ended between its migrations and the audit of their tables.
  await other.query(`COMMENT ON FUNCTION audit_attach() IS 'Earlier1700000000000'`);
  await other.query('ALTER TABLE workspace ADD COLUMN colour text');
  await writer.query('BEGIN');
  await writer.query('LOCK TABLE workspace, environment, app_user IN ROW EXCLUSIVE MODE');
  expect(await migrate(ownerUrl, migrations)).toEqual([]);
  expect(await attachedAfter(other)).toBe(migrations.at(-1)?.name);
  await writer.query('COMMIT');
  expect(await triggersOf(other)).toBe(triggers);
  // What is committed is sealed, and not there any more.
  await other.query('BEGIN');
  await other.query(`UPDATE workspace SET colour = 'red'`);
  const { rows } = await other.query(
    `SELECT after FROM audit_pending WHERE transaction = pg_current_xact_id()::text::bigint AND resource_type = 'workspace'`,
  );
  await other.query('ROLLBACK');
  expect(rows[0]).toEqual({ after: { colour: 'red' } });
  await other.query('ALTER TABLE workspace DROP COLUMN colour');
});

it('audits a further table without making those who write wait for what it waits for', async () => {
  const [writer, other] = [await connect(), await connect()];
  await other.query(`COMMENT ON FUNCTION audit_attach() IS 'Earlier1700000000000'`);
  await other.query('DROP TRIGGER audited ON workspace');
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
  const { rows } = await other.query(
    `SELECT 1 FROM pg_trigger WHERE tgname = 'audited' AND tgrelid = 'workspace'::regclass`,
  );
  expect(rows).toHaveLength(1);
});

it('is left alone by a start that has nothing to change', async () => {
  const writer = await connect();
  await writer.query('BEGIN');
  await writer.query('LOCK TABLE workspace IN ROW EXCLUSIVE MODE');
  expect(await migrate(ownerUrl, migrations)).toEqual([]);
  await writer.query('ROLLBACK');
});

it('changes several tables while transactions never cease that use them in another order, and ends none of those', async () => {
  class Colours1999000000000 implements MigrationInterface {
    readonly name = 'Colours1999000000000';

    async up(runner: QueryRunner): Promise<void> {
      for (const table of ['environment', 'workspace', 'app_user'])
        await runner
          .query(`ALTER TABLE ${table} ADD COLUMN colour text`)
          .then(() => runner.query('SELECT pg_sleep(0.1)'));
    }

    down = () => Promise.resolve();
  }
  let isMigrated = false;
  const write = async (): Promise<number> => {
    const client = await connect();
    for (let written = 0; ; written++) {
      if (isMigrated) return written;
      await client.query('BEGIN');
      for (const statement of [
        'SELECT FROM app_user',
        'DELETE FROM workspace WHERE false',
        'DELETE FROM environment WHERE false',
      ])
        await client.query(statement).then(() => sleep(20));
      await client.query('COMMIT');
    }
  };
  const writers = Array.from({ length: 4 }, write);
  const migrated = migrate(ownerUrl, [...migrations, Colours1999000000000]).finally(() => (isMigrated = true));
  expect(await migrated).toEqual(['Colours1999000000000']);
  for (const written of await Promise.all(writers)) expect(written).toBeGreaterThan(0);
}, 60_000);

it('gives stored addresses the form in which they are looked for, unless it is taken', async () => {
  const client = await connect();
  const insert = (email: string) =>
    client.query(`INSERT INTO app_user (id, email) VALUES (gen_random_uuid(), $1) RETURNING id`, [email]);
  const { rows: kept } = await insert('x@xn--bcher-kva.example');
  const { rows: taken } = await insert('x@bücher.example');
  const { rows: changed } = await insert('y@bücher.example');
  const query = async (text: string, values?: unknown[]) => (await client.query(text, values)).rows;
  await new AddressesInOneForm1764000000107().up({ query } as unknown as QueryRunner);
  const ids = [kept, taken, changed].map(([row]) => row.id);
  const rows = await query('SELECT email FROM app_user WHERE id = ANY($1) ORDER BY array_position($1, id)', [ids]);
  expect(rows.map(({ email }) => email)).toEqual([
    'x@xn--bcher-kva.example',
    'x@bücher.example',
    'y@xn--bcher-kva.example',
  ]);
});
