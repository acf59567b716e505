import { SUPERUSER } from '../../src/core/embedded-postgres/data-directory.js';
import { startEmbeddedPostgres } from '../../src/core/embedded-postgres/embedded-postgres.js';
import { migrate } from '../../src/core/database/migrate.js';
import { migrations } from '../../src/migrations/migrations.js';
import { type DatabaseServer, onServer } from './database.js';
import { makeTemplate } from './database-template.js';
import { endWithTestRun, type SharedServer, testRunFolder } from './test-run.js';

/** Starts the database server of a test run, or uses the one of TEST_DATABASE_URL, and makes the template there unless it has it. */
export async function startDatabaseServer(): Promise<SharedServer<DatabaseServer>> {
  const given = process.env['TEST_DATABASE_URL'];
  const { url, stop } = given ? { url: given, stop: () => Promise.resolve() } : await startOwn();
  const template = await makeTemplate(url, {
    name: 'armature_template',
    madeOf: ['migrations', 'database', 'core/database/migrate.ts', 'core/database/schema-scripts.ts'],
    fill: (draft) => migrate(draft, migrations),
  });
  return { facts: { url, template }, stop };
}

async function startOwn(): Promise<{ url: string; stop: () => Promise<void> }> {
  const database = await startEmbeddedPostgres({ dataDir: testRunFolder(), durable: false, log: () => undefined });
  endWithTestRun(database.pid);
  const superuser = new URL(database.url);
  superuser.username = SUPERUSER;
  await onServer(superuser.href, (client) => client.query(`ALTER ROLE ${new URL(database.url).username} CREATEDB`));
  return database;
}
