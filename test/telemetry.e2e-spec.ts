import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createRawServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUTHORITY, CERTIFICATES, CERTIFIED_KEY } from './support/certificates.js';
import type { Answer, Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { freePort } from './support/free-port.js';
import { SELF_SIGNED } from './support/self-signed.js';
import { until } from './support/until.js';
import { done, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const TOKEN = 'hush-hush-token';
const PASSWORD = 'a-long-password';
const QUERIES: [string, string][] = [
  ['query', 'query=up'],
  ['query_range', 'query=up&start=0&end=60&step=15s'],
  ['labels', ''],
  ['metadata', ''],
];

let world: World;
const servers: Server[] = [];

beforeAll(async () => (world = await World.start()));
afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await world.stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const connect = (kind: string, url: string, credential_secret: object | null = { token: TOKEN }): Promise<Json> =>
  done(
    world.admin.post('/api/integrations/connections', {
      name: kind,
      kind,
      metadata: { url },
      ...(credential_secret ? { credential_secret } : {}),
    }),
  );
const ask = ({ id, kind }: Json, path: string, query = '', person: Person = world.admin): Promise<Answer> =>
  person.get(`/api/telemetry/${kind}/${id}/${path}?${query}`);

/** What a server was asked, with each answer made by one function. */
async function recording(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ url: string; seen: URL[]; authorizations: (string | undefined)[] }> {
  const seen: URL[] = [];
  const authorizations: (string | undefined)[] = [];
  const url = await serve((request, response) => {
    seen.push(new URL(request.url ?? '', 'http://server'));
    authorizations.push(request.headers.authorization);
    answer(request, response);
  });
  return { url, seen, authorizations };
}

const success = (data: unknown) => (_: IncomingMessage, response: ServerResponse) =>
  void response.setHeader('content-type', 'application/json').end(JSON.stringify({ status: 'success', data }));
const json =
  (status: number, body: unknown): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const VECTOR = { resultType: 'vector', result: [{ metric: { __name__: 'up' }, value: [1, '1'] }] };

/** Bytes that answers are read into: they are not on the heap. */
const buffers = (): number => process.memoryUsage().arrayBuffers;

describe('Prometheus', () => {
  it('is asked by its own paths below the url of the connection, signed in, and answers as it does', async () => {
    const { url, seen, authorizations } = await recording(success(VECTOR));
    const connection = await connect('prometheus', `${url}/below//?own=1#part`);
    const answer = await ask(
      connection,
      'query',
      'query=sum(up)%20%26%20a%3D1&time=2026-01-31T12:00:00Z&limit=5&other=1',
    );
    expect(answer).toMatchObject({ status: 200, body: { status: 'success', data: VECTOR } });
    await ask(connection, 'query_range', 'query=up&start=0&end=60.5&step=1m30s');
    await ask(connection, 'labels', 'match[]=up&match[]=down&start=1&end=2');
    await ask(connection, 'metadata', 'metric=up&limit=3');
    expect(seen.map(({ pathname, searchParams }) => [pathname, [...searchParams]])).toEqual([
      [
        '/below/api/v1/query',
        [
          ['query', 'sum(up) & a=1'],
          ['time', '2026-01-31T12:00:00Z'],
          ['limit', '5'],
          ['timeout', '15s'],
        ],
      ],
      [
        '/below/api/v1/query_range',
        [
          ['query', 'up'],
          ['start', '0'],
          ['end', '60.5'],
          ['step', '1m30s'],
          ['timeout', '15s'],
        ],
      ],
      [
        '/below/api/v1/labels',
        [
          ['match[]', 'up'],
          ['match[]', 'down'],
          ['start', '1'],
          ['end', '2'],
        ],
      ],
      [
        '/below/api/v1/metadata',
        [
          ['metric', 'up'],
          ['limit', '3'],
        ],
      ],
    ]);
    expect(new Set(authorizations)).toEqual(new Set([`Bearer ${TOKEN}`]));
    expect(JSON.stringify(answer)).not.toContain(TOKEN);
  });

  it('is pinged without a change of the connection', async () => {
    const connection = await connect('prometheus', await serve(success({ version: '3.5.0' })));
    expect(await ask(connection, 'ping')).toMatchObject({
      status: 200,
      body: { kind: 'prometheus', version: '3.5.0' },
    });
    const broken = await connect('prometheus', await serve(json(500, {})));
    expect(await ask(broken, 'ping')).toMatchObject({ status: 502, body: { code: 'CONNECTION_FAILED' } });
    const { body } = await world.admin.get(`/api/integrations/connections/${connection.id}`);
    expect(body).toMatchObject({ status: 'registered', metadata: connection.metadata });
  });

  it('is asked nothing for parameters that break a rule; every fault is named', async () => {
    const { url, seen } = await recording(success(VECTOR));
    const connection = await connect('prometheus', url);
    const faults = async (path: string, query: string): Promise<string[]> => {
      const { status, body } = await ask(connection, path, query);
      expect({ path, query, status }).toEqual({ path, query, status: 400 });
      return [...new Set((body.errors as Json[]).map(({ pointer }) => pointer as string))].sort();
    };
    expect(await faults('query', '')).toEqual(['query']);
    expect(await faults('query', 'query=%20&time=now&limit=0')).toEqual(['limit', 'query', 'time']);
    expect(await faults('query', `query=${'x'.repeat(4_097)}`)).toEqual(['query']);
    expect(await faults('query', 'query=up&query=down')).toEqual(['query']);
    expect(await faults('query_range', 'query=up')).toEqual(['end', 'start', 'step']);
    expect(await faults('query_range', 'query=up&start=x&end=2026-01-31&step=0')).toEqual(['end', 'start', 'step']);
    expect(await faults('query_range', 'query=up&start=0&end=11000&step=1')).toEqual(['step']);
    expect(await faults('query_range', 'query=up&start=2&end=1&step=1')).toEqual(['end']);
    expect(await faults('labels', 'match[]=%20&start=soon')).toEqual(['match[]', 'start']);
    expect(await faults('labels', 'match[]=a&'.repeat(11))).toEqual(['match[]']);
    expect(await faults('metadata', 'metric=%20&limit=1e3')).toEqual(['limit', 'metric']);
    expect(seen).toEqual([]);
  });

  it('says why it refuses a query, without what it was signed in with', async () => {
    const url = await serve((request, response) =>
      json(400, { status: 'error', errorType: 'bad_data', error: `parse error, ${request.headers.authorization}` })(
        request,
        response,
      ),
    );
    const connection = await connect('prometheus', url);
    const { status, body } = await ask(connection, 'query', 'query=up(');
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'QUERY_REFUSED' } });
    expect(body.detail).toContain('parse error, Bearer [redacted]');
    const guessed = await ask(connection, 'query', `query=${TOKEN}`);
    expect(guessed.body.detail).toContain(`Bearer ${TOKEN}`);
  });

  it.each([
    ['is 401', 502, 'CONNECTION_DENIED', json(401, {})],
    ['is 404', 502, 'CONNECTION_FAILED', json(404, { status: 'error', error: 'nothing here' })],
    [
      'is 400 in HTML',
      502,
      'CONNECTION_FAILED',
      ((_, response) => response.writeHead(400).end('<html>')) satisfies RequestListener,
    ],
    ['is 500', 502, 'CONNECTION_FAILED', json(500, {})],
    [
      'says that the query timed out',
      504,
      'OUTBOUND_TIMEOUT',
      json(503, { status: 'error', errorType: 'timeout', error: 'x' }),
    ],
    [
      'is HTML',
      502,
      'CONNECTION_NOT_UNDERSTOOD',
      ((_, response) => response.end('<html>Welcome</html>')) satisfies RequestListener,
    ],
    [
      'is half of an answer',
      502,
      'CONNECTION_NOT_UNDERSTOOD',
      ((_, response) => response.end('{"status":"success","data":{')) satisfies RequestListener,
    ],
    [
      'is no UTF-8',
      502,
      'CONNECTION_NOT_UNDERSTOOD',
      ((_, response) =>
        response.end(Buffer.from('{"status":"success","data":"\xff"}', 'latin1'))) satisfies RequestListener,
    ],
    [
      'breaks off',
      502,
      'OUTBOUND_FAILED',
      ((_, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{');
        setTimeout(() => response.destroy(), 50);
      }) satisfies RequestListener,
    ],
    [
      'is the credential',
      502,
      'CONNECTION_NOT_UNDERSTOOD',
      ((request, response) => success(request.headers.authorization)(request, response)) satisfies RequestListener,
    ],
  ])('whose answer %s is %d %s', async (_, status, code, listener) => {
    const connection = await connect('prometheus', await serve(listener));
    for (const [path, query] of QUERIES) {
      const answer = await ask(connection, path, query);
      expect(answer).toMatchObject({ status, body: { code } });
      expect(JSON.stringify(answer.body)).not.toContain(TOKEN);
    }
  });

  it('is signed in to with a name and a password, which no answer shows', async () => {
    const echo = await recording((request, response) => success(request.headers.authorization)(request, response));
    const connection = await connect('prometheus', echo.url, { username: 'me', password: PASSWORD });
    const { status, body } = await ask(connection, 'query', 'query=up');
    const pair = Buffer.from(`me:${PASSWORD}`).toString('base64');
    expect(echo.authorizations).toEqual([`Basic ${pair}`]);
    expect({ status, code: body.code }).toEqual({ status: 502, code: 'CONNECTION_NOT_UNDERSTOOD' });
    expect(JSON.stringify(body)).not.toContain(pair);
  });

  it('is not followed to another path or server', async () => {
    const elsewhere = await recording(success(VECTOR));
    for (const location of [
      `${elsewhere.url}/api/v1/query`,
      'http://169.254.169.254/latest/',
      '/api/v1/admin/tsdb/snapshot',
    ]) {
      const { url, seen } = await recording((_, response) => response.writeHead(302, { location }).end());
      expect(await ask(await connect('prometheus', url), 'query', 'query=up')).toMatchObject({
        status: 502,
        body: { code: 'CONNECTION_REDIRECTED' },
      });
      expect(seen).toHaveLength(1);
    }
    const { url } = await recording((_, response) => response.writeHead(307, { location: elsewhere.url }).end());
    expect(await ask(await connect('grafana', url), 'boards')).toMatchObject({
      status: 502,
      body: { code: 'CONNECTION_REDIRECTED' },
    });
    expect(elsewhere.seen).toEqual([]);
  });

  it('is not called at a forbidden address, or as long as the connection is set aside', async () => {
    const { url, seen } = await recording(success(VECTOR));
    const connection = await connect('prometheus', url);
    await world.sql(`UPDATE connection SET metadata = '{"url":"http://169.254.169.254"}' WHERE id = $1`, [
      connection.id,
    ]);
    expect(await ask(connection, 'query', 'query=up')).toMatchObject({
      status: 502,
      body: { code: 'OUTBOUND_REFUSED' },
    });
    const aside = await connect('prometheus', url);
    await done(world.admin.put(`/api/integrations/connections/${aside.id}`, { status: 'ignored' }));
    expect(await ask(aside, 'query', 'query=up')).toMatchObject({ status: 409, body: { code: 'ILLEGAL_STATUS' } });
    expect(seen).toEqual([]);
  });

  it.each([
    ['prometheus', 'query', 'of 100 MB', 100],
    ['prometheus', 'query', 'without end', Infinity],
    ['grafana', 'boards', 'of 100 MB', 100],
    ['grafana', 'boards/a', 'without end', Infinity],
  ])('is cut off while it is read: %s %s %s', async (kind, path, _, megabytes) => {
    let sent = 0;
    const chunk = Buffer.alloc(1024 * 1024, '1');
    const url = await serve((request, response) => {
      response.write('{"status":"success","data":[');
      const send = (): void => {
        while (sent < megabytes && !response.destroyed) {
          sent += 1;
          if (!response.write(chunk)) return void response.once('drain', send);
        }
        response.end();
      };
      send();
    });
    const connection = await connect(kind, url);
    const before = buffers();
    let most = before;
    const looks = setInterval(() => (most = Math.max(most, buffers())), 1);
    const answer = await ask(connection, path, 'query=up');
    clearInterval(looks);
    expect(answer).toMatchObject({ status: 502, body: { code: 'OUTBOUND_TOO_LARGE' } });
    expect(sent).toBeLessThan(40);
    // What is kept of it, and what the server of this test has in hand.
    const held = Math.round((most - before) / 1024 / 1024);
    process.stdout.write(`${kind} ${path}: ${sent} MiB were sent, ${held} MiB held at most\n`);
    expect(held).toBeLessThan(48);
  });

  it('has a large answer read in a worker and sent as it is', async () => {
    const series = Array.from({ length: 20_000 }, (_, index) => ({ metric: { index: `${index}` }, value: [1, '1'] }));
    const connection = await connect('prometheus', await serve(success({ resultType: 'vector', result: series })));
    const { status, body } = await ask(connection, 'query', 'query=up');
    expect({ status, count: body.data.result.length }).toEqual({ status: 200, count: 20_000 });
    const { body: limited } = await ask(connection, 'query', 'query=up&limit=10');
    expect([limited.data.result, limited.warnings]).toEqual([series.slice(0, 10), ['results truncated due to limit']]);
  });

  it('is asked two queries of a caller at once, and those of others beside them', async () => {
    const held: (() => void)[] = [];
    const url = await serve((request, response) => void held.push(() => success(VECTOR)(request, response)));
    const connection = await connect('prometheus', url);
    const other = await world.person('admin');
    const answers = Array.from({ length: 4 }, () => ask(connection, 'query', 'query=up'));
    await until(() => held.length === 2);
    answers.push(ask(connection, 'query', 'query=up', other));
    await until(() => held.length === 3);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(held).toHaveLength(3);
    for (let at = 0; at < 5; at++) {
      await until(() => held.length > at);
      held[at]?.();
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });

  it('is trusted by the certificate authority of its connection, in place of those of the system', async () => {
    const secure = createTlsServer({ cert: CERTIFICATES.good, key: CERTIFIED_KEY }, (request, response) =>
      request.url?.endsWith('/buildinfo')
        ? success({ version: '3.5.0' })(request, response)
        : success(VECTOR)(request, response),
    );
    servers.push(secure);
    await once(secure.listen(0, '127.0.0.1'), 'listening');
    const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    const make = async (metadata: object, secret = {}): Promise<Answer> =>
      world.admin.post('/api/integrations/connections', { name: 'secure', kind: 'prometheus', metadata, ...secret });
    const BROKEN = '-----BEGIN CERTIFICATE-----\nbm90IG9uZQ==\n-----END CERTIFICATE-----';
    for (const [ca, status] of [
      [AUTHORITY, 200],
      [`${SELF_SIGNED.cert}\n${AUTHORITY}`, 200],
      [SELF_SIGNED.cert, 502],
      [undefined, 502],
    ] as const) {
      const { body: connection } = await make({ url, ...(ca && { ca }) });
      expect((await ask(connection, 'query', 'query=up')).status).toBe(status);
      expect((await ask(connection, 'ping')).status).toBe(status);
      expect((await world.admin.post(`/api/integrations/connections/${connection.id}/ping`)).status).toBe(status);
    }
    for (const [metadata, detail] of [
      [{ ca: 'none' }, 'must have a certificate in PEM'],
      [{ ca: BROKEN }, 'has a certificate that cannot be read: number 1 of 1'],
      [{ ca: `${AUTHORITY}\n# the next one\n${BROKEN}` }, 'has a certificate that cannot be read: number 2 of 2'],
      [{ ca: AUTHORITY.slice(0, -40) }, 'has a certificate that cannot be read: number 1 of 1'],
      [{ ca: `${AUTHORITY}\n-----BEGIN PRIVATE KEY-----` }, 'must not have a private key'],
      [{ insecure_skip_verify: true }, 'does not take insecure_skip_verify'],
      [{ tls: { ca: AUTHORITY } }, 'does not take tls'],
    ] as const)
      for (const kind of ['prometheus', 'grafana', 'helm'])
        expect(
          await world.admin.post('/api/integrations/connections', { name: 'x', kind, metadata: { url, ...metadata } }),
        ).toMatchObject({ status: 400, body: { errors: [{ detail, remedy: expect.stringMatching(/\w/) }] } });

    // Who has the server's address or the network may be the server to who trusts their certificates.
    const credential_secret = { token: 'stored' };
    const kept = await make({ url, ca: AUTHORITY }, { credential_secret });
    const path = `/api/integrations/connections/${kept.body.id}`;
    expect((await world.admin.put(path, { metadata: { url, ca: `${AUTHORITY}\n` } })).status).toBe(200);
    for (const ca of [SELF_SIGNED.cert, `${SELF_SIGNED.cert}\n${AUTHORITY}`, undefined]) {
      const metadata = { url, ...(ca && { ca }) };
      const detail = `must be sent again: the credential has not been used for ${url} with these certificates yet`;
      expect(await world.admin.put(path, { metadata })).toMatchObject({
        status: 400,
        body: { code: 'SECRET_REQUIRED', errors: [{ pointer: '/credential_secret', detail }] },
      });
    }
    expect((await world.admin.put(path, { metadata: { url, ca: SELF_SIGNED.cert }, credential_secret })).status).toBe(
      200,
    );
  });

  it('is waited for at most 15 seconds, silent or dripping, and no longer than the caller waits', async () => {
    const silent = await serve(() => undefined);
    const dripping = await serve((_, response) => {
      const timer = setInterval(() => response.write(' '), 500);
      response.once('close', () => clearInterval(timer));
    });
    const started = Date.now();
    const connections = await Promise.all([connect('prometheus', silent), connect('prometheus', dripping)]);
    for (const answer of await Promise.all(connections.map((each) => ask(each, 'query', 'query=up'))))
      expect(answer).toMatchObject({ status: 504, body: { code: 'OUTBOUND_TIMEOUT' } });
    expect(Date.now() - started).toBeLessThan(25_000);
    let closed = false;
    let asked = false;
    const left = await serve((_, response) => {
      asked = true;
      response.once('close', () => (closed = true));
    });
    const { id } = await connect('prometheus', left);
    const caller = new AbortController();
    const call = fetch(`${world.baseUrl}/api/telemetry/prometheus/${id}/query?query=up`, {
      headers: { authorization: `Bearer ${world.admin.token}` },
      signal: caller.signal,
    }).catch(() => 'gone');
    await until(() => asked);
    caller.abort();
    expect(await call).toBe('gone');
    await until(() => closed);
  }, 60_000);

  it('that speaks no HTTP is 502, and what it sends back is not repeated', async () => {
    const raw = createRawServer((socket) => socket.once('data', (data) => socket.end(`no HTTP: ${data.toString()}`)));
    await once(raw.listen(0, '127.0.0.1'), 'listening');
    const connection = await connect('prometheus', `http://127.0.0.1:${(raw.address() as AddressInfo).port}`);
    const answer = await ask(connection, 'query', 'query=up');
    raw.close();
    expect(answer).toMatchObject({ status: 502, body: { code: 'OUTBOUND_FAILED' } });
    expect(JSON.stringify(answer.body)).not.toContain(TOKEN);
  });
});

const BOARDS = [
  {
    uid: 'b',
    title: 'Nodes',
    url: '/d/b/nodes',
    tags: ['k8s', 5],
    folderUid: 'f',
    folderTitle: 'Ops',
    secret: 'hidden',
  },
  { uid: 'a', title: 'Apps', url: '/d/a/apps', tags: [] },
];

describe('Grafana', () => {
  const grafana = (): ReturnType<typeof recording> =>
    recording((request, response) => {
      const bodies: Record<string, unknown> = {
        '/api/health': { database: 'ok', version: '12.1.0' },
        '/api/org': { id: 1 },
        '/api/search': BOARDS,
        '/api/dashboards/uid/a': { dashboard: { title: 'Apps', panels: [{ id: 1 }] }, meta: { version: 3, createdBy: 'x' } },
        '/api/datasources': [
          {
            uid: 'p', name: 'Prometheus', type: 'prometheus', isDefault: true,
            url: 'http://me:hidden@10.0.0.1', basicAuthPassword: 'hidden', jsonData: { header: 'hidden' },
          },
        ],
      }; // prettier-ignore
      const body = bodies[(request.url ?? '').split('?')[0] ?? ''];
      json(body ? 200 : 404, body ?? { message: 'Dashboard not found' })(request, response);
    });

  it('lists boards and data sources as all lists, with nothing that is not meant to be seen', async () => {
    const { url, seen, authorizations } = await grafana();
    const connection = await connect('grafana', url);
    const boards = await ask(connection, 'boards', 'pagesize=1');
    expect(boards).toMatchObject({
      status: 200,
      body: { page: 0, page_size: 1, total_count: 2, boards: [{ uid: 'a', title: 'Apps', folder_uid: null }] },
    });
    const { body: found } = await ask(connection, 'boards', 'search=node');
    expect(found.boards).toEqual([
      { uid: 'b', title: 'Nodes', url: '/d/b/nodes', tags: ['k8s'], folder_uid: 'f', folder_title: 'Ops' },
    ]);
    const sources = await ask(connection, 'datasources');
    expect(sources.body).toMatchObject({
      total_count: 1,
      datasources: [{ uid: 'p', name: 'Prometheus', type: 'prometheus', is_default: true }],
    });
    expect(JSON.stringify([boards, found, sources])).not.toContain('hidden');
    expect(seen.map(({ pathname, search }) => pathname + search)).toEqual([
      '/api/search?type=dash-db&limit=5000',
      '/api/search?type=dash-db&limit=5000',
      '/api/datasources',
    ]);
    expect(new Set(authorizations)).toEqual(new Set([`Bearer ${TOKEN}`]));
  });

  it('shows a board, and says when there is none', async () => {
    const { url } = await grafana();
    const connection = await connect('grafana', url);
    const { status, body } = await ask(connection, 'boards/a');
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { dashboard: { title: 'Apps', panels: [{ id: 1 }] }, meta: { version: 3, folder_uid: null } },
    });
    expect(body.meta).not.toHaveProperty('createdBy');
    expect(await ask(connection, 'boards/none')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await ask(connection, 'ping')).toMatchObject({ status: 200, body: { kind: 'grafana', version: '12.1.0' } });
  });

  it.each([
    [401, 'CONNECTION_DENIED', /credential/],
    [403, 'CONNECTION_FORBIDDEN', /permission/],
    [429, 'CONNECTION_FAILED', /Wait/],
    [500, 'CONNECTION_FAILED', /again later/],
    [503, 'CONNECTION_FAILED', /again later/],
    [418, 'CONNECTION_FAILED', /url/],
  ])('that answers %d is %s with its own words, and a remedy that fits', async (status, code, remedy) => {
    const message = `You'll need the role of ${TOKEN} for it`;
    const connection = await connect('grafana', await serve(json(status, { message })));
    for (const path of ['boards', 'boards/a', 'datasources']) {
      const { body, ...answer } = await ask(connection, path);
      expect({ path, status: answer.status, ...body }).toMatchObject({
        ...{ path, status: 502, code, remedy: expect.stringMatching(remedy) },
        detail: expect.stringContaining("You'll need the role of [redacted] for it"),
      });
      if (status !== 401) expect(body.detail).not.toContain('not accepted');
    }
  });

  it('is reached by no other path', async () => {
    const { url, seen } = await grafana();
    const connection = await connect('grafana', url);
    for (const uid of ['..%2F..%2Fadmin', '%2e%2e%2forg', 'a%3Fb', 'a%23b', 'a%00', 'a%20b', '%252e', 'x'.repeat(41)])
      expect({ uid, ...(await ask(connection, `boards/${uid}`)) }).toMatchObject({ uid, status: 400 });
    for (const path of ['admin', 'boards/a/b', 'api/org', 'proxy', 'query', ''])
      expect({ path, ...(await ask(connection, path)) }).toMatchObject({ path, status: 404 });
    const prometheus = await connect('prometheus', url);
    for (const path of ['admin/tsdb/delete_series', 'series', 'config', 'status/config', 'label/a/values'])
      expect({ path, ...(await ask(prometheus, path)) }).toMatchObject({ path, status: 404 });
    expect((await world.admin.post(`/api/telemetry/prometheus/${prometheus.id}/query`, {})).status).toBe(405);
    expect(seen).toEqual([]);
  });

  it.each([
    ['<html>', 'boards'],
    ['{}', 'boards'],
    ['[{"title":"a"}]', 'boards'],
    ['[5]', 'datasources'],
    ['{"meta":{}}', 'boards/a'],
    [`{"dashboard":{"a":${'['.repeat(40_000)}${']'.repeat(40_000)}}}`, 'boards/a'],
  ])('that answers %.20s… is not taken for one', async (text, path) => {
    const connection = await connect('grafana', await serve((_, response) => response.end(text)));
    expect(await ask(connection, path)).toMatchObject({ status: 502, body: { code: 'CONNECTION_NOT_UNDERSTOOD' } });
  });
});

