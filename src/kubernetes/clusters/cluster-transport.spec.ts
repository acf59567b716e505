import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Outbound } from '../../core/outbound/outbound.service.js';
import { InlineTaskRunner } from '../../core/workers/task.js';
import { ClusterClient } from './cluster-client.js';

/** A misbehaving server on loopback, for failures that a real cluster does not produce on demand. */
describe('A cluster client against a difficult server', () => {
  const outbound = new Outbound({ allow: [], connections: 'private', production: false });
  let answer: (request: IncomingMessage, response: ServerResponse, count: number) => void;
  let count = 0;
  let server: Server;
  let client: ClusterClient;

  beforeAll(async () => {
    server = createServer((request, response) => answer(request, response, ++count));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const access = { server: `http://127.0.0.1:${port}/k8s/clusters/c1`, tls: {}, user: { token: 't' } };
    client = new ClusterClient(access, outbound, new InlineTaskRunner(), { answerTimeoutMs: 300, maxBytes: 10_000 });
  });

  beforeEach(() => {
    count = 0;
    client.invalidateKinds();
  });

  afterAll(async () => {
    await client.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  const json = (response: ServerResponse, status: number, body: unknown, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

  it('keeps the path of the server', async () => {
    answer = ({ url, headers }, response) => json(response, 200, { gitVersion: `${url} ${headers.authorization}` });
    expect((await client.version()).gitVersion).toBe('/k8s/clusters/c1/version Bearer t');
  });

  it.each([429, 503])('retries after %i when Retry-After asks for it', async (status) => {
    answer = (_, response, time) =>
      time < 3 ? json(response, status, {}, { 'retry-after': '0' }) : json(response, 200, { gitVersion: 'v1' });
    expect((await client.version()).gitVersion).toBe('v1');
    expect(count).toBe(3);
  });

  it('does not wait long, nor for ever', async () => {
    answer = (_, response) => json(response, 429, {}, { 'retry-after': '3600' });
    await expect(client.version()).rejects.toMatchObject({ kind: 'throttled' });
    expect(count).toBe(1);
    answer = (_, response) => json(response, 503, {}, { 'retry-after': '0' });
    await expect(client.version()).rejects.toMatchObject({ kind: 'unavailable' });
    expect(count).toBe(5);
  });

  it('asks once more when a kept socket turns out to be dead', async () => {
    answer = ({ socket }, response, time) =>
      time === 1 ? socket.destroy() : json(response, 200, { gitVersion: 'v1' });
    expect((await client.version()).gitVersion).toBe('v1');
  });

  it('sends again what may be sent twice, and tells of a refusal that it may have been carried out before', async () => {
    const maps = {
      apiVersion: 'v1',
      group: '',
      version: 'v1',
      kind: 'ConfigMap',
      plural: 'configmaps',
      namespaced: false,
    };
    const kind = { ...maps, verbs: [], subresources: [], preferred: true };
    const wanted = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
    const apply = () => client.apply(kind, wanted, { fieldManager: 'x' });
    answer = ({ socket }, response, time) => {
      if (time === 1) socket.destroy();
      else if (time < 4) json(response, 503, {}, { 'retry-after': '0' });
      else json(response, 200, wanted);
    };
    expect(await apply()).toEqual({ object: wanted, warnings: [], isCreated: false });
    expect(count).toBe(4);
    for (const status of [200, 201]) {
      answer = (_, response) => json(response, status, wanted);
      expect(await apply()).toEqual({ object: wanted, warnings: [], isCreated: status === 201 });
    }

    count = 0;
    answer = ({ socket }, response, time) => (time === 1 ? socket.destroy() : json(response, 409, {}));
    await expect(apply()).rejects.toMatchObject({ kind: 'conflict', answered: 409, mayHaveRun: true });
    count = 0;
    answer = (_, response) => json(response, 409, {});
    await expect(apply()).rejects.toMatchObject({ kind: 'conflict', mayHaveRun: false });

    count = 0;
    answer = ({ socket }) => socket.destroy();
    await expect(client.create(kind, wanted)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(count).toBe(1);
    await expect(client.delete(kind, 'a', undefined)).rejects.toMatchObject({ kind: 'unreachable' });
    expect(count).toBe(2);
  });

  it('keeps its connection after a deletion, which has a body', async () => {
    const sockets = new Set<unknown>();
    answer = ({ socket }, response) => {
      sockets.add(socket);
      json(response, 200, { kind: 'Status' });
    };
    const kind = { apiVersion: 'v1', group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' };
    const known = { ...kind, namespaced: true, verbs: [], subresources: [], preferred: true };
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      expect(await client.delete(known, name, 'default', { uid: name })).toEqual({ isGone: true });
    // One that an earlier request has left may be used first.
    expect(sockets.size).toBeLessThan(3);
  });

  it('gives up on a server that says nothing, or stops in the middle', async () => {
    answer = () => undefined;
    await expect(client.version()).rejects.toMatchObject({ kind: 'timeout', status: 504, answered: undefined });
    answer = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{');
    await expect(client.version()).rejects.toMatchObject({ kind: 'timeout', status: 504 });
  });

  it('takes no answer without end', async () => {
    answer = (_, response) => json(response, 200, { gitVersion: 'x'.repeat(20_000) });
    await expect(client.version()).rejects.toMatchObject({ kind: 'tooLarge' });
  });

  it.each([
    [
      'a page of a proxy',
      (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    ],
    [
      'broken JSON',
      (response: ServerResponse) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"a'),
    ],
    [
      'a redirect',
      (response: ServerResponse) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    ],
  ])('does not take %s for a cluster', async (_, reply) => {
    answer = (__, response) => reply(response);
    await expect(client.version()).rejects.toMatchObject({ kind: 'protocol', status: 502 });
    await expect(client.listKinds()).rejects.toMatchObject({ kind: 'protocol' });
  });

  it('passes warnings on', async () => {
    const texts = '299 - "v1 Old is deprecated", 299 - "say \\"new\\""';
    answer = (_, response) => json(response, 200, { metadata: { name: 'a' } }, { warning: texts });
    const kind = { apiVersion: 'v1', group: '', version: 'v1', kind: 'Old', plural: 'olds', namespaced: false };
    const served = { ...kind, verbs: [], subresources: [], preferred: true };
    const wanted = { apiVersion: 'v1', kind: 'Old', metadata: { name: 'a' } };
    const { warnings } = await client.apply(served, wanted, { fieldManager: 'x' });
    expect(warnings).toEqual(['v1 Old is deprecated', 'say "new"']);
  });

  it('reads the discovery of clusters before 1.26', async () => {
    const resource = (name: string, kind: string, namespaced = true) => ({
      name,
      kind,
      namespaced,
      verbs: ['get', 'list'],
    });
    const pages: Record<string, unknown> = {
      '/api': { kind: 'APIVersions', versions: ['v1'] },
      '/apis': {
        kind: 'APIGroupList',
        groups: [
          { name: 'apps', versions: [{ version: 'v1beta1' }, { version: 'v1' }], preferredVersion: { version: 'v1' } },
          { name: 'down.example.com', versions: [{ version: 'v1' }] },
        ],
      },
      '/api/v1': {
        resources: [resource('pods', 'Pod'), resource('pods/status', 'Pod'), resource('nodes', 'Node', false)],
      },
      '/apis/apps/v1': { resources: [resource('deployments', 'Deployment')] },
      '/apis/apps/v1beta1': { resources: [resource('deployments', 'Deployment')] },
    };
    answer = ({ url = '' }, response) => {
      const page = pages[url.replace('/k8s/clusters/c1', '')];
      json(response, page ? 200 : 404, page ?? { kind: 'Status', code: 404 });
    };
    expect(await client.findKind('v1', 'Pod')).toMatchObject({
      plural: 'pods',
      subresources: ['status'],
      namespaced: true,
    });
    expect(await client.findKind('v1', 'Node')).toMatchObject({ namespaced: false });
    expect(await client.findKind('apps/v1', 'Deployment')).toMatchObject({ preferred: true });
    expect(await client.findKind('apps/v1beta1', 'Deployment')).toMatchObject({ preferred: false });
    expect(await client.listKinds()).toHaveLength(4);
  });
});
