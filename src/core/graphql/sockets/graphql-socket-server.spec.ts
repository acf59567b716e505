import type { GraphQLFormattedError } from 'graphql';
import { createClient } from 'graphql-ws';
import { setTimeout as wait } from 'node:timers/promises';
import { type ClientOptions, WebSocket } from 'ws';
import { SOCKET_DEFAULTS } from './socket-options.js';
import {
  PATH,
  QUICK,
  TestClients,
  type Started,
  run,
  start,
  live,
  contexts,
  operations,
  beforeOperation,
} from './socket-server.fixture.js';

let server: Started;
const clients = new TestClients();

describe('GraphQL over sockets', () => {
  beforeAll(async () => {
    server = await start({ ...QUICK, beforeOperation });
  });
  afterAll(() => server.app.close());
  afterEach(() => clients.terminate());

  const connect = (token?: string, protocol?: string, options?: ClientOptions) =>
    clients.connect(server, token, protocol, options);

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
      operations.areRefused = true;
      const client = await connect('ann');
      client.send({ ...run('{ whoAmI }'), type: 'subscribe' });
      expect(await client.next('error')).toMatchObject({ payload: [{ extensions: { code: 'RATE_LIMITED' } }] });
      operations.areRefused = false;
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
});
