import { readFileSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { digestScripts } from '../src/core/database/schema-scripts.js';
import { describeSchema } from '../scripts/schema-document.js';
import { createDataSource } from '../src/core/database/data-source.js';
import { migrate } from '../src/core/database/migrate.js';
import { entities } from '../src/migrations/entities.js';
import { migrations } from '../src/migrations/migrations.js';
import { cloneDatabase, onServer } from './support/database.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

/** Columns, constraints and indexes, one line each, as PostgreSQL writes them. */
const DEFINITIONS = `
  SELECT concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END,
           'DEFAULT ' || pg_get_expr(d.adbin, d.adrelid),
           (SELECT 'COLLATE ' || collname FROM pg_collation WHERE oid = a.attcollation AND collname <> 'default')) AS line
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
  UNION ALL
  SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
   WHERE connamespace = 'public'::regnamespace AND contype <> 'n'
  UNION ALL
  SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'`;

/** The tables of migrations and scripts have no entity; TypeORM declares identity columns of primary keys only. */
const OTHERS = /^(migration|applied_script) | ON public\.(migration|applied_script) |^job position /;

async function listDefinitions(dataSource: DataSource): Promise<string[]> {
  const lines = await dataSource.query<{ line: string }[]>(DEFINITIONS);
  return lines.map(({ line }) => line.replace("DEFAULT '0'::bigint", 'DEFAULT 0')).filter((line) => !OTHERS.test(line));
}

describe('the schema', () => {
  it('is docs/api/schema.sql, as "npm run api:write" writes it', async () => {
    const { url, drop } = await cloneDatabase();
    let described = '';
    await onServer(url, async (client) => (described = await describeSchema(client)));
    await drop();
    expect(described).toBe(readFileSync('docs/api/schema.sql', 'utf8'));
  });

  it('leaves TypeORM nothing to generate a migration of', async () => {
    const { upQueries } = await world.get(DataSource).driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('has an entity for every table', async () => {
    const tables = await world.sql(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY name`);
    const known = world.get(DataSource).entityMetadatas.filter(({ tableType }) => tableType === 'regular');
    expect([...known.map(({ tableName }) => tableName), 'applied_script', 'migration'].sort()).toEqual(
      tables.map(({ name }) => name),
    );
  });

  it('is the same when the entities make it, but for the indexes that TypeORM cannot express', async () => {
    const { url, drop } = await cloneDatabase();
    const owner = await createDataSource({ url, entities, role: 'owner' }).initialize();
    try {
      const migrated = await listDefinitions(owner);
      await owner.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      await owner.synchronize();
      const made = await listDefinitions(owner);
      const regular = owner.entityMetadatas.filter(({ tableType }) => tableType === 'regular');
      const beyond = regular.flatMap(({ indices }) => indices.filter(({ synchronize }) => !synchronize));
      const missing = migrated.filter((line) => !made.includes(line));
      expect(missing.map((line) => /INDEX (\w+) ON/.exec(line)?.[1] ?? line).sort()).toEqual(
        beyond.map(({ name }) => name).sort(),
      );
      expect(made.filter((line) => !migrated.includes(line))).toEqual([]);
    } finally {
      await owner.destroy();
      await drop();
    }
  });

  // A process applies scripts when it knows every migration: two versions would otherwise replace each other's scripts.
  it('has scripts that changed with its last migration: a change of them comes with a new one', () => {
    const [Last] = migrations.slice(-1);
    expect(Last && new Last()).toMatchObject({ scripts: digestScripts() });
  });

  it('goes back to the baseline, migration by migration, and forward again', async () => {
    const { url, drop } = await cloneDatabase();
    const owner = await createDataSource({ url, migrations, role: 'owner' }).initialize();
    try {
      for (const _ of migrations.slice(1)) await owner.undoLastMigration();
      await expect(owner.undoLastMigration()).rejects.toThrow('The baseline cannot be reverted');
      expect(await migrate(url, migrations)).toHaveLength(migrations.length - 1);
      await onServer(url, async (client) =>
        expect(await describeSchema(client)).toBe(readFileSync('docs/api/schema.sql', 'utf8')),
      );
    } finally {
      await owner.destroy();
      await drop();
    }
  });

  it.each(migrations.slice(1).map((migration) => [migration.name, new migration().up.toString()]))(
    'has indexes of %s on existing tables built concurrently',
    (_, text) => {
      const created = [...text.matchAll(/CREATE TABLE (\w+)/g)].map(([, table]) => table);
      const indexed = [...text.matchAll(/CREATE (?:UNIQUE )?INDEX (?!CONCURRENTLY)\w+\s+ON (\w+)/g)];
      expect(indexed.map(([, table]) => table).filter((table) => !created.includes(table))).toEqual([]);
    },
  );

  it('is worked with as a role that owns nothing and bypasses nothing', async () => {
    const [role] = await world.sql(
      `SELECT current_user AS name, rolsuper, rolbypassrls, (SELECT count(*) FROM pg_tables WHERE tableowner = current_user) AS owned
         FROM pg_roles WHERE rolname = current_user`,
    );
    expect(role).toEqual({ name: 'armature_service', rolsuper: false, rolbypassrls: false, owned: '0' });
    await expect(world.sql('DROP TABLE environment')).rejects.toThrow('must be owner');
  });
});
