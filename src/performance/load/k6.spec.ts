import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttp2Server, createSecureServer, type ServerHttp2Stream } from 'node:http2';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createRawServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { AUTHORITY, CERTIFICATES, CERTIFIED_KEY } from '../../../test/support/certificates.js';
import { requires } from '../../../test/support/requirements.js';
import { SELF_SIGNED } from '../../../test/support/self-signed.js';
import { K6Load } from './k6.js';
import { toScript } from './k6-script.js';
import { mean, percentile } from './latency-histogram.js';
import type { GeneratorTask, LoadPlan } from './load-plan.js';
import { mergeSlices, type Slice } from './measurement.js';

interface Listening {
  listen: (port: number, host: string) => unknown;
  address: () => unknown;
  close: () => unknown;
}
const servers: Listening[] = [];
let scratch: string;

beforeAll(async () => (scratch = await mkdtemp(join(tmpdir(), 'k6-'))));
afterAll(async () => {
  for (const server of servers) {
    (server as Server).closeAllConnections?.();
    server.close();
  }
  await rm(scratch, { recursive: true });
});

async function listen(server: Listening, host = '127.0.0.1'): Promise<number> {
  servers.push(server);
  const listening = once(server as Server, 'listening');
  server.listen(0, host);
  await listening;
  return (server.address() as AddressInfo).port;
}

const FIXED = { protocol: 'http/1.1', method: 'GET', timeout: 2, seconds: 1, connections: 4, rate: 20 } as const;
const taskOf = (plan: Partial<LoadPlan>, rest: Partial<GeneratorTask> = {}): GeneratorTask => ({
  ...{ generator: 'k6', address: '127.0.0.1', headers: {}, body: '' },
  ...{ plan: { endpoint: 'http://127.0.0.1:1/', model: 'open', ...FIXED, ...plan } },
  ...rest,
});

async function drive(program: string, plan: Partial<LoadPlan>, rest?: Partial<GeneratorTask>) {
  const slices: Slice[] = [];
  await new K6Load({ ...taskOf(plan, rest), program }, (slice) => slices.push(slice)).run();
  return { ...mergeSlices(slices), slices };
}

describe('the script of k6', () => {
  it('holds what users enter as data, whatever it is', () => {
    const hostile = `"'\`\${x}\u2028\u2029\\</script>*/ //\n${'"); throw 1; ("'}`;
    const task = taskOf({ endpoint: `http://example.com/?q=${encodeURIComponent(hostile)}` }, { body: hostile });
    const script = toScript({ ...task, headers: { 'x-a': hostile } });
    const [first = ''] = script.split('\n');
    expect(script.split('\n').filter((line) => line.includes('throw 1'))).toEqual([first]);
    const literal = /^const task = JSON\.parse\((".*")\);$/.exec(first)?.[1] ?? '';
    expect(JSON.parse(JSON.parse(literal) as string)).toMatchObject({
      body: hostile,
      parameters: { headers: { 'x-a': hostile }, redirects: 0 },
      options: { hosts: { 'example.com': '127.0.0.1' }, maxRedirects: 0 },
    });
    expect(first).not.toMatch(/[\u2028\u2029]/);
  });
});

