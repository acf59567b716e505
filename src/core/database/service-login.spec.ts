import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { SUPERUSER } from '../embedded-postgres/data-directory.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.js';
import { createDataSource } from './data-source.js';
import { changeSchema } from './migrate.js';
import { ensureServiceLogin } from './service-login.js';

const folder = mkdtempSync(join(tmpdir(), 'armature-login-'));
let database: EmbeddedPostgres;

/** A PostgreSQL server that requires a password from every role but its superuser, as managed servers do. */
beforeAll(async () => {
  chmodSync(folder, 0o711);
  database = await startEmbeddedPostgres({ dataDir: folder, durable: false, log: () => undefined });
  const file = await asSuperuser<{ file: string }>(`SELECT current_setting('hba_file') AS file`);
  const rules = readFileSync(file[0]?.file ?? '', 'utf8');
  writeFileSync(file[0]?.file ?? '', `local all ${SUPERUSER} trust\nlocal all all scram-sha-256\n${rules}`);
  await asSuperuser(`ALTER ROLE armature_owner PASSWORD 'the first'`);
  await asSuperuser(`CREATE ROLE plain LOGIN PASSWORD 'plain'`);
  await asSuperuser('SELECT pg_reload_conf()');
}, 60_000);
afterAll(async () => {
  await database.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function run<T>(url: string, statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows as T[];
  } finally {
    await client.end();
  }
}

function signingIn(user: string, password = ''): string {
  const url = new URL(database.url);
  [url.username, url.password] = [user, password];
  return url.href;
}

const asSuperuser = <T>(statement: string): Promise<T[]> => run(signingIn(SUPERUSER), statement);

describe('the login of the service', () => {
  it('is made with a password that follows from the one of the owner, and changes with it', async () => {
    const first = signingIn('armature_owner', 'the first');
    // Creates the role of the service.
    const owner = await createDataSource({ url: first, role: 'owner' }).initialize();
    await changeSchema(owner, () => Promise.resolve());
    await owner.destroy();
    const login = await ensureServiceLogin(first);
    expect(login.shared).toBeNull();
    expect(await ensureServiceLogin(first)).toEqual(login);
    const [who] = await run(
      login.url,
      'SELECT session_user::text AS name, rolsuper, rolcreaterole FROM pg_roles WHERE rolname = session_user',
    );
    expect(who).toEqual({ name: 'armature_owner_service', rolsuper: false, rolcreaterole: false });
    await expect(run(login.url, 'SET ROLE armature_owner')).rejects.toThrow('permission denied');

    await asSuperuser(`ALTER ROLE armature_owner PASSWORD 'the second'`);
    const second = await ensureServiceLogin(signingIn('armature_owner', 'the second'));
    expect(second.shared).toBeNull();
    expect(second.url).not.toBe(login.url);
    await expect(run(login.url, 'SELECT 1')).rejects.toThrow('password authentication failed');
  });

  it('is that of the owner when it may make none, and says why', async () => {
    await asSuperuser('GRANT armature_service TO plain');
    const url = signingIn('plain', 'plain');
    const login = await ensureServiceLogin(url);
    expect(login.url).toBe(url);
    expect(login.shared).toContain('permission denied');
  });
});
