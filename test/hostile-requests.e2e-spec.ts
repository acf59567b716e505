import { randomUUID } from 'node:crypto';
import net from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { WorkerPool } from '../src/core/workers/worker-pool.js';
import { RouteTable } from '../src/core/rest/route-table.js';
import { type Answer, type Json, Person } from './support/person.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const LOGIN = '/api/auth/login';
const PLACES = '/api/environments';
const JSON_TYPE = { 'content-type': 'application/json' };
const JSON_LINE = 'Content-Type: application/json\r\n';

/** What makes an environment. */
const place = (name: string) => ({ name, organization_id: world.organization });

const sizeOf = ({ body }: Answer): number => JSON.stringify(body).length;

/** Sends packed bytes as a body. */
async function sendPacked(person: Person, path: string, bytes: Uint8Array, encoding: string): Promise<Answer> {
  const response = await fetch(world.baseUrl + path, {
    method: 'POST',
    headers: {
      ...JSON_TYPE,
      'content-encoding': encoding,
      ...(person.token ? { authorization: `Bearer ${person.token}` } : {}),
    },
    body: bytes as never,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

/** Says something over a plain connection; answers all that came back until it was closed or quiet. */
function say(text: string | Buffer, quietMs = 500): Promise<string> {
  const { hostname, port } = new URL(world.baseUrl);
  return new Promise((resolve) => {
    let heard = '';
    const socket = net.connect(Number(port), hostname, () => socket.write(text));
    socket.setTimeout(quietMs, () => socket.destroy());
    socket.on('data', (chunk) => (heard += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
  });
}

const statusIn = (heard: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(heard)?.[1]);

describe('what is no request, or too large for one', () => {
  const problemIn = (heard: string): Json => JSON.parse(heard.slice(heard.indexOf('\r\n\r\n') + 4));

  it.each([
    ['headers beyond all limits', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(300_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
    ['bytes that are not HTTP', 'hello\r\n\r\n', 400, 'MALFORMED_REQUEST'],
  ])('is a problem: %s', async (_, text, status, code) => {
    const heard = await say(text);
    expect(statusIn(heard)).toBe(status);
    expect(heard).toMatch(/^Content-Type: application\/problem\+json/im);
    expect(problemIn(heard)).toMatchObject({ status, code, request_id: /x-request-id: (.*)\r/i.exec(heard)?.[1] });
  }); // prettier-ignore
});

describe('without a token', () => {
  it('nothing compressed is taken, so that 5 kB cannot become 5 MB', async () => {
    const bomb = gzipSync(JSON.stringify({ email: Array.from({ length: 400_000 }, () => '\ud800') }));
    const answer = await sendPacked(world.stranger, LOGIN, bomb, 'gzip');
    expect({ status: answer.status, remedy: answer.body.remedy }).toEqual({
      status: 415,
      remedy: 'Send the body as identity.',
    });
  });

  it('more than 16 kB are not read', async () => {
    const { status } = await world.stranger.post(LOGIN, { email: 'x'.repeat(17_000), password: 'x' });
    expect(status).toBe(413);
    const within = await world.stranger.post(LOGIN, { email: 'x@example.org', password: 'x'.repeat(1_000) });
    expect(within.status).toBe(401);
  });

  it('a field of the wrong type is refused before its elements are looked at', async () => {
    const email = Array.from({ length: 1_500 }, () => '\ud800');
    const answer = await world.stranger.post(LOGIN, { email, password: 'x' });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ pointer: '/email' }] } });
    expect(answer.body.errors).toHaveLength(1);
  });

  it('the body of an unknown path or of a closed route is not asked for', async () => {
    const ask = (path: string): Promise<string> =>
      say(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
      );
    expect(await ask('/api/nothing')).toMatch(/^HTTP\/1\.1 404 [^]*Connection: close/i);
    expect(await ask(PLACES)).toMatch(/^HTTP\/1\.1 401 [^]*Connection: close/i);
    expect(await ask(LOGIN)).toMatch(/^HTTP\/1\.1 100 Continue/);
  });

  it('a GraphQL call is refused before its body is read, however that looks', async () => {
    const answer = await world.stranger.post('/api/system/graphql/query', '{"query": [[[');
    expect(answer).toMatchObject({
      status: 200,
      body: { data: null, errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
    });
  });
});

describe('an answer', () => {
  it('lists at most 100 faults, of which the last reports how many more there are', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_200 }, (_, index) => [`f${index}`, 0]));
    const answer = await world.admin.post(PLACES, unknown);
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toHaveLength(100);
    expect(answer.body.errors[99]).toEqual({ detail: '1103 more faults are not listed' });
    const hundred = Object.fromEntries(Object.entries(unknown).slice(0, 98));
    const all = await world.admin.post(PLACES, hundred);
    expect(all.body.errors).toHaveLength(100);
    expect(all.body.errors.every(({ pointer }: Json) => typeof pointer === 'string')).toBe(true);
    expect(sizeOf(answer)).toBeLessThan(20_000);
  });

  it('names no member of a body that has more than any request, which no thread but the one that reads it receives', async () => {
    const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`field${index}`, 0]));
    const { status, body } = await world.admin.post(PLACES, many);
    const detail = 'has 40000 members, and no request has more than 1000';
    expect([status, body.errors]).toEqual([400, [{ pointer: '', detail }]]);
  });

  it('does not repeat what was sent a hundred times', async () => {
    const metadata = { ['k'.repeat(9_000)]: Array.from({ length: 150 }, () => '\0') };
    const answer = await world.admin.post(PLACES, { name: 'x', metadata });
    expect(answer.status).toBe(400);
    expect(sizeOf(answer)).toBeLessThan(100_000);
  });

  it('of GraphQL does not repeat a variable that it refuses', async () => {
    const query = 'query ($id: Int!) { fetchPatterns(page: $id) { page } }';
    const answer = await world.admin.graphql(query, { id: 'x'.repeat(90_000) });
    expect(answer.body.errors).toBeDefined();
    expect(sizeOf(answer)).toBeLessThan(20_000);
  });
});

