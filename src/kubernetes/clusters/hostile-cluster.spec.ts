import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Outbound } from '../../core/outbound/outbound.service.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { ClusterClient } from './cluster-client.js';
import { type ResourceKind } from './discovery.js';

const MB = 1024 * 1024;
const KIND: ResourceKind = {
  apiVersion: 'v1',
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  verbs: ['list'],
  subresources: [],
  preferred: true,
};

/** A server on loopback that responds as no cluster does, to block or flood its client. */
describe('A cluster that means harm', () => {
  const pool = new WorkerPool({ size: 1, timeLimit: 20_000, memory: 512 });
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let sent = 0;
  let server: Server;
  let client: ClusterClient;
  let impatient: ClusterClient;

  beforeAll(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const outbound = new Outbound({ allow: [], connections: 'private', production: false });
    const access = { server: `http://127.0.0.1:${port}`, tls: {}, user: {} };
    client = new ClusterClient(access, outbound, pool, { attempts: 1 });
    impatient = new ClusterClient(access, outbound, pool, { answerTimeoutMs: 500, attempts: 1 });
  });
  beforeEach(() => {
    sent = 0;
    client.invalidateKinds();
  });
  afterAll(async () => {
    await Promise.all([client.close(), impatient.close()]);
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await pool.close();
  });

  const head = (response: ServerResponse, status = 200, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
  /** Sends this much text as fast as it is read. @returns the number of characters read */
  const pour = async (response: ServerResponse, megabytes: number): Promise<void> => {
    const piece = Buffer.alloc(MB, '"x",');
    sent = 0;
    head(response).write('{"kind":"List","items":[');
    while (sent < megabytes * MB && !response.destroyed) {
      sent += piece.length;
      if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    }
    response.end('"x"]}');
  };
  const list = () => client.list(KIND);
  const configMap = (name: string, data: unknown = {}) => ({ metadata: { name }, data });

  it('is not read to the end of an answer of 60 MB', async () => {
    answer = (_, response) => void pour(response, 60);
    await expect(client.listKinds()).rejects.toMatchObject({ kind: 'tooLarge', status: 502 });
    expect(sent).toBeLessThan(40 * MB);
    sent = 0;
    await expect(client.get(KIND, 'a')).rejects.toMatchObject({ kind: 'tooLarge' });
    expect(sent).toBeLessThan(30 * MB);
  });

  it('is asked for less when a page is too large, and given up when that does not help', async () => {
    const limits: number[] = [];
    answer = ({ url = '' }, response) => {
      const limit = Number(new URL(url, 'http://x').searchParams.get('limit'));
      limits.push(limit);
      const items = Array.from({ length: limit }, (_, index) => configMap(`m${index}`, { value: 'x'.repeat(MB) }));
      head(response).end(JSON.stringify({ metadata: {}, items }));
    };
    expect(await list()).toHaveLength(10);
    expect(limits).toEqual([100, 10]);
    answer = (_, response) => void pour(response, 60);
    await expect(list()).rejects.toMatchObject({ kind: 'tooLarge' });
  });

  it('does not list for ever', async () => {
    const page = JSON.stringify({ metadata: { continue: 'more' }, items: [] });
    answer = (_, response) => head(response).end(page);
    await expect(list()).rejects.toMatchObject({
      kind: 'tooLarge',
      message: expect.stringContaining('pages') as string,
    });
  });

  it('is not inflated', async () => {
    const bomb = gzipSync(JSON.stringify(configMap('a', { value: ' '.repeat(50 * MB) })));
    answer = (_, response) => head(response, 200, { 'content-encoding': 'gzip' }).end(bomb);
    await expect(client.get(KIND, 'a')).rejects.toMatchObject({ kind: 'protocol' });
  });

  it('cannot keep a request by a byte now and then', async () => {
    answer = (_, response) => {
      head(response).write('{"metadata":{"name":"');
      const drip = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drip));
    };
    const began = performance.now();
    await expect(impatient.get(KIND, 'a')).rejects.toMatchObject({ kind: 'timeout', status: 504 });
    expect(performance.now() - began).toBeLessThan(10_000);
  });

  it.each([
    ['of too many values', configMap('a', Array(300_000).fill(0))],
    ['nested too deeply', JSON.parse(`${'['.repeat(2_000)}${']'.repeat(2_000)}`) as unknown],
    [
      'nested too deeply in much text',
      { data: 'x'.repeat(MB), in: JSON.parse('['.repeat(2_000) + ']'.repeat(2_000)) as unknown },
    ],
    ['that is null', null],
    ['without metadata', { metadata: null }],
    ['with metadata of other types', { metadata: { name: 'a', managedFields: 'x' } }],
  ])('has an object refused %s', async (_, body) => {
    answer = (__, response) => head(response).end(JSON.stringify(body));
    await expect(client.get(KIND, 'a')).rejects.toMatchObject({ kind: 'protocol', status: 502 });
  });

  it.each([
    ['no items', { items: 'x' }],
    ['items that are no objects', { items: [1] }],
  ])('has a list refused with %s', async (_, body) => {
    answer = (__, response) => head(response).end(JSON.stringify(body));
    await expect(list()).rejects.toMatchObject({ kind: 'protocol' });
  });

  it.each([
    ['of other types', { kind: 'APIGroupDiscoveryList', items: [{ metadata: {}, versions: 'x' }] }],
    ['without groups', { kind: 'APIGroupList' }],
  ])('has kinds refused %s', async (_, body) => {
    answer = (__, response) => head(response).end(JSON.stringify(body));
    await expect(client.listKinds()).rejects.toMatchObject({ kind: 'protocol' });
  });

  it('is not asked for ten thousand groups one by one', async () => {
    let asked = 0;
    const groups = Array.from({ length: 10_000 }, (_, index) => ({
      name: `g${index}.x`,
      versions: [{ version: 'v1' }],
    }));
    answer = (_, response) => {
      asked++;
      head(response).end(JSON.stringify({ kind: 'APIGroupList', groups }));
    };
    await expect(client.listKinds()).rejects.toMatchObject({ kind: 'tooLarge' });
    expect(asked).toBeLessThan(5);
  });

  it('keeps its errors short', async () => {
    const causes = Array(200).fill({
      reason: 'x'.repeat(5_000),
      message: 'y'.repeat(5_000),
      field: 'z'.repeat(5_000),
    });
    const status = { kind: 'Status', message: 'm'.repeat(100_000), details: { causes: causes.slice(0, 1) } };
    answer = (_, response) => head(response, 422).end(JSON.stringify(status));
    const short = (await list().catch((error: unknown) => error)) as Error;
    expect(short.message.length).toBeLessThan(5_000);
    answer = (_, response) => head(response, 422).end(JSON.stringify({ ...status, details: { causes } }));
    const large = (await list().catch((error: unknown) => error)) as Error;
    expect(large).toMatchObject({ kind: 'invalid', message: expect.stringContaining('answered 422') as string });
  });

  it('gets a large answer read in pieces that leave others their turns', async () => {
    const items = Array.from({ length: 100 }, (_, index) => configMap(`m${index}`, { value: 'x'.repeat(100_000) }));
    const whole = JSON.stringify({ metadata: {}, items });
    answer = (_, response) => head(response).end(whole);
    expect(await list()).toHaveLength(100);
    const names = (await client.listMetadata(KIND)).map(({ metadata }) => metadata.name);
    expect(names).toEqual(items.map(({ metadata }) => metadata.name));
  });
});
