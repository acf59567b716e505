import { request as httpRequest } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type ClientOptions, WebSocket } from 'ws';
import { PATH, QUICK, type Started, TestClients, run, start } from './socket-server.fixture.js';

let server: Started;
const clients = new TestClients();

describe('Connections of GraphQL over sockets', () => {
  beforeAll(async () => {
    server = await start(QUICK);
  });
  afterAll(() => server.app.close());
  afterEach(() => clients.terminate());

  const connect = (token?: string, protocol?: string, options?: ClientOptions) =>
    clients.connect(server, token, protocol, options);

  describe('at the upgrade', () => {
    const upgrade = (path: string, headers: Record<string, string> = {}) =>
      new Promise<{ status: number; body: string }>((resolve, reject) => {
        const request = httpRequest(`http://${server.origin}${path}`, {
          headers: {
            connection: 'Upgrade',
            upgrade: 'websocket',
            'sec-websocket-version': '13',
            'sec-websocket-key': Buffer.alloc(16).toString('base64'),
            'sec-websocket-protocol': 'graphql-transport-ws',
            ...headers,
          },
        });
        request.on('upgrade', (response, socket) => {
          socket.destroy();
          resolve({ status: response.statusCode ?? 0, body: response.headers['sec-websocket-protocol'] ?? '' });
        });
        request.on('response', (response) => {
          let body = '';
          response.on('data', (chunk: Buffer) => (body += chunk.toString()));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        });
        request.on('error', reject).end();
      });

    it.each(['/', '/api/system/graphql', '/api/system/graphql/query/more', '//', '/%'])(
      'answers 404 at %s',
      async (path) => {
        expect((await upgrade(path)).status).toBe(404);
      },
    );

    it('refuses pages of other origins with 403, but neither its own, those allowed nor clients without one', async () => {
      for (const origin of ['https://evil.example.org', 'null', 'http://127.0.0.1'])
        expect(await upgrade(PATH, { origin })).toMatchObject({
          status: 403,
          body: expect.stringContaining('CORS_ORIGINS') as string,
        });
      for (const origin of [`http://${server.origin}`, 'https://console.example.org'])
        expect((await upgrade(PATH, { origin })).status).toBe(101);
      expect((await upgrade(`${PATH}?a=b`)).status).toBe(101);
    });

    it('refuses unknown sub-protocols with 400 and names its own', async () => {
      const { status, body } = await upgrade(PATH, { 'sec-websocket-protocol': 'mqtt' });
      expect(status).toBe(400);
      expect(body).toContain('graphql-transport-ws');
    });

    it('prefers the newer of the sub-protocols', async () => {
      expect((await upgrade(PATH, { 'sec-websocket-protocol': 'graphql-ws, graphql-transport-ws' })).body).toBe(
        'graphql-transport-ws',
      );
    });
  });

  describe('for its users', () => {
    it('lets each have three sockets, closes the fourth with 4429 and lets another in when one is gone', async () => {
      const clients = [await connect('bob'), await connect('bob', 'graphql-ws'), await connect('bob')];
      const fourth = await connect();
      fourth.send({ type: 'connection_init', payload: { Authorization: 'bob' } });
      expect(await fourth.closed).toEqual({
        code: 4429,
        reason: expect.stringMatching(/may have 3 sockets at a time.*LIMIT_SOCKETS_PER_USER/) as string,
      });
      await connect('carol');
      clients[0]?.socket.close();
      await clients[0]?.closed;
      await wait(20);
      await connect('bob');
    });

    it('closes the sockets of a session with 4403 when it is revoked, and all of a user when all are', async () => {
      const [first, second, other] = [
        await connect('dan/1'),
        await connect('dan/2', 'graphql-ws'),
        await connect('eve/1'),
      ];
      first.send({ ...run('subscription { numbers }'), type: 'subscribe' });
      await first.next('next');
      server.tokens.revoke('dan', '1');
      expect((await first.closed).code).toBe(4403);
      expect([second, other].map(({ socket }) => socket.readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
      server.tokens.revoke('dan', null);
      expect((await second.closed).code).toBe(4403);
      expect(other.socket.readyState).toBe(WebSocket.OPEN);
    });

    it('closes a socket with 4403 when its token expires, and starts no operation with it', async () => {
      const [idle, busy] = [await connect('fay/1'), await connect('fay/2')];
      server.tokens.ended.add('fay/1').add('fay/2');
      busy.send({ ...run('{ whoAmI }'), type: 'subscribe' });
      expect((await busy.closed).code).toBe(4403);
      expect((await idle.closed).code).toBe(4403);
      expect(busy.received).toEqual([{ type: 'connection_ack' }]);
    });

    it('hangs up on a peer that answers no pings', async () => {
      const client = await connect('gus', undefined, { autoPong: false });
      expect((await client.closed).code).toBe(1006);
    });
  });
});