describe('with a token', () => {
  it('a body that unpacks out of proportion is refused, one of real JSON is taken', async () => {
    const zeros = Buffer.from(`{"name":"${' '.repeat(4_000_000)}"}`);
    const refused = await sendPacked(world.admin, PLACES, brotliCompressSync(zeros), 'br');
    expect(refused).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } });
    const tooLarge = await sendPacked(world.admin, PLACES, gzipSync(Buffer.alloc(8_000_000, 'a1b2c3')), 'gzip');
    expect(tooLarge.status).toBe(413);
    const sound = gzipSync(JSON.stringify(place('packed')));
    expect((await sendPacked(world.admin, PLACES, sound, 'gzip')).status).toBe(201);
    expect((await sendPacked(world.admin, PLACES, Buffer.from('no gzip'), 'gzip')).status).toBe(400);
    expect((await sendPacked(world.admin, PLACES, sound, 'zstd')).status).toBe(415);
  });

  it('JSON nested 100,000 deep is refused by both APIs', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const rest = await world.admin.post(PLACES, `{"name":"x","metadata":{"a":${deep}}}`);
    expect(rest).toMatchObject({ status: 400, body: { detail: 'the body is nested deeper than 200 levels' } });
    const graphql = await world.admin.post(
      '/api/system/graphql/query',
      `{"query":"{__typename}","variables":{"a":${deep}}}`,
    );
    expect(graphql).toMatchObject({ status: 400, body: { data: null, errors: [{ message: expect.stringMatching(/nested/) as string }] } }); // prettier-ignore
  });

  it('a body of more values than any design has is refused', async () => {
    const { status, body } = await world.admin.post(
      PLACES,
      `{"name":"x","metadata":{"a":[${'0,'.repeat(1_100_000)}0]}}`,
    );
    expect({ status, detail: body.detail }).toEqual({ status: 413, detail: 'the body holds more than 1000000 values' });
  });

  it('large data for a field that is kept as data is refused by its name', async () => {
    const list = Array.from({ length: 100_000 }, (_, index) => `item ${index}`);
    const { status, body } = await world.admin.post(PLACES, { ...place('x'), metadata: { list } });
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [{ pointer: '/metadata', detail: 'must have at most 524288 bytes of JSON' }],
    });
  });

  it('text that no database keeps is found in large bodies too, by its place', async () => {
    const list = [...Array.from({ length: 20_000 }, (_, index) => `item ${index}`), 'bad\0'];
    const { status, body } = await world.admin.post(PLACES, { ...place('x'), metadata: { list } });
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [{ pointer: '/metadata/list/20000', detail: 'must not contain the NUL character' }],
    });
  });

  it('text that no database keeps is refused before the rules of its field read it', async () => {
    const users = `/api/identity/orgs/${world.organization}/users`;
    for (const email of ['\ud800', 'half\udfff@example.org', 'nul\0@example.org'])
      expect(await world.admin.post(users, { email, role: 'member' })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/email', detail: expect.stringMatching(/surrogate pair|NUL/) as string }] },
      });
  });

  it('a sound design of a megabyte is evaluated and made', async () => {
    const text = 'x'.repeat(900);
    const component = (index: number) => ({
      schemaVersion: 'components.meshery.io/v1beta1',
      displayName: `app-${index}`,
      component: { kind: 'ConfigMap', version: 'v1' },
      configuration: { data: { text } },
    });
    const components = Array.from({ length: 1_000 }, (_, index) => component(index));
    const design = { name: 'large', schemaVersion: 'designs.meshery.io/v1beta1', version: '0.0.1', components };
    const evaluated = await world.admin.post('/api/meshmodels/relationships/evaluate', { design });
    expect([evaluated.status, evaluated.body.design.components.length]).toEqual([200, 1_000]);
    const made = await world.admin.post('/api/pattern', { name: 'large', pattern_data: { design_file: design } });
    expect(made.status).toBe(201);
  });

  it('a small design in which patches copy without end is evaluated in a worker, and answered within its bound', async () => {
    const pod = (id: string) => ({ id, component: { kind: 'Pod', version: 'v1' }, configuration: { spec: id } });
    const copy = (from: string, to: string, name: string) => ({
      id: name,
      selectors: [
        {
          allow: {
            from: [{ id: from, patch: { mutatorRef: [['configuration']] } }],
            to: [{ id: to, patch: { mutatedRef: [['configuration', name]] } }],
          },
        },
      ],
    });
    const relationships = Array.from({ length: 25 }, (_, n) =>
      n % 2 ? copy('a', 'b', `k${n}`) : copy('b', 'a', `k${n}`),
    );
    const design = { name: 'copies', components: [pod('a'), pod('b')], relationships };
    const evaluated = world.admin.post('/api/meshmodels/relationships/evaluate', {
      design,
      options: { applyPatches: true },
    });
    const isInWorker = () =>
      world
        .get(WorkerPool)
        .listLoads()
        .some(({ lane, running }) => lane === 'own' && running > 0);
    await until(isInWorker);
    const answer = await evaluated;
    expect(answer).toMatchObject({ status: 200, body: { trace: { truncated: true } } });
    expect(sizeOf(answer)).toBeLessThan(20 * 1024 * 1024);
  });

  it('two spellings of one field that differ are refused', async () => {
    const { status, body } = await world.admin.post(PLACES, { ...place('x'), Name: 'y' });
    expect({ status, errors: body.errors }).toEqual({
      status: 400,
      errors: [{ pointer: '/Name', detail: 'is given more than once, in different spellings' }],
    });
  });

  it('a query parameter that is given twice is one fault', async () => {
    const { status, body } = await world.admin.get(`${PLACES}?search=a&search=b&order=name&order=name`);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { pointer: 'search', detail: 'must be given once' },
      { pointer: 'order', detail: 'must be given once' },
    ]);
  });

  it('a form is taken only where files are', async () => {
    expect((await world.admin.upload(PLACES, 'a.txt', 'a')).status).toBe(415);
    const fields = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, 'x']));
    expect((await world.admin.upload('/api/pattern/import', 'a.yaml', 'a: 1', fields)).status).toBe(413);
    expect(
      (await world.admin.upload('/api/pattern/import', 'a.yaml', 'a: 1', { name: 'x'.repeat(600_000) })).status,
    ).toBe(413);
  });

  it.each(['name[4294967290]', 'workspace_id[9999999]', 'name[]', 'name[a][b]', '__proto__[name]'])(
    'a field of a form has a plain name, not %s',
    async (name) => {
      const form = { [name]: 'x' };
      expect(await world.admin.upload('/api/pattern/import', 'a.yaml', 'a: 1', form)).toMatchObject({
        status: 400,
        body: { code: 'MALFORMED_FORM', detail: expect.stringContaining(`(${name})`) as unknown },
      });
    },
  );
});

