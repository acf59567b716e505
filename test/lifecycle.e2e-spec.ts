import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cloneDatabase, databaseUrl, onServer, type TestDatabase } from './support/database.js';
import { DatabaseProxy } from './support/database-proxy.js';
import { openSocket } from './support/open-socket.js';
import { Person } from './support/person.js';
import { compiledProgram } from './support/programs.js';
import { ServerProcess } from './support/server-process.js';
import { isAlive, testRunFolder } from './support/test-run.js';
import { until } from './support/until.js';

const ROOT = join(import.meta.dirname, '..');

let database: TestDatabase;
const started: ServerProcess[] = [];

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => {
  for (const server of started) await server.kill();
  await database.drop();
});

async function start(...given: Parameters<typeof ServerProcess.start>): Promise<ServerProcess> {
  const server = await ServerProcess.start(...given);
  started.push(server);
  return server;
}

async function usersOf(url: string): Promise<number | null> {
  let users: number | null = null;
  await onServer(url, async (client) => (users = (await client.query('SELECT FROM app_user')).rowCount));
  return users;
}

async function signIn(baseUrl: string, email: string, password: string): Promise<Person> {
  const { status, body } = await new Person(baseUrl, null).post('/api/auth/login', { email, password });
  if (status !== 200) throw new Error(`signing in was answered ${status}`);
  return new Person(baseUrl, body.access_token as string, '', email);
}

/** Far above what a server has that has just started: a library loaded or a thread started for nothing shows. */
function expectModest({ child }: ServerProcess): void {
  if (process.platform !== 'linux') return;
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const of = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]);
  expect(of('VmRSS') / 1024).toBeLessThan(450);
  expect(of('Threads')).toBeLessThan(24);
}

/** An upload whose end is sent later. */
function beginUpload({ baseUrl, token }: Person): { finish: () => Promise<number | undefined> } {
  const head = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.yaml"\r\n\r\nkind: [';
  const tail = '\r\n--x--\r\n';
  const request = httpRequest(`${baseUrl}/api/pattern/import`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': head.length + tail.length,
    },
  });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  request.write(head);
  return {
    finish: async () => {
      request.end(tail);
      const [answer] = await answered;
      answer.resume();
      return answer.statusCode;
    },
  };
}

describe('a start', () => {
  it('on a port that is taken says so and makes no administrator', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const server = await start({ DATABASE_URL: database.url, PORT: String(port) });
    expect((await server.exited).code).toBe(1);
    other.close();
    expect(await server.said('cannot listen')).toMatchObject({
      level: 'fatal',
      msg: expect.stringContaining(`127.0.0.1:${port} (EADDRINUSE). Another program listens there`) as string,
    });
    expect(await usersOf(database.url)).toBe(0);
  });

  it('whose output nobody reads keeps no administrator, whose password the next start then makes anew', async () => {
    const server = await start({ DATABASE_URL: database.url });
    server.child.stdout?.destroy();
    expect((await server.exited).code).toBe(1);
    expect(await usersOf(database.url)).toBe(0);
  });

  it('that is stopped while it starts its own database leaves none behind', async () => {
    const folder = mkdtempSync(join(testRunFolder(), 'data-'));
    const server = await start({ DATA_DIR: folder });
    const file = join(folder, 'postgres/data/postmaster.pid');
    await until(() => existsSync(file), 50_000);
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
    server.child.kill('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    await until(() => !isAlive(pid), 20_000);
  });

  it('on a database that does not exist ends with what to do', async () => {
    const server = await start({ DATABASE_URL: databaseUrl(database.url, 'nowhere') });
    expect((await server.exited).code).toBe(1);
    expect((await server.said('refuses')).msg).toMatch(/database "nowhere" does not exist. Create the database/);
  });

  it('without the key that secrets in the database are encrypted with ends with what to do', async () => {
    const own = await cloneDatabase();
    try {
      await onServer(own.url, (client) =>
        client.query(
          `INSERT INTO data_key (id, wrapped, key_id) VALUES (gen_random_uuid(), '\\x00', '0123456789abcdef')`,
        ),
      );
      const server = await start({ DATABASE_URL: own.url });
      expect((await server.exited).code).toBe(1);
      const { level, msg } = await server.said('encrypted with');
      expect(level).toBe('fatal');
      expect(msg).toMatch(/the key 0123456789abcdef, which neither .* Restore that ENCRYPTION_KEY/);
      expect(msg).not.toContain('\n');
      // What a program reads of its log is JSON, and the refusal is in it once.
      const levels = server.lines.map((line) => (JSON.parse(line) as { level: string }).level);
      expect(levels.filter((each) => each === 'error' || each === 'fatal')).toEqual(['fatal']);
      expect(server.lines.filter((line) => line.includes('event loop'))).toEqual([]);
    } finally {
      await own.drop();
    }
  });

  it('waits for its database, shows the administrator once in one line without a token, and drains in order', async () => {
    const proxy = await DatabaseProxy.before(database.url);
    await proxy.takeAway('refuse');
    const server = await start({ DATABASE_URL: proxy.url, SHUTDOWN_DELAY: '2', ADMIN_EMAIL: 'first@example.org' });
    const stranger = new Person(server.baseUrl, null);

    const waiting = await server.said('Waiting for the database');
    expect(waiting).toMatchObject({ level: 'warn', place: new URL(proxy.url).host, reason: /ECONNREFUSED/ });
    const [live, ready, other] = await Promise.all(
      ['/healthz/live', '/healthz/ready', '/api/environments'].map((path) => stranger.get(path)),
    );
    expect([live?.status, ready?.status, ready?.body.status]).toEqual([200, 503, 'starting']);
    expect([other?.status, other?.body.code, other?.headers.get('retry-after')]).toEqual([503, 'STARTING', '5']);

    await proxy.giveBack();
    const shown = await server.said('the first administrator was created');
    expect(Object.keys(shown).sort()).toEqual(['email', 'level', 'msg', 'password', 'time', 'url']);
    expect(server.lines.join('\n')).not.toMatch(/eyJ/);
    const person = await signIn(server.baseUrl, 'first@example.org', shown.password as string);

    const socket = await openSocket(person);
    const orgs = await person.get('/api/identity/orgs');
    const stream = await fetch(`${server.baseUrl}/api/events/stream?orgID=${orgs.body.organizations[0].id}`, {
      headers: { authorization: `Bearer ${person.token}` },
    });
    expectModest(server);
    const { port } = new URL(server.baseUrl);
    const unused = createConnection(Number(port), '127.0.0.1');
    const unusedClosed = once(unused, 'close');
    await once(unused, 'connect');
    const upload = beginUpload(person);
    const signalled = performance.now();
    server.child.kill('SIGTERM');
    await until(async () => (await stranger.get('/healthz/ready')).status === 503);
    const served = await person.get('/api/identity/orgs');
    expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);
    expect(await socket.closed).toBe(1001);
    await stream.text();
    // What is underway holds up nothing else, and is answered.
    await unusedClosed;
    await server.said('jobs have ended');
    expect(await upload.finish()).toBe(400);
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - signalled).toBeGreaterThan(1_900);
    const steps = [
      'Stopping (',
      'served for 2 s',
      'no new connections',
      'event streams',
      'sockets',
      'jobs have ended',
      'Stopped after',
    ];
    for (const step of steps) await server.said(step);
    await proxy.stop();
  });
});

