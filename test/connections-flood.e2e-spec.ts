import net from 'node:net';
import { World } from './support/world.js';

let world: World;
afterEach(() => world.stop());

/** Writes a text to one connection; resolves with what came back, once the server closed it or was quiet. */
function converse(text: string, quietMs = 1_000): Promise<{ heard: string; wasClosed: boolean }> {
  const { hostname, port } = new URL(world.baseUrl);
  return new Promise((resolve) => {
    let [heard, wasClosed] = ['', true];
    const socket = net.connect(Number(port), hostname, () => socket.write(text));
    socket.setTimeout(quietMs, () => {
      wasClosed = false;
      socket.destroy();
    });
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ heard, wasClosed }));
  });
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const statusesIn = (heard: string): string[] =>
  [...heard.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status);

describe('pipelined requests', () => {
  it('are answered in order, as far as a client may send ahead', async () => {
    world = await World.start();
    const { heard, wasClosed } = await converse(get('/api/environments').repeat(5) + get('/healthz/live').repeat(5));
    expect([statusesIn(heard), wasClosed]).toEqual([
      [...Array<string>(5).fill('401'), ...Array<string>(5).fill('200')],
      false,
    ]);
  });

  it.each(['/api/environments', '/healthz/live', '/api/unknown'])(
    'beyond that end the connection: %s',
    async (path) => {
      world = await World.start();
      const { heard, wasClosed } = await converse(get(path).repeat(6_000), 20_000);
      expect(wasClosed).toBe(true);
      expect(statusesIn(heard).length).toBeLessThanOrEqual(1);
    },
  );

  it('after the first that is over the limit on calls are not answered', async () => {
    world = await World.start({ RATE_LIMIT: 'on', LIMIT_REQUESTS_PER_MINUTE: '3' });
    const { heard, wasClosed } = await converse(get('/api/unknown').repeat(15));
    expect([statusesIn(heard), wasClosed]).toEqual([['404', '404', '404', '429'], true]);
  });

  it('share one connection 200 times at most', async () => {
    world = await World.start();
    const { hostname, port } = new URL(world.baseUrl);
    const socket = net.connect(Number(port), hostname);
    const closed = new Promise<void>((resolve) => socket.on('error', () => undefined).on('close', () => resolve()));
    let heard = '';
    socket.on('data', (chunk) => {
      const before = statusesIn(heard).length;
      heard += chunk.toString('latin1');
      if (statusesIn(heard).length > before) socket.write(get('/healthz/live'));
    });
    socket.write(get('/healthz/live'));
    await closed;
    expect(statusesIn(heard)).toHaveLength(200);
    expect(heard.match(/Connection: close/gi)).toHaveLength(1);
  });
});

it('a body in chunks of one byte is refused, and its connection closed', async () => {
  world = await World.start();
  const body = '1\r\nx\r\n'.repeat(10_000) + '0\r\n\r\n';
  const head =
    'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
  const { heard, wasClosed } = await converse(head + body);
  expect([statusesIn(heard), wasClosed]).toEqual([['400'], true]);
  expect(heard).toContain('Send the body in larger chunks.');
});

describe('a request that asks for another protocol than WebSocket', () => {
  const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';
  const body = JSON.stringify({ email: 'nobody@example.org', password: 'none of them' });
  const version = `GET /api/system/version HTTP/1.1\r\nHost: x\r\n${h2c}\r\n`;
  const signIn =
    `POST /api/auth/login HTTP/1.1\r\nHost: x\r\n${h2c}Content-Type: application/json\r\n` +
    `Content-Length: ${body.length}\r\n\r\n${body}`;

  it('is answered in HTTP/1.1, with its body and on a connection that stays open', async () => {
    world = await World.start();
    const { hostname, port } = new URL(world.baseUrl);
    const socket = net.connect(Number(port), hostname);
    const closed = new Promise<void>((resolve) => socket.on('error', () => undefined).on('close', () => resolve()));
    const requests = [signIn, version, signIn, version.replace('Connection: ', 'Connection: close, ')];
    let heard = '';
    const sendNext = (): void => void socket.write(requests.shift() ?? '');
    socket.on('data', (chunk) => {
      const before = statusesIn(heard).length;
      heard += chunk.toString('latin1');
      if (statusesIn(heard).length > before) setTimeout(sendNext, 100);
    });
    sendNext();
    await closed;
    expect(statusesIn(heard)).toEqual(['401', '200', '401', '200']);
  });

  it('is not served while an earlier one on its connection is answered', async () => {
    world = await World.start();
    const { heard, wasClosed } = await converse(signIn + version.repeat(3), 20_000);
    expect(wasClosed).toBe(true);
    expect(statusesIn(heard).length).toBeLessThanOrEqual(1);
  });
});
