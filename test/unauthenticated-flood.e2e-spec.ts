import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import WebSocket from 'ws';
import { PersonalTokensStore } from '../src/auth/personal-tokens/personal-tokens.store.js';
import { Person } from './support/person.js';
import { World } from './support/world.js';

let world: World;
afterEach(() => world.stop());

const LIMITED = { RATE_LIMIT: 'on', LIMIT_REQUESTS_PER_MINUTE: '1000' };
const GRAPHQL = '/api/system/graphql/query';

const start = async (settings: Record<string, string> = {}): Promise<void> => {
  world = await World.start({ ...LIMITED, ...settings });
};

const guess = (): Person => new Person(world.baseUrl, `arm_${randomBytes(20).toString('hex')}`);

const connect = (protocol: string): WebSocket => {
  const socket = new WebSocket(world.baseUrl.replace('http', 'ws') + GRAPHQL, protocol);
  socket.on('error', () => undefined);
  return socket;
};

/** Opens a socket, sends a token, and resolves with the code that it is closed with. */
async function tryToken(token: string, protocol: string): Promise<number> {
  const socket = connect(protocol);
  socket.once('open', () =>
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: token } })),
  );
  const [code] = (await once(socket, 'close')) as [number];
  return code;
}

/** The status that an upgrade is answered with; 101 when it is done. */
function upgrade(): Promise<{ status: number; close: () => void }> {
  const headers = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    'Sec-WebSocket-Protocol': 'graphql-transport-ws',
  };
  return new Promise((resolve, reject) => {
    const asked = request(world.baseUrl + GRAPHQL, { headers });
    asked.once('upgrade', (_response, socket) => resolve({ status: 101, close: () => socket.destroy() }));
    asked.once('response', ({ statusCode = 0 }) => resolve({ status: statusCode, close: () => asked.destroy() }));
    asked.once('error', reject);
    asked.end();
  });
}

describe('tokens that do not hold', () => {
  it('are looked up 120 times a minute for one network; those that held before go on', async () => {
    await start();
    const lookups = jest.spyOn(world.get(PersonalTokensStore), 'findBearer');
    expect((await world.admin.get('/api/environments')).status).toBe(200);
    lookups.mockClear();
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async () => (await guess().get('/api/environments')).status),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(120);
    expect(statuses.filter((status) => status === 429)).toHaveLength(80);
    expect(lookups).toHaveBeenCalledTimes(120);
    expect((await world.admin.get('/api/environments')).status).toBe(200);
    expect(await tryToken(guess().token ?? '', 'graphql-transport-ws')).toBe(4429);
    expect(await tryToken(guess().token ?? '', 'graphql-ws')).toBe(4429);
    expect(lookups).toHaveBeenCalledTimes(120);
  });

  it('are looked up once in five seconds however often they are repeated', async () => {
    await start();
    const lookups = jest.spyOn(world.get(PersonalTokensStore), 'findBearer');
    const guessed = guess();
    for (let call = 0; call < 10; call++) expect((await guessed.get('/api/environments')).status).toBe(401);
    expect(lookups).toHaveBeenCalledTimes(1);
  });

  it('are no fault of the server when their claims are no JSON', async () => {
    await start();
    const encode = (text: string): string => Buffer.from(text).toString('base64url');
    const token = `${encode('{"alg":"HS256","typ":"JWT"}')}.${encode('{')}.AAAA`;
    expect((await new Person(world.baseUrl, token).get('/api/environments')).status).toBe(401);
    expect(await tryToken(token, 'graphql-transport-ws')).toBe(4403);
    expect(await tryToken(token, 'graphql-ws')).toBe(4403);
  });
});

describe('sockets that nobody has signed in on', () => {
  it('are counted as calls of their network', async () => {
    await start({ LIMIT_REQUESTS_PER_MINUTE: '3' });
    const opened = [await upgrade(), await upgrade(), await upgrade(), await upgrade()];
    expect(opened.map(({ status }) => status)).toEqual([101, 101, 101, 429]);
    expect((await world.stranger.get('/api/unknown')).status).toBe(429);
    for (const { close } of opened) close();
  });

  it('are 50 of one network at a time, and make room when they close or sign in', async () => {
    await start();
    const opened = await Promise.all(Array.from({ length: 51 }, upgrade));
    expect(opened.filter(({ status }) => status === 429)).toHaveLength(1);
    opened.find(({ status }) => status === 101)?.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const socket = connect('graphql-transport-ws');
    await once(socket, 'open');
    expect((await upgrade()).status).toBe(429);
    socket.send(JSON.stringify({ type: 'connection_init', payload: { Authorization: world.admin.token } }));
    await once(socket, 'message');
    const again = await upgrade();
    expect(again.status).toBe(101);
    for (const { close } of [...opened, again]) close();
    socket.close();
  });
});
