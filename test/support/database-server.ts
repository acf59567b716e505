import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SUPERUSER } from '../../src/core/embedded-postgres/data-directory.js';
import { startEmbeddedPostgres } from '../../src/core/embedded-postgres/embedded-postgres.js';
import { migrate } from '../../src/core/database/migrate.js';
import { migrations } from '../../src/migrations/migrations.js';
import { type DatabaseServer, databaseUrl, onServer } from './database.js';
import { endWithTestRun, type SharedServer, testRunFolder } from './test-run.js';

const SOURCES = join(import.meta.dirname, '../../src');
/** Of the advisory lock under which runs that use one server make its template. */
const LOCK = 7_310_003;

/** Starts the database server of a test run, or uses the one of TEST_DATABASE_URL, and makes the template there unless it has it. */
export async function startDatabaseServer(): Promise<SharedServer<DatabaseServer>> {
  const given = process.env['TEST_DATABASE_URL'];
  const { url, stop } = given ? { url: given, stop: () => Promise.resolve() } : await startOwn();
  return { facts: { url, template: await makeTemplate(url) }, stop };
}

async function startOwn(): Promise<{ url: string; stop: () => Promise<void> }> {
  const database = await startEmbeddedPostgres({ dataDir: testRunFolder(), durable: false, log: () => undefined });
  endWithTestRun(database.pid);
  const superuser = new URL(database.url);
  superuser.username = SUPERUSER;
  await onServer(superuser.href, (client) => client.query(`ALTER ROLE ${new URL(database.url).username} CREATEDB`));
  return database;
}

/** The template is named after what made it: a server that outlives the run keeps it for the next, and a change makes another one. */
async function makeTemplate(url: string): Promise<string> {
  const template = `armature_template_${fingerprint()}`;
  await onServer(url, async (client) => {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    if ((await client.query('SELECT FROM pg_database WHERE datname = $1', [template])).rowCount) return;
    const draft = `${template}_draft`;
    await client.query(`DROP DATABASE IF EXISTS ${draft}`);
    await client.query(`CREATE DATABASE ${draft}`);
    await migrate(databaseUrl(url, draft), migrations);
    await client.query(`ALTER DATABASE ${draft} RENAME TO ${template}`);
  });
  return template;
}

function fingerprint(): string {
  const hash = createHash('sha256');
  const migrationFiles = readdirSync(join(SOURCES, 'migrations')).map((name) => join('migrations', name));
  for (const name of [...migrationFiles.sort(), 'core/database/migrate.ts'])
    hash.update(readFileSync(join(SOURCES, name)));
  return hash.digest('hex').slice(0, 12);
}
