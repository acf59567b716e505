import { setTimeout as wait } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { SOCKET_DEFAULTS } from './socket-options.js';
import { PATH, RawClient, type Started, run, start, live } from './socket-server.fixture.js';

describe('A socket that floods', () => {
  let flooded: Started;
  beforeAll(async () => {
    flooded = await start();
  });
  afterAll(() => flooded.app.close());

  it('runs no more operations at a time when it completes each of them at once', async () => {
    const client = await RawClient.signedIn(flooded, 'ann');
    const { operationsPerSocket } = SOCKET_DEFAULTS;
    flooded.tokens.pauseMs = 1_500;
    for (let n = 0; n < operationsPerSocket * 3; n++) {
      client.send({ ...run('subscription { numbers }', {}, `${n}`), type: 'subscribe' });
      client.send({ type: 'complete', id: `${n}` });
    }
    client.send({ type: 'ping' });
    await client.next('pong');
    for (let tries = 0; tries < 50 && flooded.tokens.running < operationsPerSocket; tries++) await wait(5);
    expect(flooded.tokens.running).toBe(operationsPerSocket);
    flooded.tokens.pauseMs = 1;
    for (let tries = 0; tries < 1_000 && flooded.tokens.running > 0; tries++) await wait(10);
    client.send({ ...run('{ whoAmI }', {}, 'last'), type: 'subscribe' });
    expect(await client.next('next')).toMatchObject({ id: 'last' });
    expect(live).toBe(0);
    client.socket.terminate();
  });

  it.each([
    ['messages', (socket: WebSocket) => socket.send('{"type":"ping"}')],
    ['frames of ping', (socket: WebSocket) => socket.ping()],
    ['frames of pong', (socket: WebSocket) => socket.pong()],
  ])('is closed with 4429 when it sends too many %s, and read no more', async (_what, send) => {
    const [client, other] = [await RawClient.signedIn(flooded, 'ann'), await RawClient.signedIn(flooded, 'bob')];
    for (let n = 0; n < SOCKET_DEFAULTS.messageBurst * 100; n++) send(client.socket);
    other.send({ type: 'ping' });
    await other.next('pong');
    expect((await client.closed).code).toBe(4429);
    const answered = client.received.filter(({ type }) => type === 'pong').length;
    expect(answered).toBeLessThan(SOCKET_DEFAULTS.messageBurst * 2);
    expect(other.socket.readyState).toBe(WebSocket.OPEN);
    other.socket.terminate();
  });

  it('is served up to what it may send', async () => {
    const client = await RawClient.signedIn(flooded, 'ann');
    for (let n = 0; n < SOCKET_DEFAULTS.messageBurst / 2; n++) client.send({ type: 'ping' });
    await client.next('pong', SOCKET_DEFAULTS.messageBurst / 2);
    expect(client.socket.readyState).toBe(WebSocket.OPEN);
    client.socket.terminate();
  });
});

describe('GraphQL over HTTP beside the sockets', () => {
  it('refuses several operations in one request with 400', async () => {
    const http = await start();
    const response = await fetch(`http://${http.origin}${PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ query: '{ whoAmI }' }, { query: '{ whoAmI }' }]),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ message: 'Operation batching disabled.' }] });
    await http.app.close();
  });
});

describe('A client that does not read', () => {
  it.each([
    ['lets too many bytes wait', { maxUnsentBytes: 1 << 20 }],
    ['lets a message wait too long', { maxUnsentBytes: 1 << 28, maxUnsentMs: 300 }],
  ])('is closed with 4413 when it %s', async (_when, options) => {
    const slow = await start({ ...options, closeMs: 30_000 });
    const client = await RawClient.signedIn(slow, 'ann');
    client.socket.pause();
    client.send({ ...run('subscription { flood }'), type: 'subscribe' });
    await wait(700);
    client.socket.resume();
    expect((await client.closed).code).toBe(4413);
    await slow.app.close();
  });
});

describe('A server that shuts down', () => {
  it('closes every socket with 1001, those too that do not answer', async () => {
    const stopping = await start({ closeMs: 200 });
    const clients = [
      await RawClient.signedIn(stopping, 'ann'),
      await RawClient.signedIn(stopping, 'ann', 'graphql-ws'),
      await RawClient.open(stopping),
    ];
    const stuck = await RawClient.signedIn(stopping, 'bob');
    stuck.socket.pause();
    clients[0]?.send({ ...run('subscription { numbers }'), type: 'subscribe' });
    await clients[0]?.next('next');
    const started = performance.now();
    await stopping.app.close();
    expect(performance.now() - started).toBeLessThan(2_000);
    for (const client of clients) expect((await client.closed).code).toBe(1001);
    expect(live).toBe(0);
    stuck.socket.terminate();
  });
});