describe('a connection', () => {
  it('is queried by viewers of a workspace that has it and by admins, and is there for nobody else', async () => {
    const { url, seen } = await recording(success(VECTOR));
    const people = await peopleOf(world);
    const scene = await WorkspaceScene.make(world, people);
    const environment = await scene.environment();
    const connection = await connect('prometheus', url);
    const statuses = async (): Promise<Record<string, number>> =>
      Object.fromEntries(
        await Promise.all(
          Object.entries(people).map(async ([who, person]) => [
            who,
            (await ask(connection, 'query', 'query=up', person as Person)).status,
          ]),
        ),
      ) as Record<string, number>;
    const apart = {
      stranger: 401,
      outsider: 404,
      member: 404,
      viewer: 404,
      editor: 404,
      admin: 404,
      organizationAdmin: 200,
      owner: 200,
    };
    expect(await statuses()).toEqual(apart);
    await done(world.admin.post(`/api/environments/${environment.id}/connections/${connection.id}`));
    expect(await statuses()).toEqual({ ...apart, viewer: 200, editor: 200, admin: 200 });
    expect(seen).toHaveLength(7);
    expect(await ask(connection, 'ping', '', people.viewer)).toMatchObject({ status: 200, body: { version: null } });
    const credential = `/api/integrations/credentials/${connection.credential_id}`;
    expect((await people.viewer.get(credential)).status).toBe(404);
  });

  it('is judged before the parameters, and the two kinds are not taken for one another', async () => {
    const outsider = await world.outsider();
    const connection = await connect('grafana', 'http://127.0.0.1:9');
    const prometheus = { ...connection, kind: 'prometheus' };
    const absent = await ask({ ...prometheus, id: randomUUID() }, 'query', '', outsider);
    const unseen = await ask(prometheus, 'query', '', outsider);
    expect([absent.status, unseen.status]).toEqual([404, 404]);
    const { status, body } = await ask(prometheus, 'query', 'query=up');
    expect({ status, body }).toMatchObject({ status: 400, body: { code: 'CONNECTION_KIND_MISMATCH' } });
    expect(body.detail).toContain('grafana');
    expect(await ask(prometheus, 'ping')).toMatchObject({ status: 400 });
    expect(await ask({ ...prometheus, id: 'none' }, 'query')).toMatchObject({ status: 400 });
  });
});

