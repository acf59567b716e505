import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { request } from 'undici';
import { Outbound } from './outbound.service.js';

const SETTINGS = { connections: 'private', production: false } as const;

describe('Outbound', () => {
  const strict = new Outbound({ ...SETTINGS, allow: [] });
  const trusting = new Outbound({ ...SETTINGS, allow: ['127.0.0.0/8'] });
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const seen: IncomingMessage[] = [];
  let server: Server;
  let origin: string;

  beforeAll(async () => {
    server = createServer((incoming, response) => {
      seen.push(incoming);
      answer(incoming, response);
    });
    await new Promise<void>((done) => server.listen(0, '0.0.0.0', done));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  beforeEach(() => {
    seen.length = 0;
    answer = (_, response) => response.end('hello');
  });

  afterAll(async () => {
    await Promise.all([strict.close(), trusting.close()]);
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  it('asks a proxy that hangs up once, and says so', async () => {
    let asked = 0;
    const hangUp = createServer().on('connect', (_, socket) => {
      asked++;
      socket.end();
    });
    await new Promise<void>((done) => hangUp.listen(0, '127.0.0.1', done));
    const proxy = `http://127.0.0.1:${(hangUp.address() as AddressInfo).port}`;
    const dispatcher = trusting.createDispatcher({ policy: 'connection', proxy });
    await expect(request('https://cluster.example.org/version', { dispatcher })).rejects.toMatchObject({
      code: 'PROXY_CLOSED',
    });
    expect(asked).toBe(1);
    await dispatcher.destroy();
    hangUp.close();
  });

  it('uses no proxy of the environment', async () => {
    const variables = { HTTP_PROXY: 'http://127.0.0.1:1', http_proxy: 'http://127.0.0.1:1', NODE_USE_ENV_PROXY: '1' };
    const kept = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
    Object.assign(process.env, variables);
    try {
      const direct = new Outbound({ ...SETTINGS, allow: ['127.0.0.0/8'] });
      expect(await direct.fetch(origin, { policy: 'user' })).toMatchObject({ status: 200 });
      await direct.close();
      expect(seen.map(({ url }) => url)).toEqual(['/']);
    } finally {
      for (const [name, value] of Object.entries(kept))
        if (value === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = value;
    }
  });

  it.each([
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '127.1',
    '0177.0.0.1',
    '[::ffff:7f00:1]',
    'localhost.',
    'LOCALHOST',
    '①②⑦.⓪.⓪.①',
  ])('knows this machine by the name %s, also behind a redirect', async (host) => {
    const url = origin.replace('127.0.0.1', host);
    // Some systems do not resolve this name.
    const code = expect.stringMatching(host === 'localhost.' ? /^OUTBOUND_/ : /^OUTBOUND_REFUSED$/) as string;
    await expect(strict.fetch(url, { policy: 'user' })).rejects.toMatchObject({ code });
    const onlyOne = new Outbound({ ...SETTINGS, allow: ['127.0.0.1/32'] });
    answer = (_, response) => response.writeHead(302, { location: 'http://127.0.0.2:1/' }).end();
    await expect(onlyOne.fetch(origin, { policy: 'user' })).rejects.toMatchObject({ code: 'OUTBOUND_REFUSED' });
    await onlyOne.close();
    expect(seen).toHaveLength(1);
  });

  it.each(['169.254.169.254', '168.63.129.16', '0xa83f8110', '2822734096', '[64:ff9b::a83f:8110]', '[fd00:ec2::254]'])(
    'refuses the metadata address %s, whatever is allowed',
    async (host) => {
      // Checked without a call, which would leave this machine if the guard failed.
      const open = new Outbound({ ...SETTINGS, allow: ['0.0.0.0/0', '::/0', '168.63.129.16/32'] });
      for (const policy of ['user', 'connection'] as const)
        await expect(open.assertAllowed(`http://${host}/`, policy)).rejects.toMatchObject({ code: 'OUTBOUND_REFUSED' });
      await open.close();
    },
  );

  it('reads an answer', async () => {
    const { status, bytes, url } = await trusting.fetch(`${origin}/a`, { policy: 'user' });
    expect([status, bytes.toString(), url]).toEqual([200, 'hello', `${origin}/a`]);
  });

  it.each([
    'http://127.0.0.1:1/',
    'http://localhost:1/',
    'http://0x7f.1/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
  ])('does not call %s for a user', async (url) => {
    await expect(strict.fetch(url, { policy: 'user' })).rejects.toMatchObject({
      status: 400,
      code: 'OUTBOUND_REFUSED',
    });
    await expect(strict.assertAllowed(url, 'user')).rejects.toMatchObject({ status: 400, code: 'OUTBOUND_REFUSED' });
    expect(seen).toHaveLength(0);
  });

  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/plain,a',
    'nonsense',
    'http://user:secret@example.com/',
  ])('does not take %s for a URL to call', async (url) => {
    await expect(trusting.fetch(url, { policy: 'user' })).rejects.toMatchObject({ code: 'OUTBOUND_REFUSED' });
  });

  it('calls loopback for a connection outside production', async () => {
    expect((await strict.fetch(origin, { policy: 'connection' })).status).toBe(200);
    const inProduction = new Outbound({ allow: [], connections: 'private', production: true });
    await expect(inProduction.fetch(origin, { policy: 'connection' })).rejects.toMatchObject({
      code: 'OUTBOUND_REFUSED',
    });
  });

  it('follows redirects and keeps credentials to their own origin', async () => {
    const { port } = server.address() as AddressInfo;
    answer = (incoming, response) => {
      if (incoming.url === '/a') response.writeHead(302, { location: `http://127.0.0.2:${port}/b` }).end();
      else response.end('there');
    };
    const { bytes } = await trusting.fetch(`${origin}/a`, {
      policy: 'user',
      headers: { Authorization: 'Bearer x', 'X-A': '1' },
    });
    expect(bytes.toString()).toBe('there');
    expect(seen[0]?.headers.authorization).toBe('Bearer x');
    expect(seen[1]?.headers).toMatchObject({ 'x-a': '1' });
    expect(seen[1]?.headers.authorization).toBeUndefined();
  });

  it('checks every hop of a redirect', async () => {
    for (const location of ['http://169.254.169.254/latest/meta-data', 'http://10.0.0.1/', 'file:///etc/passwd']) {
      answer = (_, response) => response.writeHead(302, { location }).end();
      await expect(trusting.fetch(origin, { policy: 'user' })).rejects.toMatchObject({ code: 'OUTBOUND_REFUSED' });
    }
  });

  it('gives up after five redirects, and returns the redirect when it may follow none', async () => {
    answer = (_, response) => response.writeHead(307, { location: '/again' }).end();
    await expect(trusting.fetch(origin, { policy: 'user' })).rejects.toMatchObject({
      status: 502,
      code: 'OUTBOUND_FAILED',
    });
    expect(seen).toHaveLength(6);
    expect(await trusting.fetch(origin, { policy: 'user', redirects: 0 })).toMatchObject({
      status: 307,
      headers: { location: '/again' },
    });
  });

  it('turns a redirected POST into a GET without its body', async () => {
    answer = (incoming, response) =>
      incoming.url === '/' ? response.writeHead(303, { location: '/b' }).end() : response.end();
    await trusting.fetch(origin, {
      policy: 'user',
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(seen[1]).toMatchObject({ method: 'GET' });
    expect(seen[1]?.headers['content-type']).toBeUndefined();
  });

  it('bounds size and time', async () => {
    answer = (_, response) => response.end(Buffer.alloc(2_000));
    const limit = { maxBytes: 1_000, maxBytesSetting: 'LIMIT_UPLOAD_BYTES' } as const;
    await expect(trusting.fetch(origin, { policy: 'user', ...limit })).rejects.toMatchObject({
      code: 'OUTBOUND_TOO_LARGE',
      remedy: expect.stringContaining('LIMIT_UPLOAD_BYTES') as string,
    });
    answer = (_, response) => response.write('slow');
    await expect(trusting.fetch(origin, { policy: 'user', timeoutMs: 100 })).rejects.toMatchObject({
      status: 504,
      code: 'OUTBOUND_TIMEOUT',
    });
  });

  it('names a server that cannot be called', async () => {
    await expect(trusting.fetch('http://127.0.0.1:1/', { policy: 'user' })).rejects.toMatchObject({
      status: 502,
      code: 'OUTBOUND_FAILED',
    });
    await expect(trusting.fetch('http://no-such-name.invalid/', { policy: 'user' })).rejects.toMatchObject({
      status: 502,
    });
  });

  it.each([
    ['is no HTTP', 'SSH-2.0-server\r\n\r\n', 'the response is not HTTP'],
    [
      'has a header without end',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(70_000)}\r\n\r\n`,
      'the header of the response is too large',
    ],
  ])('says of an answer that it %s', async (_, text, reason) => {
    answer = (_incoming, { socket }) => void socket?.end(text);
    await expect(trusting.fetch(origin, { policy: 'user' })).rejects.toMatchObject({
      code: 'OUTBOUND_FAILED',
      message: expect.stringContaining(reason) as string,
    });
  });

  it('lets the caller give up', async () => {
    answer = () => undefined;
    const controller = new AbortController();
    const call = trusting.fetch(origin, { policy: 'user', signal: controller.signal });
    controller.abort(new Error('no longer wanted'));
    await expect(call).rejects.toThrow('no longer wanted');
  });

  it('guards long-lived clients, their proxies too', async () => {
    const guarded = strict.createDispatcher({ policy: 'user' });
    await expect(request(origin, { dispatcher: guarded })).rejects.toMatchObject({ code: 'OUTBOUND_REFUSED' });
    const proxied = strict.createDispatcher({ policy: 'user', proxy: origin });
    await expect(request('https://example.com/', { dispatcher: proxied })).rejects.toMatchObject({
      code: 'OUTBOUND_REFUSED',
    });
    expect(() => strict.createDispatcher({ policy: 'user', proxy: 'socks5://127.0.0.1:1080' })).toThrow('proxy');
    await Promise.all([guarded.close(), proxied.close()]);
  });
});
