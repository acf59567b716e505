import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  lchownSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { FROM_SOURCE } from '../../../test/support/programs.js';
import { isProcessAlive } from '../process-alive.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const PROJECT = process.cwd();

/** Prints the URL and the pid of the server; stops the database on SIGTERM. */
const PROGRAM = `
  const { startEmbeddedPostgres } = await import('./src/core/embedded-postgres/embedded-postgres.ts');
  const database = await startEmbeddedPostgres({ dataDir: process.env.DIR, durable: false, log: () => undefined });
  process.on('SIGTERM', () => database.stop().then(() => process.exit(0)));
  console.log(JSON.stringify({ url: database.url, pid: database.pid, firstStart: database.firstStart }));
  setInterval(() => undefined, 1000);
`;

let seed: string;
const folders: string[] = [];
const opened: { stop(): Promise<void> }[] = [];
const children: ChildProcess[] = [];

/** Creates a folder that the server's account can access; `folders` are removed after the test. */
function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'armature-embedded-'));
  chmodSync(made, 0o711);
  folders.push(made);
  return made;
}

/** Creates a folder with a copy of `seed`'s database, which is faster than a first start. */
function installed(): string {
  const made = folder();
  const [from, to] = [join(seed, 'postgres'), join(made, 'postgres')];
  cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  // The copy is of the account that copies: root runs the database under another one.
  for (const path of ['.', ...readdirSync(from, { recursive: true, encoding: 'utf8' })]) {
    const { uid, gid, mode } = lstatSync(join(from, path));
    lchownSync(join(to, path), uid, gid);
    chmodSync(join(to, path), mode);
  }
  return made;
}

async function start(dataDir: string): Promise<EmbeddedPostgres> {
  const database = await startEmbeddedPostgres({ dataDir, durable: false, log: () => undefined });
  opened.push(database);
  return database;
}