describe('a form', () => {
  const importPath = '/api/pattern/import';
  const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n';

  it('has one file in a field', async () => {
    const form = new FormData();
    for (const name of ['a.yaml', 'b.yaml']) form.append('file', new Blob([manifest]), name);
    expect(await world.admin.call('POST', importPath, { body: form })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/file', detail: 'must be given once' }] },
    });
  });

  it('that is compressed itself, or has the file as text, says what to send', async () => {
    const form = new FormData();
    form.append('file', manifest);
    const compressed = { body: form, headers: { 'content-encoding': 'gzip' } };
    expect(await world.admin.call('POST', importPath, compressed)).toMatchObject({ status: 415 });
    expect(await world.admin.call('POST', importPath, { body: form })).toMatchObject({
      status: 400,
      body: {
        errors: [{ pointer: '/file', detail: 'is not base64' }],
        remedy: expect.stringContaining('multipart/form-data') as unknown,
      },
    });
  });
});

describe('a query', () => {
  it('with a page size given twice is refused by every list, which names it, and fails nowhere', async () => {
    const routes = world
      .get(RouteTable)
      .listRoutes()
      .filter(({ method, path }) => method === 'GET' && path.startsWith('/api/'))
      .filter(({ path }) => !/docs|openapi|playground|graphql|stream|subscribe/.test(path));
    const answers = await Promise.all(
      routes.map(async ({ path }) => {
        const asked = path.replace(/:\w+/g, randomUUID()).replace(/\*\w+/g, 'x');
        const { body: list } = await world.admin.get(`${asked}?pagesize=3`);
        const { status, body } = await world.admin.get(`${asked}?pagesize=1&pagesize=2`);
        const isList = (list as { page_size?: number }).page_size === 3;
        return { path, isList, status, pointer: body.errors?.[0]?.pointer as unknown };
      }),
    );
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    const lists = answers.filter(({ isList }) => isList);
    expect(lists.length).toBeGreaterThan(15);
    expect(lists.filter(({ status, pointer }) => status !== 400 || pointer !== 'pagesize')).toEqual([]);
  });

  it('of more than 8 kB is refused', async () => {
    expect((await world.admin.get(`${PLACES}?search=${'x'.repeat(9_000)}`)).status).toBe(414);
  });
});