describe('load by k6', () => {
  /** A program in place of k6. */
  const program = async (name: string, source: string): Promise<string> => {
    const path = join(scratch, name);
    await writeFile(path, `#!${process.execPath}\n${source}`);
    await chmod(path, 0o700);
    return path;
  };

  it('is what k6 reports, second by second', async () => {
    const path = await program(
      'reported',
      `const at = (ms) => new Date(1e12 + ms).toISOString();
      const report = (metric, ms, value, tags = {}) =>
        console.log(JSON.stringify({ metric, type: 'Point', data: { time: at(ms), value, tags } }));
      console.log('{"type":"Metric","data":{"name":"latency"},"metric":"latency"}');
      report('begun', 0, 1);
      report('latency', 100, 50, { status: '200' });
      report('data_received', 100, 300);
      report('http_reqs', 100, 1);
      report('latency', 1200, 0, { failure: '1212' });
      report('dropped_iterations', 1300, 3);
      report('latency', 2500, 1400, { status: '500' });`,
    );
    const { slices } = await drive(path, { seconds: 2 });
    expect(
      slices.map(({ start, length, bytes, statuses, errors }) => [start, length, bytes, statuses, errors]),
    ).toEqual([
      [0, 1_000, 300, { '200': 1 }, {}],
      [
        ...[1_000, 1_000, 0, {}],
        { 'the connection was refused (ECONNREFUSED)': 1, 'not sent, as every connection was waiting': 3 },
      ],
      [2_000, 500, 0, { '500': 1 }, {}],
    ]);
    expect(slices.map(({ latencies }) => latencies.max)).toEqual([0.05, 0, 1.4]);
  });

  it('fails in the words of k6 when it has none to report', async () => {
    const broken = await program('broken', `console.error('no such option'); process.exit(105);`);
    await expect(drive(broken, {})).rejects.toThrow('no such option');
    const silent = await program('silent', '');
    await expect(drive(silent, {})).rejects.toThrow('k6 has no results');
    await expect(drive(join(scratch, 'missing'), {})).rejects.toThrow('ENOENT');
  });

  it('ends, and measures what makes sense, when its output is garbage, dated anywhere or without end', async () => {
    const path = await program(
      'garbage',
      `const report = (metric, time, value, tags = {}) =>
        console.log(JSON.stringify({ metric, type: 'Point', data: { time, value, tags } }));
      report('begun', '2026-01-01T00:00:00Z', 1);
      report('latency', 'soon', 50, { status: '200' });
      report('latency', '2026-01-01T00:00:00Z', 'long', { status: '200' });
      report('latency', '2026-01-01T00:00:00Z', -5, { status: '200' });
      report('latency', '2026-01-01T00:00:00.5Z', 50, { status: '200' });
      report('latency', '9999-01-01T00:00:00Z', 50, { status: '200' });
      for (let times = 0; times < 50; times++) process.stdout.write('x'.repeat(1e6));
      console.log('\\n{"metric":"unknown"');`,
    );
    const { slices, statuses, latencies } = await drive(path, { seconds: 2 });
    expect(statuses).toEqual({ '200': 2 });
    expect(latencies).toMatchObject({ count: 2, min: 0.05, max: 0.05 });
    expect(slices.length).toBeLessThan(100);
  });

  it('gets nothing of the environment and no secret among its arguments', async () => {
    const path = await program(
      'reported-much',
      `console.error(JSON.stringify([process.argv.slice(2), Object.keys(process.env)])); process.exit(1);`,
    );
    const error = await drive(path, {}, { headers: { authorization: 'hush' } }).catch((thrown: unknown) =>
      String(thrown),
    );
    expect(error).toContain('"--no-usage-report"');
    expect(error).toContain('"--address",""');
    expect(error).not.toContain('hush');
    expect(error).not.toContain('DATABASE');
    expect(error).not.toContain('PATH');
  });
});

/** In a second k6 sends 20 requests, and at times one more or less. */
const NEAR_20 = { asymmetricMatch: (count: number) => count >= 15 && count <= 25 } as unknown as number;

