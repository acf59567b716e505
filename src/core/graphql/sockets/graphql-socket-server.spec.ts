import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { type INestApplication, Module } from '@nestjs/common';
import { Args, Context, GraphQLModule, Int, ObjectType, Field, Query, Resolver, Subscription } from '@nestjs/graphql';
import { Test } from '@nestjs/testing';
import type { GraphQLFormattedError } from 'graphql';
import { createClient } from 'graphql-ws';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type ClientOptions, WebSocket } from 'ws';
import { Actor } from '../../access/actor.js';
import { Authenticator } from '../../access/authenticator.js';
import { AppError, Conflict, Unauthenticated } from '../../errors/app-error.js';
import { currentRequest } from '../../telemetry/request-context.js';
import { PARSE_OPTIONS } from '../limits/document-limits.js';
import { DEFAULT_QUERY_LIMITS } from '../limits/query-limits.js';
import { createQueryLimitsPlugin } from '../limits/query-limits.plugin.js';
import { GraphqlSocketServer } from './graphql-socket-server.js';
import type { SocketContext } from './socket-context.js';
import { SOCKET_DEFAULTS, SOCKET_OPTIONS, type SocketOptions } from './socket-options.js';

const PATH = '/api/system/graphql/query';

/** Tokens of this file: `<user>` or `<user>/<session>`; those in `ended` do not hold. */
class Tokens extends Authenticator {
  readonly ended = new Set<string>();
  /** How long a token takes to be looked up, and how many are being looked up. */
  pauseMs = 1;
  running = 0;
  private readonly listeners = new Set<(revoked: { userId: string; sessionId: string | null }) => void>();

  async authenticate({ headers: { authorization } }: IncomingMessage): Promise<Actor> {
    this.running++;
    await wait(this.pauseMs);
    this.running--;
    const token = authorization?.replace('Bearer ', '');
    if (!token || token.startsWith('bad') || this.ended.has(token))
      throw new Unauthenticated('The token does not hold.');
    const [id = '', sessionId = null] = token.split('/');
    return Actor.user({ id, email: `${id}@example.org`, installationAdmin: false, sessionId });
  }

  onRevoked(listener: (revoked: { userId: string; sessionId: string | null }) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  revoke(userId: string, sessionId: string | null): void {
    for (const listener of this.listeners) listener({ userId, sessionId });
  }
}

@ObjectType()
class Node {
  @Field() name!: string;
  @Field(() => Node) next!: Node;
}

let live = 0;
const contexts = new Set<SocketContext>();

async function* numbers(upTo: number, pause: number): AsyncGenerator<{ numbers: number }> {
  live++;
  try {
    for (let n = 1; n <= upTo; n++) {
      yield { numbers: n };
      if (pause) await wait(pause);
    }
  } finally {
    live--;
  }
}

async function* floods(): AsyncGenerator<{ flood: string }> {
  for (;;) yield await Promise.resolve({ flood: 'x'.repeat(50_000) });
}

@Resolver()
class Fixture {
  @Query(() => String, { nullable: true }) whoAmI(@Context() context: SocketContext): string {
    return `${context.actor.name} ${context.req.actor.userId} ${context.req.headers['authorization']} ${context.socket}`;
  }

  @Query(() => [String]) requestIds(): string[] {
    return [currentRequest()?.requestId ?? '', currentRequest()?.actor?.userId ?? ''];
  }

  @Query(() => String, { nullable: true }) taken(): string {
    throw new Conflict('NAME_TAKEN', 'The name is taken', { remedy: 'Take another.' });
  }

  @Query(() => Int) echo(@Args('n', { type: () => Int }) n: number): number {
    return n;
  }

  @Query(() => Node) node(): Node {
    return { name: 'a' } as Node;
  }

  @Subscription(() => Int, { resolve: resolveNumbers }) numbers(
    @Args('upTo', { type: () => Int, defaultValue: 1_000_000 }) upTo: number,
    @Args('pause', { type: () => Int, defaultValue: 5 }) pause: number,
  ): AsyncGenerator {
    return numbers(upTo, pause);
  }

  @Subscription(() => String) flood(): AsyncGenerator {
    return floods();
  }

