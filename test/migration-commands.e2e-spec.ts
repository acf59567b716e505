import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { migrations } from '../src/migrations/migrations.js';
import { cloneDatabase, onServer, type TestDatabase } from './support/database.js';
import { testRunFolder } from './support/test-run.js';

const ROOT = join(import.meta.dirname, '..');
const NEWEST = migrations.at(-1)?.name ?? '';

let database: TestDatabase;
beforeAll(async () => (database = await cloneDatabase()));
afterAll(() => database.drop());

/** What the script of package.json prints about this database; rejects where it ends with another code than 0. */
async function run(script: string, ...args: string[]): Promise<string> {
  const settings = { DATABASE_URL: database.url, DATA_DIR: mkdtempSync(join(testRunFolder(), 'migration-')) };
  const env = { ...process.env, ...settings, NODE_OPTIONS: '', NO_COLOR: '1' };
  const { stdout } = await promisify(execFile)('npm', ['run', '--silent', script, '--', ...args], { cwd: ROOT, env });
  return stdout;
}

const generate = (): Promise<string> => run('migration:generate', 'src/migrations/Change', '--check');

describe('The migration commands', () => {
  it('find nothing to generate in a database that is up to date', async () => {
    expect(await generate()).toContain('No changes in database schema were found');
  });

  it('report what differs from the entities', async () => {
    await onServer(database.url, (client) => client.query('ALTER TABLE team ADD surplus text'));
    await expect(generate()).rejects.toMatchObject({ stdout: expect.stringContaining('DROP COLUMN "surplus"') });
    await onServer(database.url, (client) => client.query('ALTER TABLE team DROP surplus'));
  });

  it('revert the newest migration', async () => {
    await run('migration:revert');
    expect(await run('migration:show')).toContain(`[ ] ${NEWEST}`);
  });

  it('run all migrations on an empty database, where the service has its rights then', async () => {
    await onServer(database.url, (client) => client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
    expect(await run('migration:run')).toContain(`Migration ${NEWEST} has been executed successfully`);
    await onServer(database.url, async (client) => {
      const { rows } = await client.query(
        `SELECT has_table_privilege('armature_service', 'team', 'INSERT') AS granted`,
      );
      expect(rows).toEqual([{ granted: true }]);
    });
  });
});