describe('a request that is no HTTP as it should be', () => {
  it.each([
    '/api/environments/%',
    '/api/environments/%E0%A4%A',
    '/api/environments/%00',
    '/api/meshmodels/models/a%00b',
    '/api/meshmodels/models/%ff',
    '/api/environments?search=%00',
    '/api/environments?search=%ff%fe',
    '/api/environments?filter=%7B%22name%22%3A%22%5Cu0000%22%7D',
    '/api/environments?cursor=%00',
    '/%2e%2e/%2e%2e/etc/passwd',
    '//api//environments',
    '/healthz/%00',
    '/api/docs/%00',
    '/api/system/graphql/playground/%00',
  ])('GET %s is answered without a failure of ours', async (path) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'DELETE']) {
      const headers = { authorization: `Bearer ${world.admin.token}` };
      expect((await fetch(world.baseUrl + path, { method, headers })).status).toBeLessThan(500);
    }
  });

  it.each([
    ['bodies that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
    ['bodies that are empty', Buffer.from('')],
    ['bodies that are a number', Buffer.from('1')],
    ['bodies that are null', Buffer.from('null')],
    ['bodies that are a list', Buffer.from('[]')],
  ])('%s are 400', async (_, bytes) => {
    const response = await fetch(world.baseUrl + PLACES, {
      method: 'POST',
      headers: { ...JSON_TYPE, authorization: `Bearer ${world.admin.token}` },
      body: bytes as never,
    });
    expect(response.status).toBe(400);
  });

  it.each([
    ['Expect: banana', 417, 'EXPECTATION_FAILED'],
    ['Expect: banana, 100-continue', 417, 'EXPECTATION_FAILED'],
    ['Transfer-Encoding: gzip, chunked', 501, 'UNKNOWN_CODING'],
    ['Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked', 501, 'UNKNOWN_CODING'],
  ])(
    'with "%s" is refused in the shape of the errors of each path, and its connection closed',
    async (header, status, code) => {
      for (const path of [LOGIN, PLACES, '/api/system/graphql/query', '/api/nothing', '/healthz/live', '/nowhere']) {
        const body = /Transfer/.test(header) ? '2\r\n{}\r\n0\r\n\r\n' : '';
        const length = body ? '' : 'Content-Length: 0\r\n';
        const answer = await say(`POST ${path} HTTP/1.1\r\nHost: x\r\n${JSON_LINE}${length}${header}\r\n\r\n${body}`);
        expect({ path, answer }).toMatchObject({ path, answer: expect.stringMatching(`^HTTP/1.1 ${status} `) });
        expect(answer).toMatch(/^Connection: close\r$/im);
        expect(answer).toMatch(
          /graphql/.test(path) ? /^Content-Type: application\/json/im : /^Content-Type: application\/problem\+json/im,
        );
        expect(answer).toContain(`"code":"${code}"`);
        expect(answer.match(/^HTTP\/1\.1 /gm)).toHaveLength(1);
      }
    },
  );

  it('of HTTP/1.0 is asked for no body, and has none in chunks', async () => {
    const head = `POST ${LOGIN} HTTP/1.0\r\n${JSON_LINE}`;
    expect(await say(`${head}Content-Length: 2\r\nExpect: 100-continue\r\n\r\n{}`)).toMatch(/^HTTP\/1\.1 400 /);
    const chunked = await say(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
    expect(chunked).toMatch(/^HTTP\/1\.1 400 [^]*"HTTP\/1\.0 has no Transfer-Encoding"/);
  });

  it('is answered 400, 417 or 431 by the parser of Node', async () => {
    expect(statusIn(await say(`GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(120_000)}\r\n\r\n`))).toBe(431);
    expect(statusIn(await say('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx'))).toBe(
      400,
    );
    expect(statusIn(await say('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'))).toBe(400); // prettier-ignore
    expect(statusIn(await say('GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\n\r\n'))).toBe(417);
    expect(statusIn(await say('\0\0\0\0\r\n\r\n'))).toBe(400);
  });

  it('has a bounded time for its headers and its body', () => {
    const { headersTimeout, requestTimeout } = world.app.getHttpServer() as {
      headersTimeout: number;
      requestTimeout: number;
    };
    expect({ headersTimeout, requestTimeout }).toEqual({ headersTimeout: 15_000, requestTimeout: 300_000 });
  });
});

