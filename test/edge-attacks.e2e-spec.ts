import net from 'node:net';
import { gzipSync } from 'node:zlib';
import { RouteTable } from '../src/core/rest/route-table.js';
import { BuiltServer } from './support/built-server.js';
import { cloneDatabase, type TestDatabase } from './support/database.js';
import { Person } from './support/person.js';
import { Receiver } from './support/receiver.js';
import { freePort } from './support/free-port.js';
import { PASSWORD, SETTINGS } from './support/settings.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start({ CONSOLE: 'off' })));
afterAll(() => world.stop());

/** Milliseconds within which every answer here has come, on a slow machine too. */
const LONGEST_MS = 60_000;

/** Sends bytes over one connection; resolves with what came back once the server has closed it. */
function exchange(...parts: (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(world.baseUrl);
  return new Promise((resolve) => {
    let heard = '';
    const socket = net.connect(Number(port), hostname, () => parts.forEach((part) => socket.write(part)));
    socket.setTimeout(LONGEST_MS, () => socket.destroy());
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
  });
}

const statusesIn = (heard: string): number[] =>
  [...heard.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => Number(code));

/** Lines of headers, with the token of the administrator. */
const head = (target: string, ...lines: string[]): string =>
  [`${target} HTTP/1.1`, 'Host: armature.example', ...lines, '', ''].join('\r\n');
const token = (): string => `Authorization: Bearer ${world.admin.token}`;

describe('HEAD', () => {
  it('of every route that reads is answered at once and without a body, streams of events included', async () => {
    const paths = world
      .get(RouteTable)
      .listRoutes()
      .filter(({ method }) => method === 'GET')
      .map(({ path }) => path.replace(/:\w+/g, world.organization).replace(/\*\w+/g, 'none'));
    const unsound: unknown[] = [];
    for (const path of paths) {
      const response = await fetch(world.baseUrl + path, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${world.admin.token}` },
        redirect: 'manual',
        signal: AbortSignal.timeout(LONGEST_MS),
      });
      const body = await response.text();
      // Both pages are there once the server was built.
      const isUnbuilt = response.status === 503 && ['/api/docs', '/api/system/graphql/playground'].includes(path);
      if ((response.status >= 500 && !isUnbuilt) || body !== '') unsound.push({ path, status: response.status, body });
    }
    expect(unsound).toEqual([]);
    expect(paths.length).toBeGreaterThan(100);
  });

  it('lets the next request on the connection be answered', async () => {
    const heard = await exchange(
      head('HEAD /api/events/stream', token()),
      head('GET /api/system/version', 'Connection: close'),
    );
    expect(statusesIn(heard)).toEqual([200, 200]);
  });
});

describe('headers that say one thing', () => {
  it.each([
    ['Authorization: Bearer other', 'authorization'],
    ['Content-Type: text/plain', 'content-type'],
    ['Host: other.example', 'host'],
    ['Idempotency-Key: second', 'idempotency-key'],
  ])('are refused when they are there twice: %s', async (second, name) => {
    const body = JSON.stringify({ name: 'twice', organization_id: world.organization });
    const heard = await exchange(
      head(
        'POST /api/environments',
        token(),
        'Content-Type: application/json',
        'Idempotency-Key: first',
        second,
        `Content-Length: ${body.length}`,
        'Connection: close',
      ),
      body,
    );
    expect(statusesIn(heard)).toEqual([400]);
    expect(heard).toContain(`${name} must be given once`);
  });

  it('are refused when the second is hidden behind thousands of others', async () => {
    const others = Array.from({ length: 2_100 }, (_, index) => `${index.toString(36)}:`);
    const heard = await exchange(
      head('GET /api/identity/users/profile', token(), ...others, 'Authorization: Bearer x', 'Connection: close'),
    );
    expect(statusesIn(heard)).toEqual([400]);
    expect(heard).toContain('authorization must be given once');
  });

  it('may be distinguished from headers that may be repeated', async () => {
    const heard = await exchange(
      head('GET /api/identity/users/profile', token(), 'Accept: text/plain', 'Accept: */*', 'Connection: close'),
    );
    expect(statusesIn(heard)).toEqual([200]);
  });
});

describe('the rest of a body that is not read', () => {
  const post = (bytes: Buffer, ...lines: string[]): [string, Buffer] => [
    head(
      'POST /api/environments',
      token(),
      'Content-Type: application/json',
      `Content-Length: ${bytes.length}`,
      ...lines,
    ),
    bytes,
  ];

  it('is announced with the refusal, so that the client opens another connection', async () => {
    const heard = await exchange(...post(Buffer.alloc(4_000_000, 'a'), 'Content-Encoding: gzip'));
    expect(statusesIn(heard)).toEqual([400]);
    expect(heard).toMatch(/^Connection: close\r$/m);
  });

  it('is dropped when the body was whole before its end, and the next request is answered', async () => {
    const body = gzipSync(JSON.stringify({ name: 'padded', organization_id: world.organization }));
    const heard = await exchange(
      ...post(Buffer.concat([body, Buffer.alloc(1_000_000)]), 'Content-Encoding: gzip'),
      head('GET /api/system/version', 'Connection: close'),
    );
    expect(statusesIn(heard)).toEqual([201, 200]);
  });
});

it('a failed sign-in is reported with its account, however the path is spelled', async () => {
  const body = JSON.stringify({ email: 'admin@example.org', password: `not ${PASSWORD}` });
  for (const path of ['/api/auth/login/', '/api/auth/LOGIN', 'http://armature.example/api/auth/login']) {
    const lines = ['Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close'];
    expect(statusesIn(await exchange(head(`POST ${path}`, ...lines), body))).toEqual([401]);
  }
  const { body: audit } = await world.admin.get('/api/system/audit?action=signIn&outcome=refused');
  const tried = (audit.entries as { resource: { type: string; id: string } }[]).map(({ resource }) => resource);
  expect(new Set(tried.map(({ type, id }) => `${type} ${id}`))).toEqual(new Set([`user ${world.admin.id}`]));
});

it('the path of a target in absolute form is the path of the request', async () => {
  const heard = await exchange(head('PUT https://armature.example/api/auth/login', 'Connection: close'));
  expect(statusesIn(heard)).toEqual([405]);
});

it.each([
  ['http://[::1/api/nothing', 404],
  ['http://[::1?search=x', 302],
  ['http://[/healthz/live', 200],
])(
  'a target whose authority cannot be parsed is counted, logged and answered like its path: %s',
  async (target, code) => {
    const heard = await exchange(head(`GET ${target}`, 'Connection: close'));
    expect(statusesIn(heard)).toEqual([code]);
    expect(heard).toMatch(/^X-Request-Id: /m);
    expect(heard).not.toContain('<html');
  },
);

it('an answer 304 varies by what the answer 200 varies by', async () => {
  const path = `/api/identity/orgs/${world.organization}`;
  const first = await world.admin.get(path);
  const second = await world.admin.get(path, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } });
  expect({ status: second.status, vary: second.headers.get('vary') }).toEqual({
    status: 304,
    vary: first.headers.get('vary'),
  });
});

describe('the log', () => {
  /** A build from nothing takes some seconds on an idle machine. */
  const BUILD_MS = 300_000;
  const IMPORT = '/api/pattern/import';

  let database: TestDatabase;
  let silent: Receiver;
  let server: BuiltServer;
  let admin: Person;
  beforeAll(async () => {
    database = await cloneDatabase();
    silent = await Receiver.start();
    silent.answer = () => undefined;
    const settings = { ...SETTINGS, LOG_LEVEL: 'info', LOG_FORMAT: 'json', OUTBOUND_ALLOW: '127.0.0.0/8' };
    server = await BuiltServer.start(settings, database.url);
    admin = await server.signIn({ email: SETTINGS.ADMIN_EMAIL, password: SETTINGS.ADMIN_PASSWORD });
  }, BUILD_MS);
  afterAll(async () => {
    await server.stop();
    await silent.stop();
    await database.drop();
  });

  /** Lines that hold all of these fields. */
  const linesWith = (fields: Record<string, unknown>): Record<string, unknown>[] =>
    server.process.lines
      .map((line) => (line.startsWith('{') ? (JSON.parse(line) as Record<string, unknown>) : {}))
      .filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value));

  it('has one line for each of 30 faults a minute that callers bring about, however many there are', async () => {
    const url = `http://127.0.0.1:${await freePort()}/design.yaml`;
    for (let n = 0; n < 40; n++) expect((await admin.post(IMPORT, { url })).status).toBe(502);
    await until(() => linesWith({ msg: 'request', route: IMPORT, status: 502 }).length === 40);
    expect(linesWith({ msg: 'request', route: IMPORT, code: 'OUTBOUND_FAILED' })).toHaveLength(40);
    const faults = linesWith({ context: 'Errors' });
    expect(faults).toHaveLength(30);
    for (const { level, msg, err } of faults)
      expect({ level, msg, err }).toEqual({
        level: 'warn',
        msg: expect.stringMatching(/^POST \/api\/pattern\/import failed: [^\n]*$/) as string,
        err: undefined,
      });
  });

  it('has the code of each failed request, REST or GraphQL', async () => {
    const query = '/api/system/graphql/query';
    await new Person(server.baseUrl, 'forged').get('/api/environments');
    await admin.get('/api/nothing');
    await admin.post('/api/workspaces', '{');
    await admin.post(query, { query: '{' });
    const failed = (route: string, status: number, code: string): boolean =>
      linesWith({ msg: 'request', route, status, code }).length > 0;
    await until(
      () =>
        failed('/api/environments', 401, 'UNAUTHENTICATED') &&
        failed('none', 404, 'NOT_FOUND') &&
        failed('/api/workspaces', 400, 'MALFORMED_JSON') &&
        failed(query, 400, 'GRAPHQL_PARSE_FAILED'),
    );
  });

  it('has one line at info, with the status 499, for a caller who hung up before the answer', async () => {
    const faults = linesWith({ context: 'Errors' }).length;
    const hangUp = new AbortController();
    const asked = fetch(server.baseUrl + IMPORT, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `${silent.url}/design.yaml` }),
      signal: hangUp.signal,
    });
    await until(() => silent.received.length > 0);
    hangUp.abort();
    await expect(asked).rejects.toThrow();
    await until(() => linesWith({ msg: 'request', status: 499 }).length > 0);
    expect(linesWith({ msg: 'request', status: 499 })).toMatchObject([{ level: 'info', route: IMPORT, aborted: true }]);
    expect(linesWith({ context: 'Errors' })).toHaveLength(faults);
  });
});
