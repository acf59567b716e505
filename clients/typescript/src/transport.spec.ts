import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { Armature, ArmatureError, type ArmatureOptions } from './index.js';

type Handler = (request: IncomingMessage, response: ServerResponse, tries: number) => void;

const TOKEN = 'arm_SecretTokenThatNoErrorMayHold';
const PAGE = '<html><body><h1>502 Bad Gateway</h1></body></html>';

let server: Server;
let handler: Handler;
let received: { method: string; url: string; headers: IncomingMessage['headers'] }[];

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    request.resume();
    handler(request, response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(() => {
  received = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const address = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = (options: ArmatureOptions = {}): Armature =>
  new Armature({ baseUrl: address(), token: TOKEN, ...options });

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
};
const problem = (
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void => {
  const body = { type: 'about:blank', title: code, status, code, detail: `refused: ${code}`, error: code };
  json(response, status, { ...body, errors: [{ detail: 'a fault' }], remedy: 'Do this.', request_id: 'r-1' }, headers);
};
const failure = async (call: Promise<unknown>): Promise<ArmatureError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ArmatureError);
  return error as ArmatureError;
};
/** Answers the first tries so, and then as it should. */
const firstTries =
  (count: number, first: (response: ServerResponse, request: IncomingMessage) => void): Handler =>
  (request, response, tries) =>
    tries <= count ? first(response, request) : json(response, 200, { id: 'done' });
const SOON = { 'retry-after': '0' };

describe('What is tried again', () => {
  it.each([
    ['a broken connection', (response: ServerResponse) => response.destroy()],
    [
      'a body that ends too soon',
      (response: ServerResponse) =>
        void response.writeHead(200, { 'content-length': '99' }).write('{"i', () => response.destroy()),
    ],
    ['429', (response: ServerResponse) => problem(response, 429, 'RATE_LIMITED', SOON)],
    ['503', (response: ServerResponse) => problem(response, 503, 'TOO_BUSY', SOON)],
    ['503 of a proxy', (response: ServerResponse) => response.writeHead(503, SOON).end(PAGE)],
    [
      '502 of a proxy',
      (response: ServerResponse) => response.writeHead(502, { 'content-type': 'text/html', ...SOON }).end(PAGE),
    ],
    [
      '504 of a proxy, as JSON of its own',
      (response: ServerResponse) => json(response, 504, { message: 'upstream' }, SOON),
    ],
  ])('%s', async (_, first) => {
    handler = firstTries(2, first);
    await expect(client().createEnvironment({ body: { name: 'a', organization_id: 'b' } })).resolves.toEqual({
      id: 'done',
    });
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(3);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    [502, 'CONNECTION_FAILED'],
    [504, 'OUTBOUND_TIMEOUT'],
    [500, 'INTERNAL_ERROR'],
    [409, 'IDEMPOTENCY_RUNNING'],
    [422, 'DEPLOYMENT_FAILED'],
    [401, 'UNAUTHENTICATED'],
  ])('not %d %s of the server', async (status, code) => {
    handler = (_, response) => problem(response, status, code, SOON);
    const error = await failure(client().getEnvironment({ path: { id: 'x' } }));
    expect(error).toMatchObject({ status, code, message: `refused: ${code}`, remedy: 'Do this.', requestId: 'r-1' });
    expect(error.errors).toEqual([{ detail: 'a fault' }]);
    expect(error.problem).toMatchObject({ code, title: code });
    expect(error.headers.get('retry-after')).toBe('0');
    expect(received).toHaveLength(1);
  });

  it('a write whose first try still runs, until that has ended', async () => {
    handler = (_, response, tries) => {
      if (tries === 1) return void response.writeHead(504, { 'content-type': 'text/html', ...SOON }).end(PAGE);
      if (tries < 8) return problem(response, 409, 'IDEMPOTENCY_RUNNING', SOON);
      json(response, 200, { id: 'done' });
    };
    const created = client().createEnvironment({ body: { name: 'a', organization_id: 'b' } });
    await expect(created).resolves.toEqual({ id: 'done' });
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('not a mutation of GraphQL of which nobody knows whether it was done', async () => {
    handler = (_, response) => response.destroy();
    const error = await failure(client().graphql('mutation { changeOperatorStatus(input: {}) }'));
    expect(error.code).toBe('UNREACHABLE');
    expect(received).toHaveLength(1);
    handler = firstTries(1, (response) => problem(response, 503, 'TOO_BUSY', SOON));
    received = [];
    await client().graphql('mutation { changeOperatorStatus(input: {}) }');
    expect(received).toHaveLength(2);
  });

  it('as often as maxRetries says, and then it fails', async () => {
    handler = (_, response) => problem(response, 429, 'RATE_LIMITED', SOON);
    expect(await failure(client().listEnvironments())).toMatchObject({ status: 429, code: 'RATE_LIMITED' });
    expect(received).toHaveLength(4);
    await failure(client({ maxRetries: 0 }).listEnvironments());
    expect(received).toHaveLength(5);
  });

  it('after the time that Retry-After says, in seconds or as a date', async () => {
    handler = firstTries(1, (response) => problem(response, 429, 'RATE_LIMITED', { 'retry-after': '1' }));
    const started = Date.now();
    await client().listEnvironments();
    expect(Date.now() - started).toBeGreaterThanOrEqual(990);

    received = [];
    const date = new Date(Date.now() + 2000);
    date.setMilliseconds(0);
    handler = firstTries(1, (response) => problem(response, 503, 'TOO_BUSY', { 'retry-after': date.toUTCString() }));
    await client().listEnvironments();
    expect(Date.now()).toBeGreaterThanOrEqual(date.getTime() - 10);
  });

  it('not when Retry-After asks for more than five minutes', async () => {
    handler = (_, response) => problem(response, 429, 'TOO_MANY_ATTEMPTS', { 'retry-after': '99999999' });
    const error = await failure(client().listEnvironments());
    expect(error.headers.get('retry-after')).toBe('99999999');
    expect(received).toHaveLength(1);
  });

  it('has a key of its own for each write, none for reads, and that of the caller where one is given', async () => {
    handler = (_, response) => json(response, 200, {});
    const armature = client();
    await armature.deleteEnvironment({ path: { id: 'x' } });
    await armature.deleteEnvironment({ path: { id: 'x' } });
    await armature.getEnvironment({ path: { id: 'x' } });
    await armature.deleteEnvironment({ path: { id: 'x' }, headers: { 'Idempotency-Key': 'mine' } });
    const [first, second, read, given] = received.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
    expect([read, given]).toEqual([undefined, 'mine']);
  });
});

describe('Without a response', () => {
  it('is UNREACHABLE, with the reason', async () => {
    const error = await failure(client({ baseUrl: 'http://127.0.0.1:9', maxRetries: 0 }).listEnvironments());
    expect(error).toMatchObject({ status: 0, code: 'UNREACHABLE', errors: [] });
    expect(error.message).toContain('http://127.0.0.1:9 cannot be reached');
    expect(error.cause).toBeInstanceOf(Error);
  });

  it('is TIMEOUT after the given time, headers or body missing', async () => {
    for (const stall of [() => undefined, (response: ServerResponse) => void response.writeHead(200).write('{')]) {
      handler = (_, response) => stall(response);
      const error = await failure(client({ timeout: 100, maxRetries: 1 }).listEnvironments());
      expect(error).toMatchObject({ status: 0, code: 'TIMEOUT' });
      expect(received).toHaveLength(2);
      received = [];
    }
  });

  it('rejects as fetch does when the signal is aborted, also while it waits', async () => {
    handler = () => undefined;
    await expect(client().listEnvironments({ signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    const reason = new Error('enough');
    await expect(client().listEnvironments({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    handler = (_, response) => problem(response, 429, 'RATE_LIMITED', { 'retry-after': '60' });
    const abort = new AbortController();
    const call = client().listEnvironments({ signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('What is none of the API', () => {
  it('is UNREACHABLE with the status: a page of a proxy, a page where data should be', async () => {
    for (const status of [404, 200]) {
      handler = (_, response) => response.writeHead(status, { 'content-type': 'text/html' }).end(PAGE);
      expect(await failure(client().listEnvironments())).toMatchObject({
        status,
        code: 'UNREACHABLE',
        problem: undefined,
      });
    }
  });

  it('is not followed: a redirect would take the body elsewhere', async () => {
    handler = (_, response) => response.writeHead(308, { location: 'http://127.0.0.1:9/elsewhere' }).end();
    const error = await failure(client().createEnvironment({ body: { name: 'a', organization_id: 'b' } }));
    expect(error).toMatchObject({ status: 308, code: 'UNREACHABLE' });
    expect(error.message).toContain('http://127.0.0.1:9/elsewhere');
    expect(received).toHaveLength(1);
  });
});

describe('A token', () => {
  it('is asked for before each request, tries included', async () => {
    let asked = 0;
    handler = firstTries(1, (response) => problem(response, 503, 'TOO_BUSY', SOON));
    await client({ token: () => Promise.resolve(`t${(asked += 1)}`) }).listEnvironments();
    expect(received.map(({ headers }) => headers.authorization)).toEqual(['Bearer t1', 'Bearer t2']);
  });

  it('is in no error, whatever repeats it', async () => {
    const tellsAll = { 'x-debug': `Bearer ${TOKEN}`, ...SOON };
    const cases: [Handler, ArmatureOptions?][] = [
      [(_, response) => problem(response, 400, TOKEN, tellsAll)],
      [(_, response) => response.writeHead(502, tellsAll).end(`you sent ${TOKEN}`)],
      [(_, response) => response.writeHead(302, { location: `/login?token=${TOKEN}` }).end()],
      [(_, response) => response.destroy()],
      [() => undefined, { timeout: 50 }],
      [
        () => undefined,
        {
          fetch: (_url, init) =>
            Promise.reject(Object.assign(new Error(`no: ${TOKEN}`, { cause: init }), { config: init })),
        },
      ],
    ];
    for (const [answer, options] of cases) {
      handler = answer;
      const error = await failure(client({ maxRetries: 0, ...options }).listEnvironments());
      const all = [
        inspect(error, { depth: 20, showHidden: true }),
        error.stack,
        error.message,
        JSON.stringify(error),
        JSON.stringify(error.problem ?? null),
      ].join('\n');
      expect(all).not.toContain(TOKEN);
      expect(JSON.stringify([...error.headers])).not.toContain(TOKEN);
    }
    expect(inspect(client(), { depth: 20, showHidden: true })).not.toContain(TOKEN);
  });

  it('that cannot be sent is refused without being named', async () => {
    const error = await client({ token: `${TOKEN}\nX: y` })
      .listEnvironments()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect(inspect(error)).not.toContain(TOKEN);
    handler = (_, response) => json(response, 200, {});
    await client({ token: `${TOKEN}\n` }).listEnvironments();
    expect(received[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
  });
});

describe('Events', () => {
  const STREAM = { 'content-type': 'text/event-stream' };
  const event = (id: number, eol = '\n'): string =>
    [`id: o:${id}`, `data: {"sequence":`, `data: "${id}"}`, '', ''].join(eol);
  const follow = async (count: number): Promise<string[]> => {
    const seen: string[] = [];
    for await (const { sequence } of client({ maxRetries: 0 }).events()) if (seen.push(sequence ?? '') === count) break;
    return seen;
  };

  it('resume after the last one, through ends, breaks and pages of a proxy', async () => {
    const steps: ((response: ServerResponse) => void)[] = [
      (response) => response.writeHead(200, STREAM).end(`: hello\r\nid: o:4\r\n\r\n${event(5, '\r\n')}`),
      (response) => response.writeHead(502, SOON).end(PAGE),
      (response) => problem(response, 429, 'TOO_MANY_STREAMS', SOON),
      (response) => {
        response.writeHead(200, STREAM).write(`${event(6)}id: o:7\ndata: {"seq`, () => response.destroy());
      },
      (response) => response.destroy(),
      (response) => response.writeHead(200, STREAM).end('event: end\ndata: {"reason":"shutdown"}\n\n'),
      (response) => {
        const text = new TextEncoder().encode(event(7).replace('"7"', '"7","ü":"é"'));
        response.writeHead(200, STREAM);
        for (const byte of text) response.write(Uint8Array.of(byte));
      },
    ];
    handler = (_, response, tries) => steps[tries - 1]?.(response);
    expect(await follow(3)).toEqual(['5', '6', '7']);
    const positions = received.map(({ headers }) => headers['last-event-id']);
    expect(positions).toEqual([undefined, 'o:5', 'o:5', 'o:5', 'o:6', 'o:6', 'o:6']);
  });

  it.each([
    [401, 'UNAUTHENTICATED'],
    [403, 'FORBIDDEN'],
    [410, 'REPLAY_EXPIRED'],
  ])('end with %d %s', async (status, code) => {
    handler = (_, response, tries) =>
      tries === 1 ? response.writeHead(200, STREAM).end(event(1)) : problem(response, status, code);
    expect(await failure(follow(2))).toMatchObject({ status, code });
  });

  it('end with the first connection, if that fails', async () => {
    handler = (_, response) => response.writeHead(502).end(PAGE);
    expect(await failure(follow(1))).toMatchObject({ status: 502, code: 'UNREACHABLE' });
    handler = (_, response) => json(response, 200, {});
    expect(await failure(follow(1))).toMatchObject({ code: 'UNREACHABLE' });
  });
});

describe('Waiting', () => {
  const DEPLOYMENT = { id: 'd', design_id: 'x', error: null };
  const statuses =
    (...all: string[]): Handler =>
    (_, response, tries) =>
      json(response, 200, { ...DEPLOYMENT, status: all[Math.min(tries, all.length) - 1] });

  it('tells each change, and resolves to the record at its end', async () => {
    handler = statuses('pending_approval', 'queued', 'queued', 'running', 'succeeded');
    const seen: string[] = [];
    const record = await client().waitFor({ deployment: 'd' }, { onProgress: ({ status }) => seen.push(status) });
    expect(record.status).toBe('succeeded');
    expect(seen).toEqual(['pending_approval', 'queued', 'running', 'succeeded']);
  });

  it.each(['failed', 'rolled_back', 'cancelled'])('throws when it was %s, with the record', async (status) => {
    handler = statuses('running', status);
    const error = await failure(client().waitFor({ deployment: 'd' }));
    expect(error).toMatchObject({ status: 409, problem: { deployment: { id: 'd', status } } });
  });

  it('throws the problem of the record', async () => {
    const error = { status: 422, code: 'DEPLOYMENT_FAILED', detail: 'The pod does not start.', remedy: 'Look at it.' };
    handler = (_, response) => json(response, 200, { ...DEPLOYMENT, status: 'failed', error });
    expect(await failure(client().waitFor({ deployment: 'd' }))).toMatchObject({
      status: 422,
      code: 'DEPLOYMENT_FAILED',
      message: 'The pod does not start.',
      remedy: 'Look at it.',
    });
  });

  it('ends in time, and by its signal', async () => {
    handler = statuses('running');
    expect(await failure(client().waitFor({ deployment: 'd' }, { timeout: 200 }))).toMatchObject({ code: 'TIMEOUT' });
    const signal = AbortSignal.timeout(100);
    await expect(client().waitFor({ operation: 'o' }, { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('A request', () => {
  it('names the client and its version', async () => {
    handler = (_, response) => json(response, 200, {});
    await client().listEnvironments();
    expect(received[0]?.headers['user-agent']).toMatch(/^armature-client\/\d+\.\d+\.\d+ node\/\d+/);
  });

  it('goes below the path of the address, its values encoded', async () => {
    handler = (_, response) => json(response, 200, {});
    const armature = client({ baseUrl: `${address()}/armature/` });
    await armature.getEnvironment({ path: { id: '../a b?' }, query: { orgID: 'é&' } });
    await armature.request('get', '/api/environments?page=1', { query: { filter: { status: 'active' }, a: [1, 2] } });
    expect(received.map(({ method, url }) => `${method} ${decodeURIComponent(url)}`)).toEqual([
      'GET /armature/api/environments/../a b??orgID=é&',
      'GET /armature/api/environments?page=1&filter={"status":"active"}&a=1&a=2',
    ]);
    expect(received[0]?.url).toContain('/..%2Fa%20b%3F?orgID=%C3%A9%26');
  });

  it('goes nowhere else than to the server', async () => {
    const armature = client();
    for (const id of ['', '.', '..', undefined as unknown as string])
      await expect(armature.getEnvironment({ path: { id } })).rejects.toThrow('path.id is needed');
    for (const path of ['http://127.0.0.1:9/api', '@127.0.0.1:9/api', '.evil.example/api'])
      await expect(armature.request('GET', path)).rejects.toThrow(TypeError);
    for (const baseUrl of ['ftp://a', 'a', 'http://u:secret@a', 'http://a?b=c'])
      expect(() => new Armature({ baseUrl })).toThrow(/^baseUrl is the address of the server(?!.*secret)/s);
    expect(received).toEqual([]);
  });

  it('returns status, headers and data, also for 204 and 304', async () => {
    handler = (_, response) => response.writeHead(304, { etag: '"1"' }).end();
    const { status, headers, data } = await client().request('GET', '/api/x', { headers: { 'If-None-Match': '"1"' } });
    expect([status, headers.get('etag'), data]).toEqual([304, '"1"', undefined]);
    handler = (_, response) => response.writeHead(204).end();
    expect(await client().request('DELETE', '/api/x')).toMatchObject({ status: 204, data: undefined });
  });

  it('has its address and token from the environment', async () => {
    handler = (_, response) => json(response, 200, {});
    process.env.ARMATURE_SERVER = address();
    process.env.ARMATURE_TOKEN = 'of-the-environment';
    try {
      await new Armature().listEnvironments();
    } finally {
      delete process.env.ARMATURE_SERVER;
      delete process.env.ARMATURE_TOKEN;
    }
    expect(received[0]?.headers.authorization).toBe('Bearer of-the-environment');
    expect(() => new Armature()).toThrow('baseUrl');
  });
});

describe('Signing in', () => {
  it('sends a refused password once', async () => {
    handler = (request, response) => {
      const isFirst = received.filter(({ url }) => url === '/api/auth/login').length === 1;
      if (request.url === '/api/auth/login' && isFirst)
        return json(response, 200, { access_token: 'a', refresh_token: 'b' });
      problem(response, 401, 'UNAUTHENTICATED');
    };
    const armature = await Armature.signIn({ baseUrl: address(), email: 'a@example.org', password: 'former' });
    for (let call = 0; call < 5; call++)
      expect(await failure(armature.listEnvironments())).toMatchObject({ status: 401 });
    expect(received.filter(({ url }) => url === '/api/auth/login')).toHaveLength(2);
  });
});

describe('Subscriptions', () => {
  it('that their consumer does not keep up with are opened again', async () => {
    const sockets: Socket[] = [];
    class Socket {
      onopen = (): void => undefined;
      onmessage = (_: { data: string }): void => undefined;
      onerror = null;
      onclose = (_: { code: number; reason: string }): void => undefined;

      constructor() {
        sockets.push(this);
        setTimeout(() => this.onopen());
      }

      send(text: string): void {
        const { type } = JSON.parse(text) as { type: string };
        const receive = (message: object): void => this.onmessage({ data: JSON.stringify(message) });
        if (type === 'connection_init') setTimeout(() => receive({ type: 'connection_ack' }));
        if (type !== 'subscribe') return;
        const many = sockets.length === 1 ? 10_002 : 1;
        setTimeout(() => {
          for (let n = 0; n < many; n++) receive({ type: 'next', payload: { data: { n: `${sockets.length}/${n}` } } });
        });
      }

      close(): void {
        setTimeout(() => this.onclose({ code: 1000, reason: '' }));
      }
    }
    const seen: string[] = [];
    for await (const { n } of client({ webSocket: Socket }).subscribe<{ n: string }>('subscription { n }')) {
      seen.push(n);
      if (n.startsWith('2/')) break;
    }
    expect(seen).toHaveLength(10_002);
    expect(seen.at(-1)).toBe('2/0');
    expect(sockets).toHaveLength(2);
  });
});