it.each(['graphql-transport-ws', 'graphql-ws'])(
  'a socket of %s is closed for an id of an operation that each of its messages would repeat at length',
  async (protocol) => {
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(`${world.baseUrl.replace('http', 'ws')}/api/system/graphql/query`, protocol);
    const say = (message: object) => socket.send(JSON.stringify(message));
    const type = protocol === 'graphql-ws' ? 'start' : 'subscribe';
    const answered: string[] = [];
    socket.on('open', () =>
      say({ type: 'connection_init', payload: { Authorization: `Bearer ${world.admin.token}` } }),
    );
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { type: string; id?: string };
      if (message.type === 'connection_ack') say({ type, id: 'i'.repeat(255), payload: { query: '{ __typename }' } });
      if (message.type !== 'complete') return;
      answered.push(message.id ?? '');
      say({ type, id: 'i'.repeat(256), payload: { query: '{ __typename }' } });
    });
    const closed = await new Promise((resolve) =>
      socket.on('close', (code: number, reason: Buffer) => resolve([code, reason.toString()])),
    );
    expect(closed).toEqual([4400, 'The id has more than 255 characters']);
    expect(answered).toEqual(['i'.repeat(255)]);
  },
);

describe('a socket of older clients', () => {
  it('is closed when a message is nested 100,000 deep or larger than 100 kB', async () => {
    const close = async (text: string): Promise<number> => {
      const { WebSocket } = await import('ws');
      const socket = new WebSocket(`${world.baseUrl.replace('http', 'ws')}/api/system/graphql/query`, 'graphql-ws');
      socket.on('open', () => socket.send(text));
      return new Promise((resolve) => socket.on('close', resolve));
    };
    const deep = `${'['.repeat(45_000)}${']'.repeat(45_000)}`;
    expect(await close(`{"type":"connection_init","payload":{"a":${deep}}}`)).toBe(4400);
    expect(await close(`{"type":"connection_init","payload":{"a":"${'x'.repeat(110_000)}"}}`)).toBe(1009);
  });
});