requires('K6_BIN', 'k6 itself', (k6) => {
  it('sends what was asked for, and nothing anywhere but to the address that was let through', async () => {
    const seen: IncomingMessage[] = [];
    const addresses: (string | undefined)[] = [];
    const port = await listen(
      createHttpServer((request, response) => {
        seen.push(request);
        addresses.push(request.socket.localAddress);
        response.writeHead(302, { location: `http://127.0.0.2:${port}/`, 'set-cookie': 'own=1' }).end('hello');
      }),
      '0.0.0.0',
    );
    const { statuses, errors, bytes, latencies } = await drive(
      k6,
      { endpoint: `http://moved.invalid:${port}/a?b=c#d`, method: 'POST' },
      { headers: { 'x-a': '1', cookie: 'a=b' }, body: 'text' },
    );
    expect({ statuses, errors }).toEqual({ statuses: { '302': NEAR_20 }, errors: {} });
    expect(bytes).toBeGreaterThan(20 * 100);
    expect(latencies.count).toBe(statuses['302']);
    expect(new Set(addresses.splice(0))).toEqual(new Set(['127.0.0.1']));
    expect(seen.at(-1)).toMatchObject({
      ...{ method: 'POST', url: '/a?b=c' },
      headers: { host: `moved.invalid:${port}`, 'x-a': '1', cookie: 'a=b', 'content-length': '4' },
    });
    // The address of the endpoint is another than the one that was let through.
    const elsewhere = await drive(k6, { endpoint: `http://127.0.0.2:${port}/` });
    expect(Object.keys(elsewhere.errors)).toEqual(['the address is refused']);
    const resolved = await drive(k6, { endpoint: `http://localhost:${port}/` }, { address: '127.0.0.3' });
    expect(resolved.statuses).toEqual({ '302': NEAR_20 });
    expect(new Set(addresses)).toEqual(new Set(['127.0.0.3']));
  }, 120_000);

  it('reaches addresses of IPv6', async () => {
    const port = await listen(
      createHttpServer((_, response) => response.end('hello')),
      '::1',
    );
    for (const host of ['[::1]', 'six.invalid'])
      expect(await drive(k6, { endpoint: `http://${host}:${port}/` }, { address: '::1' })).toMatchObject({
        statuses: { '200': NEAR_20 },
      });
  }, 120_000);

  it('goes as fast as the answers come in a closed model, up to its rate', async () => {
    const port = await listen(createHttpServer((_, response) => void setTimeout(() => response.end('hello'), 50)));
    const endpoint = `http://127.0.0.1:${port}/`;
    const free = await drive(k6, { endpoint, model: 'closed', rate: 5_000, seconds: 2 });
    expect(free.latencies.count).toBeLessThanOrEqual(4 * 2 * 20 + 8);
    expect(free.latencies.count).toBeGreaterThan(20);
    expect(mean(free.latencies)).toBeGreaterThan(0.045);
    const bounded = await drive(k6, { endpoint, model: 'closed', rate: 10, seconds: 2 });
    expect(bounded.latencies.count).toBeLessThanOrEqual(26);
    expect(bounded.slices.length).toBeGreaterThanOrEqual(2);
  }, 120_000);

  it('reports what could not be sent while a server stalls', async () => {
    const began = performance.now();
    const port = await listen(
      createHttpServer((_, response) => {
        setTimeout(() => response.end('hello'), Math.max(0, 1_000 - (performance.now() - began)));
      }),
    );
    const { latencies, statuses, errors } = await drive(k6, {
      ...{ endpoint: `http://127.0.0.1:${port}/`, connections: 2, seconds: 2 },
    });
    expect(Object.keys(errors)).toEqual(['not sent, as every connection was waiting']);
    expect(sum(statuses) + sum(errors)).toBeGreaterThanOrEqual(39);
    expect(percentile(latencies, 100)).toBeGreaterThan(0.3);
  }, 120_000);

  it('reports what goes wrong in the words of other generators', async () => {
    const closing = await listen(createRawServer((socket) => socket.on('error', () => undefined).destroy()));
    const garbage = await listen(
      createRawServer((socket) => void socket.on('error', () => undefined).end('what\r\n\r\n')),
    );
    const silent = await listen(createRawServer((socket) => socket.on('error', () => undefined)));
    const untrusted = await listen(createSecureServer({ ...SELF_SIGNED, allowHTTP1: true }));
    const reasons: Record<string, RegExp> = {
      [`http://127.0.0.1:${closing}/`]: /the connection was closed/,
      [`http://127.0.0.1:${garbage}/`]: /not HTTP/,
      [`http://127.0.0.1:${silent}/`]: /no response in time/,
      [`https://127.0.0.1:${untrusted}/`]: /certificate/,
      'http://127.0.0.1:1/': /refused/,
    };
    for (const [endpoint, reason] of Object.entries(reasons)) {
      const { latencies, errors } = await drive(k6, { endpoint, model: 'closed', timeout: 1 });
      const found = Object.keys(errors).some((kind) => reason.test(kind));
      expect({ endpoint, count: latencies.count, errors, found }).toMatchObject({ endpoint, count: 0, found: true });
    }
  }, 120_000);

  it('speaks the HTTP that was asked for, and trusts the authorities of the operator', async () => {
    const versions: string[] = [];
    const certified = { cert: CERTIFICATES.good, key: CERTIFIED_KEY };
    const both = await listen(
      createSecureServer({ ...certified, allowHTTP1: true }, (request, response) => {
        versions.push(request.httpVersion);
        response.end('hello');
      }),
    );
    const old = await listen(createHttpsServer(certified, (_, response) => void response.end('hello')));
    const bundle = join(scratch, 'authority.pem');
    await writeFile(bundle, AUTHORITY);
    const { NODE_EXTRA_CA_CERTS: before } = process.env;
    process.env['NODE_EXTRA_CA_CERTS'] = bundle;
    try {
      const endpoint = `https://localhost:${both}/`;
      expect(await drive(k6, { endpoint })).toMatchObject({ statuses: { '200': NEAR_20 } });
      expect(new Set(versions.splice(0))).toEqual(new Set(['1.1']));
      expect(await drive(k6, { endpoint, protocol: 'http/2' })).toMatchObject({ statuses: { '200': NEAR_20 } });
      expect(new Set(versions)).toEqual(new Set(['2.0']));
      const refused = await drive(k6, { endpoint: `https://localhost:${old}/`, protocol: 'http/2' });
      expect(refused).toMatchObject({ statuses: {}, errors: { 'the server does not speak HTTP/2': NEAR_20 } });
    } finally {
      if (before === undefined) delete process.env['NODE_EXTRA_CA_CERTS'];
      else process.env['NODE_EXTRA_CA_CERTS'] = before;
    }
  }, 120_000);

  it('checks the health of gRPC servers, with headers, in both models', async () => {
    const asked: unknown[] = [];
    const server = createHttp2Server();
    server.on('stream', (stream: ServerHttp2Stream, headers) => {
      asked.push([headers[':path'], headers['x-a']]);
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': asked.length % 2 ? '0' : '16' }));
      stream.resume().on('end', () => stream.end(Buffer.from([0, 0, 0, 0, 2, 8, 1])));
    });
    const port = await listen(server);
    const plan = { endpoint: `http://health.invalid:${port}/`, protocol: 'grpc' } as const;
    for (const model of ['open', 'closed'] as const) {
      const { statuses, errors, latencies } = await drive(k6, { ...plan, model }, { headers: { 'x-a': '1' } });
      expect(Object.keys({ ...statuses, ...errors }).sort()).toEqual(['OK', 'UNAUTHENTICATED']);
      expect(latencies.count).toBe(statuses['OK']);
      expect(sum(statuses) + sum(errors)).toBeLessThanOrEqual(24);
      expect(sum(statuses) + sum(errors)).toBeGreaterThan(4);
    }
    expect(asked[0]).toEqual(['/grpc.health.v1.Health/Check', '1']);
    const elsewhere = await drive(k6, { ...plan, endpoint: `http://127.0.0.2:${port}/`, timeout: 1 });
    expect(elsewhere.latencies.count).toBe(0);
    expect(elsewhere.errors).not.toEqual({});
  }, 120_000);
});

const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, each) => total + each, 0);