/** Starts the embedded database in a child process. */
async function startApart(dataDir: string, identity: { uid?: number; gid?: number } = {}) {
  const child = spawn(process.execPath, [...FROM_SOURCE, '--input-type=module', '-e', PROGRAM], {
    ...identity,
    cwd: PROJECT,
    env: { PATH: process.env['PATH'], DIR: dataDir, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, ...(JSON.parse(line) as { url: string; pid: number; firstStart: boolean }) };
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

function socketFolder(url: string): string {
  return new URL(url).searchParams.get('host') ?? '';
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** The server process ends shortly after it has released the data directory. */
async function untilEnded(pid: number): Promise<void> {
  while (isProcessAlive(pid)) await sleep(10);
}

beforeAll(async () => {
  seed = folder();
  folders.splice(0);
  await (await start(seed)).stop();
});
afterAll(() => rmSync(seed, { recursive: true }));

afterEach(async () => {
  for (const child of children.splice(0)) await end(child, 'SIGKILL');
  for (const database of opened.splice(0)) await database.stop();
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
});

describe('the embedded database', () => {
  it('is made at the first start and keeps its data over a restart', async () => {
    const dir = folder();
    const first = await start(dir);
    await query(first.url, 'CREATE TABLE note AS SELECT 42 AS answer');
    await first.stop();
    const second = await start(dir);
    expect([first.firstStart, second.firstStart]).toEqual([true, false]);
    expect(await query(second.url, 'SELECT answer FROM note')).toEqual([{ answer: 42 }]);
  });

  describe('once it runs', () => {
    let database: EmbeddedPostgres;
    beforeAll(async () => {
      database = await startEmbeddedPostgres({ dataDir: seed, durable: false, log: () => undefined });
    });
    afterAll(() => database.stop());

    it('signs in an owner who makes roles, schemas and trusted extensions and is no superuser', async () => {
      const role = 'SELECT rolname, rolsuper, rolbypassrls, rolcreaterole FROM pg_roles WHERE rolname = current_user';
      expect(await query(database.url, role)).toEqual([
        { rolname: 'armature_owner', rolsuper: false, rolbypassrls: false, rolcreaterole: true },
      ]);
      await query(database.url, 'CREATE EXTENSION pg_trgm; CREATE EXTENSION pgcrypto; CREATE SCHEMA more');
      await expect(query(database.url, "COPY (SELECT 1) TO PROGRAM 'true'")).rejects.toThrow('permission denied');
    });

    it('lets the owner become a role that it made', async () => {
      await query(
        database.url,
        'CREATE ROLE service NOLOGIN; GRANT service TO armature_owner WITH INHERIT FALSE, SET TRUE',
      );
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query('SET ROLE service');
      expect((await client.query('SELECT current_user, session_user')).rows).toEqual([
        { current_user: 'service', session_user: 'armature_owner' },
      ]);
      await client.end();
    });

    it('sorts by code point and knows the case of letters beyond ASCII', async () => {
      const sql = "SELECT upper('ünï é') AS upper, array(SELECT unnest(ARRAY['é','a','Z']) AS x ORDER BY x) AS sorted";
      expect(await query(database.url, sql)).toEqual([{ upper: 'ÜNÏ É', sorted: ['Z', 'a', 'é'] }]);
    });

    it('listens on a socket that is private to its account and on nothing else', async () => {
      const socket = socketFolder(database.url);
      expect(statSync(socket).mode & 0o777).toBe(0o700);
      expect(await query(database.url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
    });
  });

  it('is joined by the next process after the one that started it was killed', async () => {
    const dir = installed();
    const killed = await startApart(dir);
    await end(killed.child, 'SIGKILL');
    const next = await start(dir);
    expect(next.pid).toBe(killed.pid);
    await next.stop();
    await untilEnded(next.pid);
  });

  it('goes on for the second of two processes when the first stops, and ends with the last', async () => {
    const dir = installed();
    const second = await start(dir);
    const first = await startApart(dir);
    expect(first.pid).toBe(second.pid);
    expect(await second.findUnsharedPid()).toBeUndefined();
    await end(first.child, 'SIGTERM');
    expect(await second.findUnsharedPid()).toBe(second.pid);
    expect(await query(second.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await second.stop();
    await untilEnded(second.pid);
  });

  it('is one database for processes that start it at once, and ends when they stop at once', async () => {
    const dir = folder();
    const all = await Promise.all([start(dir), start(dir), startApart(dir)]);
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(1);
    expect(all.filter(({ firstStart }) => firstStart)).toHaveLength(1);
    await Promise.all([all[0].stop(), all[1].stop(), end(all[2].child, 'SIGTERM')]);
    await untilEnded(all[0].pid);
  });

  it('is started again when the server itself is killed', async () => {
    const { url, pid } = await start(installed());
    process.kill(pid, 'SIGKILL');
    let answer: unknown;
    while (!answer) answer = await query(url, 'SELECT 1 AS one').catch(() => sleep(20));
    expect(answer).toEqual([{ one: 1 }]);
  });

  it('is not misled by a stale process id that another program has now', async () => {
    const dir = installed();
    const owner = statSync(join(dir, 'postgres'));
    const other = spawn('sh', ['-c', 'read -r line'], isRoot ? { uid: owner.uid, gid: owner.gid } : {});
    children.push(other);
    writeFileSync(join(dir, 'postgres/data/postmaster.pid'), `${other.pid}\n${dir}\n0\n5432\n${dir}\n`);
    const { url } = await start(dir);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it.each([
    ['spaces and quotes', `a folder, "quoted" and 'so'`],
    ['more characters than a socket may have', 'x'.repeat(120)],
  ])('works in a path with %s', async (_, name) => {
    const { url } = await start(join(folder(), name));
    folders.push(socketFolder(url));
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('says what to do about a data directory of another version', async () => {
    const dir = installed();
    writeFileSync(join(dir, 'postgres/data/PG_VERSION'), '15\n');
    await expect(start(dir)).rejects.toThrow(/made by PostgreSQL 15, and this is PostgreSQL 18\. .*pg_dump/);
  });

  it('says what to do when the folder cannot be made', async () => {
    const file = join(folder(), 'file');
    writeFileSync(file, '');
    await expect(start(file)).rejects.toThrow(EmbeddedPostgresError);
    await expect(start(file)).rejects.toThrow(/DATA_DIR/);
  });
});

const projectIsReadable = (() => {
  for (let at = PROJECT; at !== '/'; at = dirname(at)) if ((statSync(at).mode & 0o005) !== 0o005) return false;
  return true;
})();

(isRoot && projectIsReadable ? describe : describe.skip)('the embedded database, from root', () => {
  it('works for an ordinary user', async () => {
    const dir = folder();
    chownSync(dir, NOBODY, NOBODY);
    const { child, url } = await startApart(dir, { uid: NOBODY, gid: NOBODY });
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await end(child, 'SIGTERM');
    const again = await start(dir);
    expect(statSync(join(dir, 'postgres')).uid).toBe(NOBODY);
    expect(again.firstStart).toBe(false);
  });

  it('lives elsewhere, behind a link, when its account cannot pass through the folders above', async () => {
    const closed = folder();
    chmodSync(closed, 0o700);
    const first = await start(closed);
    const place = realpathSync(join(closed, 'postgres'));
    folders.push(place);
    expect(place).toMatch(/^\/var\/lib\/armature-/);
    await first.stop();
    expect((await start(closed)).url).toBe(first.url);
  });
});