describe('what is kept under an idempotency key', () => {
  const keyed = () => ({ headers: { 'idempotency-key': randomUUID() } });
  const replayed = ({ headers }: Answer): boolean => headers.get('idempotency-replayed') === 'true';

  it('is not answered to another token of the same user', async () => {
    const mint = async (scopes: string[]): Promise<Person> => {
      const { body } = await world.admin.post('/api/identity/tokens', { name: randomUUID(), scopes });
      return new Person(world.baseUrl, body.token as string);
    };
    const key = keyed();
    const body = { name: 'minted once', scopes: ['read'] };
    const first = await world.admin.post('/api/identity/tokens', body, key);
    expect(replayed(await world.admin.post('/api/identity/tokens', body, key))).toBe(true);
    const other = await (await mint(['read'])).post('/api/identity/tokens', body, key);
    expect({ status: other.status, replayed: replayed(other) }).toEqual({ status: 403, replayed: false });
    expect(JSON.stringify(other.body)).not.toContain(first.body.token);
  });

  it('is found again whatever the order of the members is', async () => {
    const key = keyed();
    const org = `"organization_id":"${world.organization}"`;
    const first = await world.admin.post(PLACES, `{${org},"name":"ordered","metadata":{"b":1,"a":[1,2],"1":0}}`, key);
    const again = await world.admin.post(PLACES, `{"metadata":{"1":0,"a":[1,2],"b":1}, "name":"ordered", ${org}}`, key);
    expect([first.status, again.status, again.body.id, replayed(again)]).toEqual([201, 201, first.body.id, true]);
    const other = await world.admin.post(PLACES, `{"metadata":{"1":0,"a":[2,1],"b":1}, "name":"ordered", ${org}}`, key);
    expect(other.status).toBe(422);
  });

  it('is not answered to who has been removed from the organization', async () => {
    const person = await world.person('admin');
    const key = keyed();
    expect((await person.post(PLACES, place('theirs'), key)).status).toBe(201);
    expect(replayed(await person.post(PLACES, place('theirs'), key))).toBe(true);
    await world.admin.delete(`/api/identity/orgs/${world.organization}/users/${person.id}`);
    const after = await person.post(PLACES, place('theirs'), key);
    expect({ refused: [403, 404].includes(after.status), replayed: replayed(after) }).toEqual({
      refused: true,
      replayed: false,
    });
  });

  describe('of a DELETE', () => {
    const create = async (by = world.admin): Promise<string> =>
      `${PLACES}/${(await by.post(PLACES, place('deleted once'))).body.id}`;
    const deleteTwice = async (path: string, key = keyed(), again = world.admin): Promise<[Answer, Answer]> => {
      const first = await world.admin.delete(path, key);
      return [first, await again.delete(path, key)];
    };

    it('is answered to its caller though the record is gone, and to nobody else', async () => {
      const path = await create();
      const key = keyed();
      const [first, second] = await deleteTwice(path, key);
      expect([first.status, second.status, replayed(second)]).toEqual([200, 200, true]);
      expect(second.body).toEqual(first.body);
      const other = await world.person('admin');
      for (const by of [other, new Person(world.baseUrl, null)])
        expect(replayed(await by.delete(path, key))).toBe(false);
      expect((await other.delete(path, key)).body.code).toBe('NOT_FOUND');
      expect((await world.admin.delete(path, keyed())).body.code).toBe('NOT_FOUND');
      expect((await world.admin.delete(`${path}?x=1`, key)).body.code).toBe('NOT_FOUND');
      expect((await world.admin.delete(path, { ...key, body: { x: 1 } })).status).toBe(422);
    });

    it('deletes nothing again once the record was restored', async () => {
      const path = await create();
      const key = keyed();
      await world.admin.delete(path, key);
      expect((await world.admin.post(`${path}/restore`)).status).toBe(200);
      expect(replayed(await world.admin.delete(path, key))).toBe(true);
      expect((await world.admin.get(path)).status).toBe(200);
    });

    it('of what was never there is 404 each time', async () => {
      const [first, second] = await deleteTwice(`${PLACES}/${randomUUID()}`);
      expect([first.status, second.status, replayed(second)]).toEqual([404, 404, false]);
    });

    it('is 404 once a claim without an answer is given up', async () => {
      const path = await create();
      const key = keyed();
      await world.admin.delete(path, key);
      await world.sql(
        `UPDATE idempotency_key SET answer = NULL, lease_until = now() - interval '1 second' WHERE key = $1`,
        [key.headers['idempotency-key']],
      );
      for (let n = 0; n < 2; n++) expect((await world.admin.delete(path, key)).status).toBe(404);
    });
  });

  it('has addresses of any length', async () => {
    const path = `${PLACES}?x=${randomUUID().repeat(150)}`;
    expect((await world.admin.post(path, place('long'), keyed())).status).toBe(201);
  });

  it('is bounded for each caller', async () => {
    const person = await world.person('admin');
    await world.sql(
      `INSERT INTO idempotency_key (caller, route, key, digest, answer, created_at)
       SELECT $1, 'r', n::text, 'd', '\\x00', now() - interval '1 hour' FROM generate_series(1, 2100) n`,
      [person.id],
    );
    const count = async (): Promise<unknown> => {
      const [row] = await world.sql<{ count: number; newest: number }>(
        `SELECT count(*)::int AS count, (count(*) FILTER (WHERE route <> 'r'))::int AS newest FROM idempotency_key WHERE caller = $1`,
        [person.id],
      );
      return row;
    };
    const post = async (index: number): Promise<void> =>
      expect((await person.post(PLACES, place(`newest ${index}`), keyed())).status).toBe(201);
    await post(0);
    expect(await count()).toEqual({ count: 2_000, newest: 1 });
    // The oldest are deleted once in a hundred calls.
    for (let index = 1; index < 100; index++) await post(index);
    expect(await count()).toEqual({ count: 2_099, newest: 100 });
    await post(100);
    expect(await count()).toEqual({ count: 2_000, newest: 101 });
  });
});

