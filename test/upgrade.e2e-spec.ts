import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { describeSchema } from '../scripts/schema-document.js';
import { createApp } from '../src/app.setup.js';
import { Env } from '../src/core/config/env.js';
import { migrate, OlderSchema } from '../src/core/database/migrate.js';
import { migrations } from '../src/migrations/migrations.js';
import { cloneDatabase, type TestDatabase } from './support/database.js';
import { done } from './support/workspace-scene.js';
import { Person } from './support/person.js';
import { PASSWORD, SETTINGS } from './support/settings.js';
import { World } from './support/world.js';

/** A database at migration 137, dumped from a server that people had used for a while; the registry is left out. */
const CAPTURED = new URL('support/schema-137.sql.gz', import.meta.url);

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

async function connect(url = ownerUrl): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  clients.push(client);
  return client;
}

const digestOf = async (client: pg.Client, script: string): Promise<string> =>
  (await client.query('SELECT digest FROM applied_script WHERE name = $1', [script])).rows[0].digest;

/** As if a script, or the audit of the tables, had been applied in another version. */
const outdate = (client: pg.Client, script: string): Promise<unknown> =>
  client.query(`UPDATE applied_script SET digest = 'earlier' WHERE name = $1`, [script]);

const triggersOf = async (client: pg.Client): Promise<number> =>
  (await client.query(`SELECT count(*)::int AS count FROM pg_trigger WHERE tgname = 'audited'`)).rows[0].count;

it('audits the tables of an upgrade while others write, and waits for none that is audited', async () => {
  const [writer, other] = [await connect(), await connect()];
  const triggers = await triggersOf(other);
  // As after an upgrade that ended between its migrations and the audit of their tables.
  await outdate(other, 'audit_attach()');
  await other.query('ALTER TABLE workspace ADD COLUMN colour text');
  await writer.query('BEGIN');
  await writer.query('LOCK TABLE workspace, environment, app_user IN ROW EXCLUSIVE MODE');
  expect(await migrate(ownerUrl, migrations)).toEqual([]);
  expect(await digestOf(other, 'audit_attach()')).not.toBe('earlier');
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
  await outdate(other, 'audit_attach()');
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
  expect(await digestOf(other, 'audit_attach()')).not.toBe('earlier');
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
  const client = await connect();
  for (const table of ['environment', 'workspace', 'app_user'])
    await client.query(`ALTER TABLE ${table} DROP COLUMN colour`);
  await client.query(`DELETE FROM migration WHERE name LIKE 'Colours%'`);
}, 60_000);

it('builds an index concurrently: writers go on, and a replica that starts meanwhile waits', async () => {
  class Described1999000000001 implements MigrationInterface {
    readonly name = 'Described1999000000001';
    readonly transaction = false;

    async up(runner: QueryRunner): Promise<void> {
      await runner.query('DROP INDEX CONCURRENTLY IF EXISTS environment_described');
      await runner.query('CREATE INDEX CONCURRENTLY environment_described ON environment (description)');
    }

    down = () => Promise.resolve();
  }
  const [writer, other] = [await connect(), await connect()];
  await writer.query('BEGIN');
  await writer.query(`UPDATE environment SET description = 'x'`);
  const all = [...migrations, Described1999000000001];
  let isMigrated = false;
  const started = Promise.all([migrate(ownerUrl, all), migrate(ownerUrl, all)]).finally(() => (isMigrated = true));
  const isBuilding = `SELECT FROM pg_stat_progress_create_index WHERE datname = current_database()`;
  while ((await other.query(isBuilding)).rowCount === 0) await sleep(20);
  await sleep(500);
  await other.query('DELETE FROM environment WHERE false');
  expect(isMigrated).toBe(false);
  await writer.query('COMMIT');
  expect((await started).flat()).toEqual(['Described1999000000001']);
  const { rows } = await other.query(
    `SELECT indisvalid FROM pg_index WHERE indexrelid = 'environment_described'::regclass`,
  );
  expect(rows).toEqual([{ indisvalid: true }]);
  await other.query(`DROP INDEX environment_described; DELETE FROM migration WHERE name LIKE '%19990000%'`);
}, 60_000);