  @Subscription(() => String) refused(): AsyncGenerator {
    throw new Conflict('REPLAY_EXPIRED', 'Too old', { remedy: 'Begin anew.' });
  }
}

function resolveNumbers(payload: { numbers: number }, _args: unknown, context: SocketContext): number {
  contexts.add(context);
  return payload.numbers;
}

function formatError(error: GraphQLFormattedError, original: unknown): GraphQLFormattedError {
  const cause = (original as { originalError?: unknown }).originalError;
  if (!(cause instanceof AppError)) return error;
  return { ...error, extensions: { code: cause.code, remedy: cause.remedy } };
}

async function start(options: Partial<SocketOptions> = {}) {
  const tokens = new Tokens();
  @Module({
    imports: [
      GraphQLModule.forRoot<ApolloDriverConfig>({
        driver: ApolloDriver,
        path: PATH,
        autoSchemaFile: true,
        graphiql: false,
        includeStacktraceInErrorResponses: false,
        formatError,
        parseOptions: PARSE_OPTIONS,
        plugins: [createQueryLimitsPlugin(DEFAULT_QUERY_LIMITS)],
      }),
    ],
    providers: [
      Fixture,
      GraphqlSocketServer,
      { provide: Authenticator, useValue: tokens },
      { provide: SOCKET_OPTIONS, useValue: { ...SOCKET_DEFAULTS, allowedOrigins: [], formatError, ...options } },
    ],
  })
  class SocketApp {}
  const app = (await Test.createTestingModule({ imports: [SocketApp] }).compile()).createNestApplication({
    logger: false,
  });
  await app.listen(0, '127.0.0.1');
  const { port } = (app as INestApplication<import('node:http').Server>).getHttpServer().address() as AddressInfo;
  return { app, tokens, origin: `127.0.0.1:${port}` };
}

type Started = Awaited<ReturnType<typeof start>>;
type Message = { type: string; id?: string; payload?: Record<string, unknown> };

/** A client that sends and shows every message as it is. */
class RawClient {
  readonly received: Message[] = [];
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => this.received.push(JSON.parse(data.toString()) as Message));
    this.closed = once(socket, 'close').then(([code, reason]) => ({ code: code as number, reason: String(reason) }));
  }

  static async open({ origin }: Started, protocol = 'graphql-transport-ws', options: ClientOptions = {}) {
    const client = new RawClient(new WebSocket(`ws://${origin}${PATH}`, protocol, options));
    await once(client.socket, 'open');
    return client;
  }

  /** A client that has been let in with a token. */
  static async signedIn(server: Started, token: string, protocol?: string, options?: ClientOptions) {
    const client = await RawClient.open(server, protocol, options);
    client.send({ type: 'connection_init', payload: { Authorization: `Bearer ${token}` } });
    await client.next('connection_ack');
    return client;
  }

  send(message: Message | string): void {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  }

  async next(type: string, count = 1): Promise<Message> {
    for (;;) {
      const found = this.received.filter((message) => message.type === type)[count - 1];
      if (found) return found;
      if (this.socket.readyState > WebSocket.OPEN) throw new Error(`Closed before ${type}`);
      await wait(2);
    }
  }
}

const run = (query: string, variables?: Record<string, unknown>, id = '1') => ({ id, payload: { query, variables } });

let refuseOperations = false;
const beforeOperation = (): Promise<void> =>
  refuseOperations
    ? Promise.reject(new AppError(429, 'RATE_LIMITED', 'Too many', 'Later.', { remedy: 'Wait.' }))
    : Promise.resolve();

let server: Started;
const open: WebSocket[] = [];