describe('what carries a secret', () => {
  it('is kept by nobody on its way', async () => {
    const signIn = await world.stranger.post(LOGIN, { email: 'admin@example.org', password: 'correct horse battery' });
    const answers = [
      signIn,
      await world.stranger.post('/api/auth/refresh', { refresh_token: signIn.body.refresh_token as string }),
      await world.admin.post('/api/identity/tokens', { name: 'secret', scopes: ['read'] }),
      await world.admin.get('/api/identity/tokens'),
      await world.admin.get('/api/integrations/credentials'),
      await world.admin.post(`/api/identity/orgs/${world.organization}/users`, {
        email: `${randomUUID()}@example.org`,
        role: 'member',
      }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200, 201]);
    expect(new Set(answers.map(({ headers }) => headers.get('cache-control')))).toEqual(new Set(['no-store']));
  });
});

describe('with the limit on calls', () => {
  let limited: World;
  beforeAll(async () => {
    limited = await World.start({
      RATE_LIMIT: 'on',
      LIMIT_REQUESTS_PER_MINUTE: '20',
      CORS_ORIGINS: 'https://a.example',
    });
  });
  afterAll(() => limited.stop());

  it('unknown paths, methods, documents, the playground and preflights count; probes do not', async () => {
    const asked: [string, string][] = [
      ['GET', '/api/nothing'],
      ['PATCH', PLACES],
      ['GET', '/api/docs'],
      ['GET', '/api/openapi.json'],
      ['GET', '/api/system/graphql/playground'],
      ['GET', '/healthz/nothing'],
      ['GET', '/favicon.ico'],
    ];
    const preflight = { 'access-control-request-method': 'POST', origin: 'https://a.example' };
    const call = async (method: string, path: string, headers?: Record<string, string>): Promise<number> =>
      (await limited.stranger.call(method, path, { headers })).status;
    for (let round = 0; round < 3; round++) for (const [method, path] of asked) await call(method, path);
    const statuses = await Promise.all(asked.map(([method, path]) => call(method, path)));
    expect(new Set([...statuses, await call('OPTIONS', PLACES, preflight)])).toEqual(new Set([429]));
    const graphql = await limited.stranger.graphql('{ __typename }');
    expect([graphql.status, graphql.body.data, graphql.headers.has('retry-after')]).toEqual([429, null, true]);
    expect(await call('GET', '/healthz/live')).toBe(200);
    expect((await limited.admin.get('/api/nothing')).status).toBe(404);
  });
});
