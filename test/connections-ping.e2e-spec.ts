import { createServer as createRawServer } from 'node:net';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo, Server as RawServer } from 'node:net';
import type { Json } from './support/person.js';
import { World } from './support/world.js';

const CONNECTIONS = '/api/integrations/connections';
const TOKEN = 'hush-hush-token';

let world: World;
const servers: (Server | RawServer)[] = [];

beforeAll(async () => (world = await World.start()));
afterAll(async () => {
  for (const server of servers) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
  await world.stop();
});

async function listening<S extends Server | RawServer>(server: S): Promise<string> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const serve = (listener: RequestListener): Promise<string> => listening(createServer(listener));

const signedIn = ({ headers }: IncomingMessage): boolean => headers.authorization === `Bearer ${TOKEN}`;
const json =
  (paths: Record<string, object>): RequestListener =>
  (request, response) => {
    const body = paths[request.url ?? ''];
    if (!body) return void response.writeHead(404).end('{}');
    if (!signedIn(request)) return void response.writeHead(401).end('{"message":"who?"}');
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };

async function connect(kind: string, url: string, token: string | null = TOKEN): Promise<Json> {
  const { status, body } = await world.admin.post(CONNECTIONS, {
    name: kind,
    kind,
    metadata: { url },
    ...(token ? { credential_secret: { token } } : {}),
  });
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
}
const ping = ({ id }: Json): Promise<Json> => world.admin.post(`${CONNECTIONS}/${id}/ping`);

const PROMETHEUS = { '/api/v1/status/buildinfo': { status: 'success', data: { version: '3.5.0' } } };

describe('a ping', () => {
  it.each([
    ['prometheus', json(PROMETHEUS), { version: '3.5.0' }],
    ['github', json({ '/user': { login: 'octocat' } }), { login: 'octocat' }],
    [
      'helm',
      ((request, response) => {
        if (!signedIn(request)) return void response.writeHead(401).end();
        response.end(request.url === '/index.yaml' ? 'apiVersion: v1\nentries: {}\n' : '');
      }) satisfies RequestListener,
      {},
    ],
    [
      'grafana',
      ((request, response) => {
        if (request.url === '/api/health') return void response.end('{"database":"ok","version":"12.1.0"}');
        response.writeHead(request.url === '/api/org' && signedIn(request) ? 200 : 401).end('{}');
      }) satisfies RequestListener,
      { version: '12.1.0' },
    ],
  ])('reaches %s, and reports when it refuses the credential', async (kind, listener, facts) => {
    const url = await serve(listener);
    expect(await ping(await connect(kind, url))).toMatchObject({
      status: 200,
      body: { status: 'connected', metadata: { url, ...facts } },
    });
    const wrong = await ping(await connect(kind, url, 'wrong-token'));
    expect(wrong).toMatchObject({
      status: 502,
      body: { code: 'CONNECTION_DENIED', connection: { status: 'registered' } },
    });
  });

  it.each([
    ['prometheus', '<html>Welcome</html>'],
    ['prometheus', '{"status":"error"}'],
    ['grafana', '<html>Welcome</html>'],
    ['grafana', '{}'],
    ['github', '[]'],
    ['helm', '<html>Welcome</html>'],
  ])('of a %s that answers %s is not taken for one', async (kind, text) => {
    const url = await serve((_, response) => response.end(text));
    expect(await ping(await connect(kind, url))).toMatchObject({
      status: 502,
      body: { code: 'CONNECTION_NOT_UNDERSTOOD', connection: { kind, status: 'registered' } },
    });
  });

  it('moves a connected one to disconnected when it fails, and back; another stays what it is', async () => {
    let up = true;
    const good = json(PROMETHEUS);
    const url = await serve((request, response) => (up ? good(request, response) : response.writeHead(503).end()));
    const connection = await connect('prometheus', url);
    await ping(connection);
    up = false;
    expect(await ping(connection)).toMatchObject({
      status: 502,
      body: { code: 'CONNECTION_FAILED', connection: { id: connection.id, status: 'disconnected' } },
    });
    expect((await ping(connection)).body.connection.status).toBe('disconnected');
    up = true;
    expect((await ping(connection)).body.status).toBe('connected');
    up = false;
    await world.admin.put(`${CONNECTIONS}/${connection.id}`, { status: 'maintenance' });
    expect((await ping(connection)).body.connection.status).toBe('maintenance');
  });

  it('does not undo a concurrent change of the connection', async () => {
    let answer: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      void serve((request, response) => {
        answer = () => json(PROMETHEUS)(request, response);
        resolve();
      }).then(
        (url) => (made = connect('prometheus', url).then((connection) => ((pinged = ping(connection)), connection))),
      );
    });
    let made: Promise<Json> = Promise.resolve();
    let pinged: Promise<Json> = Promise.resolve();
    await asked;
    const { id } = await made;
    await world.admin.put(`${CONNECTIONS}/${id}`, { status: 'ignored' });
    answer();
    expect(await pinged).toMatchObject({ status: 200, body: { status: 'ignored' } });
  });

  it('follows no redirect, and names it as a query does', async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end(JSON.stringify(PROMETHEUS['/api/v1/status/buildinfo']));
    });
    for (const [status, location] of [
      [302, `${other}/there`],
      [308, 'http://169.254.169.254/latest/'],
    ] as const) {
      const away = await serve((_, response) => response.writeHead(status, { location }).end());
      expect(await ping(await connect('prometheus', away))).toMatchObject({
        status: 502,
        body: {
          code: 'CONNECTION_REDIRECTED',
          detail: expect.stringContaining(String(status)) as string,
          connection: { status: 'registered' },
        },
      });
    }
    expect(seen).toEqual([]);
  });

  it('takes no more than it needs, and never repeats what a server sends back', async () => {
    const huge = await serve((_, response) => response.end(`{"status":"success","x":"${'x'.repeat(2_000_000)}"}`));
    expect(await ping(await connect('prometheus', huge))).toMatchObject({
      status: 502,
      body: { code: 'OUTBOUND_TOO_LARGE' },
    });
    const garbage = createRawServer((socket) =>
      socket.once('data', (data: Buffer) => socket.end(`no HTTP: ${data.toString()}`)),
    );
    const echo = await ping(await connect('prometheus', await listening(garbage)));
    expect(echo).toMatchObject({ status: 502, body: { code: 'OUTBOUND_FAILED' } });
    expect(JSON.stringify(echo.body)).not.toContain(TOKEN);
  });

  it('ends after ten seconds', async () => {
    const silent = await serve(() => undefined);
    const dripping = await serve((_, response) => {
      const timer = setInterval(() => response.write(' '), 500);
      response.once('close', () => clearInterval(timer));
    });
    const connections = await Promise.all([connect('prometheus', silent), connect('helm', dripping)]);
    const answers = await Promise.all(connections.map(ping));
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 504,
        body: { code: 'OUTBOUND_TIMEOUT', connection: { status: 'registered' } },
      });
  }, 60_000);
});