requires('PROMETHEUS_BIN', 'a real Prometheus', (program) => {
  let folder: string;
  let child: ChildProcess;
  let connection: Json;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'prometheus-'));
    const port = await freePort();
    await writeFile(
      join(folder, 'prometheus.yml'),
      `global: {scrape_interval: 1s}\nscrape_configs: [{job_name: self, static_configs: [{targets: ['127.0.0.1:${port}']}]}]\n`,
    );
    child = spawn(
      program,
      [
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    connection = await connect('prometheus', `http://127.0.0.1:${port}`, null);
    await until(
      async () => (await ask(connection, 'query', 'query=up')).body.data?.result[0]?.value[1] === '1',
      30_000,
    );
  }, 60_000);
  afterAll(async () => {
    child.kill();
    await once(child, 'exit');
    await rm(folder, { recursive: true });
  });

  it('answers a ping, queries, labels and metadata', async () => {
    expect((await ask(connection, 'ping')).body).toEqual({
      kind: 'prometheus',
      version: expect.stringMatching(/^\d+\./) as string,
    });
    const now = Date.now() / 1000;
    const { body: range } = await ask(connection, 'query_range', `query=up&start=${now - 60}&end=${now + 1}&step=1s`);
    expect(range.data).toMatchObject({ resultType: 'matrix', result: [{ metric: { __name__: 'up', job: 'self' } }] });
    const { body: scalar } = await ask(connection, 'query', 'query=1%2B1&time=2026-01-31T12:00:00Z');
    expect(scalar.data).toEqual({ resultType: 'scalar', result: [1769860800, '2'] });
    const { body: labels } = await ask(connection, 'labels', `match[]=${encodeURIComponent('up{job="self"}')}`);
    expect(labels.data).toEqual(['__name__', 'instance', 'job']);
    const { body: metadata } = await ask(connection, 'metadata', 'metric=go_goroutines');
    expect(metadata.data.go_goroutines[0]).toMatchObject({ type: 'gauge' });
    const { body: limited } = await ask(connection, 'query', 'query={job="self"}&limit=3');
    expect(limited.data.result).toHaveLength(3);
  });

  it('refuses what is no PromQL, in its own words', async () => {
    for (const query of ['up(', 'sum by', '{}', 'rate(up)']) {
      const { status, body } = await ask(connection, 'query', `query=${encodeURIComponent(query)}`);
      expect({ query, status, body }).toMatchObject({ query, status: 400, body: { code: 'QUERY_REFUSED' } });
      expect(body.detail).toMatch(/^Prometheus refuses the query: .{10,}/);
    }
  });
});