describe('GraphQL over sockets', () => {
  beforeAll(async () => {
    server = await start({
      beforeOperation,
      allowedOrigins: ['https://console.example.org'],
      pingMs: 200,
      recheckMs: 150,
      perUser: 3,
    });
  });
  afterAll(() => server.app.close());
  afterEach(() => open.splice(0).forEach((socket) => socket.terminate()));

  const connect = async (token?: string, protocol?: string, options?: ClientOptions) => {
    const client = await (token
      ? RawClient.signedIn(server, token, protocol, options)
      : RawClient.open(server, protocol, options));
    open.push(client.socket);
    return client;
  };

  describe('in graphql-transport-ws', () => {
    it.each([
      ['Authorization', 'Bearer ann'],
      ['authorization', 'Bearer ann'],
      ['Authorization', 'ann'],
    ])('lets a client in with the payload %s: %s and runs queries in its name', async (key, value) => {
      const client = createClient({
        url: `ws://${server.origin}${PATH}`,
        webSocketImpl: WebSocket,
        connectionParams: { [key]: value },
      });
      const results = client.iterate({ query: '{ whoAmI }' });
      expect((await results.next()).value).toEqual({ data: { whoAmI: 'ann@example.org ann Bearer ann true' } });
      expect((await results.next()).done).toBe(true);
      await client.dispose();
    });

    it('streams subscriptions until the client has enough, and then ends their source', async () => {
      const client = createClient({
        url: `ws://${server.origin}${PATH}`,
        webSocketImpl: WebSocket,
        connectionParams: { Authorization: 'Bearer ann' },
      });
      const seen: unknown[] = [];
      for await (const { data } of client.iterate({ query: 'subscription { numbers }' }))
        if (seen.push(data?.['numbers']) === 3) break;
      expect(seen).toEqual([1, 2, 3]);
      await client.dispose();
      await wait(30);
      expect(live).toBe(0);
    });

    it('resolves each message in a context of its own', async () => {
      contexts.clear();
      const client = await connect('ann');
      client.send({ ...run('subscription { numbers(upTo: 3) }'), type: 'subscribe' });
      await client.next('complete');
      expect(contexts.size).toBe(3);
    });

    it.each([{}, undefined, { Authorization: '' }, { Authorization: 'Bearer' }, { Authorization: 7 }])(
      'closes with 4401 when the payload is %j',
      async (payload) => {
        const client = await connect();
        client.send({ type: 'connection_init', payload: payload as never });
        expect(await client.closed).toEqual({ code: 4401, reason: expect.stringContaining('Authorization') as string });
      },
    );

    it('closes with 4403 when the token does not hold, and says why', async () => {
      const client = await connect();
      client.send({ type: 'connection_init', payload: { Authorization: 'Bearer bad' } });
      expect(await client.closed).toEqual({ code: 4403, reason: 'The token does not hold.' });
      expect(client.received).toEqual([]);
    });

    it('closes with 4401 when an operation comes before the greeting', async () => {
      const client = await connect();
      client.send({ ...run('{ whoAmI }'), type: 'subscribe' });
      expect((await client.closed).code).toBe(4401);
    });

    it.each([
      '{',
      '[]',
      'null',
      '{"type":7}',
      '{"type":"next","id":"1"}',
      '{"type":"start"}',
      '{"type":"subscribe","id":"1"}',
    ])('closes with 4400 on the message %s', async (text) => {
      const client = await connect('ann');
      client.send(text);
      expect((await client.closed).code).toBe(4400);
    });

    it('closes with 4400 on a binary message and with 1009 on one that is too large', async () => {
      const [binary, large] = [await connect('ann'), await connect('ann')];
      binary.socket.send(Buffer.from('{"type":"ping"}'));
      expect((await binary.closed).code).toBe(4400);
      large.send({ type: 'ping', payload: { text: 'x'.repeat(2 << 20) } });
      expect((await large.closed).code).toBe(1009);
    });

    it('answers pings', async () => {
      const client = await connect('ann');
      client.send({ type: 'ping', payload: { a: 1 } });
      expect(await client.next('pong')).toEqual({ type: 'pong', payload: { a: 1 } });
    });

    it.each([
      ['a resolver throws', '{ taken }', 'next'],
      ['a document cannot be parsed', '{ taken', 'error'],
      ['a field is unknown', '{ takn }', 'error'],
      ['an argument is missing', '{ echo }', 'error'],
      ['a variable has another type', 'query ($n: Int!) { echo(n: $n) }', 'error'],
      ['no operation is named', 'query A { taken } query B { taken }', 'error'],
      ['it is too deep', `{ node ${'{ next '.repeat(12)} { name } ${'}'.repeat(12)} }`, 'error'],
      ['it has too many tokens', `{ ${'taken '.repeat(6_000)} }`, 'error'],
    ])('reports the same errors as HTTP when %s', async (_when, query, type) => {
      const variables = { n: 'text' };
      const response = await fetch(`http://${server.origin}${PATH}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      const { errors } = (await response.json()) as { errors: GraphQLFormattedError[] };
      const client = await connect('ann');
      client.send({ ...run(query, variables), type: 'subscribe' });
      const { payload } = await client.next(type);
      const received = (type === 'error' ? payload : payload?.['errors']) as GraphQLFormattedError[];
      expect(received.map(({ message, extensions }) => ({ message, extensions }))).toEqual(
        errors.map(({ message, extensions }) => ({ message, extensions })),
      );
    });

    it('runs each operation under a request id of its own', async () => {
      const client = await connect('ann');
      client.send({ ...run('{ requestIds }', {}, '1'), type: 'subscribe' });
      client.send({ ...run('{ requestIds }', {}, '2'), type: 'subscribe' });
      const ids = [await client.next('next'), await client.next('next', 2)].map(({ payload }) => payload?.['data']);
      expect(ids[0]).toEqual({ requestIds: [expect.stringMatching(/^[\w-]{36}$/), 'ann'] });
      expect(ids[1]).not.toEqual(ids[0]);
    });

    it('runs no operation that is refused before it', async () => {
      refuseOperations = true;
      const client = await connect('ann');
      client.send({ ...run('{ whoAmI }'), type: 'subscribe' });
      expect(await client.next('error')).toMatchObject({ payload: [{ extensions: { code: 'RATE_LIMITED' } }] });
      refuseOperations = false;
    });

    it('reports why a subscription is refused', async () => {
      const client = await connect('ann');
      client.send({ ...run('subscription { refused }'), type: 'subscribe' });
      expect(await client.next('next')).toMatchObject({
        payload: { errors: [{ extensions: { code: 'REPLAY_EXPIRED' } }] },
      });
      await client.next('complete');
    });

    it('runs no more operations at a time than one socket may', async () => {
      const client = await connect('ann');
      for (let n = 0; n <= SOCKET_DEFAULTS.operationsPerSocket; n++)
        client.send({ ...run('subscription { numbers(pause: 20) }', {}, `${n}`), type: 'subscribe' });
      expect(await client.next('error')).toMatchObject({
        id: String(SOCKET_DEFAULTS.operationsPerSocket),
        payload: [{ extensions: { code: 'TOO_MANY_OPERATIONS' } }],
      });
    });
  });

  describe('in the older graphql-ws', () => {
    const legacy = (token?: string) => connect(token, 'graphql-ws');

    it('starts and stops subscriptions', async () => {
      const client = await legacy('ann');
      client.send({ ...run('subscription { numbers }'), type: 'start' });
      await client.next('data', 2);
      client.send({ type: 'stop', id: '1' });
      await wait(30);
      expect(client.received.slice(0, 2)).toEqual([{ type: 'connection_ack' }, { type: 'ka' }]);
      expect(client.received.filter(({ type }) => type === 'data').slice(0, 2)).toEqual([
        { type: 'data', id: '1', payload: { data: { numbers: 1 } } },
        { type: 'data', id: '1', payload: { data: { numbers: 2 } } },
      ]);
      expect(live).toBe(0);
    });

    it('answers queries, also those sent before the client was let in', async () => {
      const client = await legacy();
      client.send({ type: 'connection_init', payload: { authorization: 'ann' } });
      client.send({ ...run('{ whoAmI }'), type: 'start' });
      await client.next('complete');
      expect(client.received.map(({ type }) => type)).toEqual(['connection_ack', 'ka', 'data', 'complete']);
    });

    it('reports errors of a document as one error that contains them all', async () => {
      const client = await legacy('ann');
      client.send({ ...run('{ a b }'), type: 'start' });
      const { payload } = await client.next('error');
      expect(payload).toMatchObject({
        message: expect.stringContaining('"a"') as string,
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
        errors: [
          { message: expect.stringContaining('"a"') as string },
          { message: expect.stringContaining('"b"') as string },
        ],
      });
    });

    it('says connection_error before it closes with 4403 or 4401, and runs nothing that was sent in the meantime', async () => {
      const cases = [
        { payload: { Authorization: 'Bearer bad' }, code: 4403, message: 'The token does not hold.' },
        { payload: {}, code: 4401, message: expect.stringContaining('Authorization') as string },
      ];
      for (const { payload, code, message } of cases) {
        const client = await legacy();
        client.send({ type: 'connection_init', payload });
        client.send({ ...run('{ whoAmI }'), type: 'start' });
        expect((await client.closed).code).toBe(code);
        expect(client.received).toEqual([{ type: 'connection_error', payload: { message } }]);
      }
    });

    it('takes its leave on connection_terminate and closes with 4400 on messages of the other sub-protocol', async () => {
      const [leaving, mistaken] = [await legacy('ann'), await legacy('ann')];
      leaving.send({ type: 'connection_terminate' });
      expect((await leaving.closed).code).toBe(1000);
      mistaken.send({ ...run('{ whoAmI }'), type: 'subscribe' });
      expect((await mistaken.closed).code).toBe(4400);
    });

    it('keeps the connection alive', async () => {
      await (await legacy('ann')).next('ka', 3);
    });
  });

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
      expect(await fourth.closed).toEqual({ code: 4429, reason: 'One user may have 3 sockets at a time.' });
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

describe('A socket that floods', () => {
  let flooded: Started;
  beforeAll(async () => {
    flooded = await start();
  });
  afterAll(() => flooded.app.close());

  it('runs no more operations at a time when it completes each of them at once', async () => {
    const client = await RawClient.signedIn(flooded, 'ann');
    const { operationsPerSocket } = SOCKET_DEFAULTS;
    flooded.tokens.pauseMs = 300;
    for (let n = 0; n < operationsPerSocket * 3; n++) {
      client.send({ ...run('subscription { numbers }', {}, `${n}`), type: 'subscribe' });
      client.send({ type: 'complete', id: `${n}` });
    }
    client.send({ type: 'ping' });
    await client.next('pong');
    for (let tries = 0; tries < 50 && flooded.tokens.running < operationsPerSocket; tries++) await wait(5);
    expect(flooded.tokens.running).toBe(operationsPerSocket);
    flooded.tokens.pauseMs = 1;
    await wait(350);
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