it('replaces the policies and triggers of a table as a whole when their script has changed, and no others', async () => {
  const client = await connect();
  await migrate(ownerUrl, migrations);
  const { rows: begin } = await client.query('SELECT now() AS time');
  const applied = async (): Promise<unknown[]> =>
    (await client.query('SELECT name FROM applied_script WHERE applied_at > $1 ORDER BY name', [begin[0].time])).rows;
  await client.query(`
    CREATE POLICY surplus ON environment FOR SELECT USING (true);
    CREATE TRIGGER surplus BEFORE UPDATE ON environment FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`);
  expect(await migrate(ownerUrl, migrations)).toEqual([]);
  expect(await applied()).toEqual([]);
  for (const script of ['policies/environment.sql', 'triggers/environment.sql']) await outdate(client, script);
  await migrate(ownerUrl, migrations);
  expect(await applied()).toEqual([{ name: 'policies/environment.sql' }, { name: 'triggers/environment.sql' }]);
  expect(await describeSchema(client)).toBe(readFileSync('docs/api/schema.sql', 'utf8'));
});

describe('A database from before the baseline', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeEach(async () => {
    database = await cloneDatabase(() => 'template0');
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await database.drop();
  });

  it('that is at migration 137 gets the schema of a new one, and keeps its data', async () => {
    await client.query(gunzipSync(readFileSync(CAPTURED)).toString());
    const { rows: before } = await client.query('SELECT max(sequence)::int AS entries FROM audit_entry');
    expect(await migrate(database.url, migrations)).toEqual(migrations.slice(1).map(({ name }) => name));
    expect(await migrate(database.url, migrations)).toEqual([]);
    expect(await describeSchema(client)).toBe(readFileSync('docs/api/schema.sql', 'utf8'));

    const app = await createApp(Env.parse(SETTINGS), database.url);
    try {
      await app.listen(0, '127.0.0.1');
      const baseUrl = (await app.getUrl()).replace('[::1]', '127.0.0.1');
      const stranger = new Person(baseUrl, null);
      const session = await done(stranger.post('/api/auth/login', { email: SETTINGS.ADMIN_EMAIL, password: PASSWORD }));
      const admin = new Person(baseUrl, session.access_token as string);
      const [{ id }] = (await done(admin.get('/api/identity/orgs'))).organizations;
      const { environments } = await done(admin.get(`/api/environments?orgID=${id}`));
      expect(environments).toMatchObject([{ name: 'staging', description: 'Before production', tier: 'staging' }]);
      await done(admin.put(`/api/environments/${environments[0].id}`, { description: 'Upgraded' }));
      const { valid, entries } = await done(admin.get(`/api/identity/orgs/${id}/audit/verify`));
      expect({ valid, isContinued: entries > before[0].entries }).toEqual({ valid: true, isContinued: true });
    } finally {
      await app.close();
    }
  }, 60_000);

  it('that is at migration 137 stays there for the version before until the schema is changed', async () => {
    await client.query(gunzipSync(readFileSync(CAPTURED)).toString());
    const count = async (): Promise<unknown> =>
      (await client.query('SELECT count(*)::int AS count FROM migration')).rows;
    await client.query('BEGIN');
    await client.query('LOCK TABLE design_version IN ROW EXCLUSIVE MODE');
    const migrated = migrate(database.url, migrations);
    await sleep(1_500);
    expect(await count()).toEqual([{ count: 71 }]);
    await client.query('COMMIT');
    expect(await migrated).toEqual(migrations.slice(1).map(({ name }) => name));
    expect(await count()).toEqual([{ count: migrations.length }]);
  }, 60_000);

  it('that is at an earlier migration is refused, naming 137', async () => {
    await client.query(`
      CREATE TABLE migration (id serial PRIMARY KEY, timestamp bigint NOT NULL, name text NOT NULL);
      INSERT INTO migration (timestamp, name) VALUES (1764000000001, 'Identity1764000000001')`);
    const start = migrate(database.url, migrations);
    await expect(start).rejects.toThrow(OlderSchema);
    await expect(start).rejects.toThrow(
      /last migration is Identity1764000000001, and this version upgrades from PerformanceStages1764000000137 on/,
    );
  });

  it('that belongs to another program is refused', async () => {
    await client.query('CREATE TABLE invoice (id integer)');
    await expect(migrate(database.url, migrations)).rejects.toThrow(/not empty.*PerformanceStages1764000000137/);
    expect((await client.query(`SELECT to_regclass('migration') AS made`)).rows).toEqual([{ made: null }]);
  });
});