describe('npm start', () => {
  /** The script of package.json, in a folder whose program ends as the server does. */
  async function npmStart(): Promise<ServerProcess> {
    const folder = mkdtempSync(join(testRunFolder(), 'npm-'));
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts: { start: scripts.start } }));
    mkdirSync(join(folder, 'dist/src'), { recursive: true });
    mkdirSync(join(folder, 'scripts'));
    writeFileSync(join(folder, 'scripts/build-when-stale.mjs'), '');
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(
      join(folder, 'dist/src/main.js'),
      `await import('${await compiledProgram('test/shutdown-program.ts')}');\n`,
    );
    return start({}, ['npm', 'start'], folder);
  }

  it.each(['SIGTERM', 'SIGKILL'] as const)('leaves no server behind when npm is ended with %s', async (signal) => {
    const npm = await npmStart();
    const pid = Number((await npm.line('process ')).replace('process ', ''));
    npm.child.kill(signal);
    const { code } = await npm.exited;
    if (signal === 'SIGTERM') expect([code, isAlive(pid)]).toEqual([0, false]);
    await until(() => !isAlive(pid), 20_000);
    expect(isAlive(pid)).toBe(false);
  });

  it('goes on with the shutdown when a step of it does not end', async () => {
    const program = await compiledProgram('test/shutdown-program.ts');
    const stuck = await start({}, [process.execPath, program, '60000', '1000']);
    await stuck.line('process ');
    stuck.child.kill('SIGTERM');
    expect(await stuck.exited).toEqual({ code: 1, signal: null });
    await stuck.line('did not end within 1 s');
    await stuck.line('the last step');
  });

  it('ends at once on a second signal', async () => {
    const program = await start({}, [process.execPath, await compiledProgram('test/shutdown-program.ts'), '20000']);
    await program.line('process ');
    program.child.kill('SIGTERM');
    await program.line('Stopping (SIGTERM)');
    program.child.kill('SIGTERM');
    await sleep(1_200);
    program.child.kill('SIGINT');
    expect(await program.exited).toEqual({ code: 1, signal: null });
    expect(program.lines.filter((line) => line.includes('a second time'))).toHaveLength(1);
  });
});

describe('the watchdog', () => {
  const run = async (blockMs: number, endMs: number): Promise<ServerProcess> => {
    const program = await compiledProgram('test/watchdog-program.ts');
    return start({}, [process.execPath, program, String(blockMs), String(endMs)]);
  };

  it('reports for how long the event loop was blocked', async () => {
    const program = await run(2_500, 0);
    expect((await program.exited).code).toBe(0);
    expect(await program.said('has been blocked')).toMatchObject({ level: 'warn' });
    const { ms } = (await program.said('was blocked for')) as { ms: number };
    expect([ms > 1_000, ms < 10_000]).toEqual([true, true]);
    expect(program.lines.filter((line) => line.includes('has been blocked'))).toHaveLength(1);
  });

  it('ends a shutdown whose event loop is blocked, and its database', async () => {
    const program = await run(30_000, 1_000);
    const child = Number((await program.line('child ')).replace('child ', ''));
    await program.line('blocking');
    const begun = performance.now();
    expect(await program.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await program.said('shutdown took too long')).toMatchObject({ level: 'fatal' });
    await until(() => !isAlive(child));
  });
});
