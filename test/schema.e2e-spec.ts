import { DataSource } from 'typeorm';
import { createDataSource } from '../src/core/database/data-source.js';
import { migrations } from '../src/migrations/migrations.js';
import { cloneDatabase } from './support/database.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

/** Indexes and constraints are the migrations' own; of the columns both must say the same. */
const ABOUT_COLUMNS = /ADD "|DROP COLUMN|ALTER COLUMN|CREATE TABLE|CREATE TYPE/;

describe('the schema', () => {
  it('is the same in the entities and in the migrations, column by column', async () => {
    const { upQueries } = await world.get(DataSource).driver.createSchemaBuilder().log();
    const differences = upQueries.map(({ query }) => query).filter((query) => ABOUT_COLUMNS.test(query));
    expect(differences.filter((query) => !/ADD CONSTRAINT/.test(query))).toEqual([]);
  });

  it('goes back, migration by migration, and forward again', async () => {
    const { url, drop } = await cloneDatabase();
    const owner = await createDataSource({ url, migrations, role: 'owner' }).initialize();
    try {
      for (const _ of migrations) await owner.undoLastMigration();
      const tables = await owner.query<{ tablename: string }[]>(
        `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`,
      );
      expect(tables.map(({ tablename }) => tablename)).toEqual(['migration']);
      expect(await owner.runMigrations()).toHaveLength(migrations.length);
    } finally {
      await owner.destroy();
      await drop();
    }
  });

  it('is worked with as a role that owns nothing and bypasses nothing', async () => {
    const [role] = await world.sql(
      `SELECT current_user AS name, rolsuper, rolbypassrls, (SELECT count(*) FROM pg_tables WHERE tableowner = current_user) AS owned
         FROM pg_roles WHERE rolname = current_user`,
    );
    expect(role).toEqual({ name: 'armature_service', rolsuper: false, rolbypassrls: false, owned: '0' });
    await expect(world.sql('DROP TABLE environment')).rejects.toThrow('must be owner');
  });
});
