import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import { definitionYaml } from '../src/generators/generator-source.fixture.js';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import type { Answer, Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { testRunFolder } from './support/test-run.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

const CONNECTIONS = '/api/integrations/connections';
const servers: Server[] = [];
let world: World;

beforeAll(async () => (world = await World.start({ CLUSTER_INSECURE_TLS: 'true' })));
afterAll(async () => {
  for (const server of servers) server.close();
  await world.stop();
});

interface Context {
  server: string;
  cluster?: object;
  user?: object;
  userName?: string;
  namespace?: string;
}

/** A kubeconfig of these contexts, as the object it stands for. */
function kubeconfig(contexts: Record<string, Context>): object {
  const names = Object.entries(contexts);
  return {
    apiVersion: 'v1',
    kind: 'Config',
    contexts: names.map(([name, { userName, namespace }]) => ({
      name,
      context: { cluster: name, user: userName ?? name, ...(namespace ? { namespace } : {}) },
    })),
    clusters: names.map(([name, { server, cluster }]) => ({ name, cluster: { server, ...cluster } })),
    users: [...new Map(names.map(([name, { user, userName }]) => [userName ?? name, user ?? { token: 'abc' }]))].map(
      ([name, user]) => ({ name, user }),
    ),
  };
}

const register = (config: unknown): Promise<Answer> =>
  world.admin.post('/api/system/kubernetes', { kubeconfig: config });
const ping = (id: string): Promise<Answer> => world.admin.post(`${CONNECTIONS}/${id}/ping`);

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('registering a kubeconfig', () => {
  it('judges each context by itself and is 200 whatever becomes of them', async () => {
    const away = 'https://127.0.0.1:1';
    const { status, body } = await register(
      kubeconfig({
        away: { server: away },
        exec: { server: away, user: { exec: { command: 'sh', args: ['-c', 'touch /tmp/owned'] } } },
        provider: { server: away, user: { 'auth-provider': { name: 'gcp' } } },
        file: { server: away, user: { tokenFile: '/etc/passwd' } },
        path: { server: away, cluster: { 'certificate-authority': '/etc/ssl/ca.pem' } },
        metadata: { server: 'https://169.254.169.254' },
        local: { server: 'https://[fe80::1]:6443' },
        proxy: { server: away, cluster: { 'proxy-url': 'http://169.254.169.254:80' } },
        spy: { server: away, cluster: { 'proxy-url': 'http://user:canary-password@10.0.0.1' } },
      }),
    );
    expect(status).toBe(200);
    expect(body.connected).toEqual([]);
    expect(body.registered).toMatchObject([
      { context: 'away', connection_id: expect.any(String), error: { code: 'CLUSTER_UNREACHABLE' } },
    ]);
    const failed = new Map<string, Json>(body.failed.map((each: Json) => [each.context, each.error]));
    for (const name of ['exec', 'provider', 'file', 'path'])
      expect(failed.get(name)).toMatchObject({ code: 'KUBECONFIG_UNSAFE', remedy: expect.any(String) });
    expect(failed.get('file').detail).toContain('tokenFile');
    expect(failed.get('file').remedy).toContain('service account');
    for (const name of ['metadata', 'local', 'proxy', 'spy'])
      expect(failed.get(name)).toMatchObject({ code: 'OUTBOUND_REFUSED' });
    for (const name of ['metadata', 'local', 'proxy'])
      expect(failed.get(name).remedy).toBe('Use another address: link-local and metadata addresses are never called.');
    expect(JSON.stringify(body)).not.toContain('canary');
  });

  it('takes the sound contexts beside entries that are broken', async () => {
    const config = kubeconfig({ sound: { server: 'https://127.0.0.1:1', userName: 'sound' } }) as Record<
      string,
      Json[]
    >;
    config.contexts!.push({ name: 'bare' }, { context: {} }, { name: 'lost', context: { cluster: 'nowhere' } });
    config.users!.push({ name: 'nobody', user: null }, { name: 'text', user: 'x' }, 'text');
    config.clusters!.push(null);
    const { status, body } = await register(config);
    expect(status).toBe(200);
    expect(body.registered).toMatchObject([{ context: 'sound', error: { code: 'CLUSTER_UNREACHABLE' } }]);
    const remedy = 'Correct the field, or leave the context out.';
    const code = 'KUBECONFIG_INVALID';
    expect(body.failed).toEqual([
      { context: 'bare', error: { code, detail: 'clusters has no entry, since the context names no cluster', remedy } },
      { context: 'contexts[2]', error: { code, detail: 'contexts.2 has no name', remedy } },
      { context: 'lost', error: { code, detail: 'clusters has no entry named nowhere', remedy } },
    ]);
    const many = { ...config, contexts: Array.from({ length: 101 }, (_, at) => ({ name: `c${at}`, context: {} })) };
    expect(await register(many)).toMatchObject({
      status: 400,
      body: { code, remedy: expect.stringContaining('at most 100 contexts at a time') },
    });
  });

  it('takes text, an object and a file, and refuses what is none', async () => {
    const config = kubeconfig({ ways: { server: 'https://127.0.0.1:1', userName: 'ways' } });
    const form = new FormData();
    form.set('k8sfile', new Blob([JSON.stringify(config)]), 'config');
    const answers = [
      await register(config),
      await register(JSON.stringify(config)),
      await world.admin.call('POST', `/api/system/kubernetes?orgId=${world.organization}`, { body: form }),
    ];
    const ids = answers.map(({ body }) => body.registered[0].connection_id as string);
    expect(new Set(ids).size).toBe(1);
    for (const body of [{ kubeconfig: 'hello' }, { kubeconfig: [] }, { kubeconfig: 7 }, {}, { kubeconfig: null }])
      expect(await world.admin.post('/api/system/kubernetes', body)).toMatchObject({ status: 400 });
  });

  it('asks members of several organizations which one is meant, and is for admins', async () => {
    const config = kubeconfig({ a: { server: 'https://127.0.0.1:1' } });
    const member = await world.person('member');
    expect((await member.post('/api/system/kubernetes', { kubeconfig: config })).status).toBe(403);
    const outsider = await world.outsider();
    expect(await outsider.post('/api/system/kubernetes', { kubeconfig: config })).toMatchObject({ status: 200 });
    const foreign = { kubeconfig: config, organization_id: world.organization };
    expect((await outsider.post('/api/system/kubernetes', foreign)).status).toBe(404);
  });

  it('keeps contexts that differ in their namespace apart, and knows each of them again', async () => {
    const server = 'https://127.0.0.1:2';
    const config = (names: string[]): object =>
      kubeconfig(Object.fromEntries(names.map((name) => [name, { server, userName: 'one', namespace: name }])));
    const ids = ({ body }: Answer): Record<string, string> =>
      Object.fromEntries(body.registered.map((each: Json) => [each.context, each.connection_id as string]));
    const first = ids(await register(config(['red', 'blue'])));
    expect(first['red']).not.toBe(first['blue']);
    expect(ids(await register(config(['blue', 'red'])))).toEqual(first);
    expect(ids(await register(config(['green'])))).toEqual({ green: first['red'] });
  });

  it('pings the clusters of all contexts at the same time', async () => {
    const names = ['first', 'second', 'third', 'fourth', 'fifth'];
    const waiting: (() => void)[] = [];
    /** Holds the calls back until all clusters are called; otherwise they would time out one after the other. */
    const server = await serve(({ url }, response) => {
      const respond = (): void =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end('{"gitVersion":"v1.36.0"}');
      if (url !== '/version') return respond();
      waiting.push(respond);
      if (waiting.length === names.length) for (const each of waiting) each();
    });
    const { body } = await register(kubeconfig(Object.fromEntries(names.map((name) => [name, { server }]))));
    expect(body).toMatchObject({ registered: [], failed: [] });
    expect(body.connected.map(({ context }: Json) => context)).toEqual(names);
  }, 60_000);

  it('of one cluster by ten callers at once makes one connection', async () => {
    const config = kubeconfig({ raced: { server: 'https://127.0.0.1:3' } });
    const answers = await Promise.all(Array.from({ length: 10 }, () => register(config)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const ids = answers.map(({ body }) => body.registered[0]?.connection_id as string);
    expect(new Set(ids).size).toBe(1);
  });
});

describe('a cluster that misbehaves', () => {
  const connect = async (server: string): Promise<string> => {
    const made = await world.admin.post(CONNECTIONS, {
      name: 'odd',
      kind: 'kubernetes',
      metadata: { server },
      credential_secret: { token: 'canary-token-of-a-cluster' },
    });
    expect(made).toMatchObject({ status: 201 });
    return made.body.id as string;
  };

  it.each<[string, string, RequestListener]>([
    ['a web page', 'CLUSTER_PROTOCOL', (_, response) => response.end('<html>hello</html>')],
    [
      'a redirect',
      'CLUSTER_PROTOCOL',
      (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
    ],
    ['too much', 'CLUSTER_TOO_LARGE', (_, response) => response.end('x'.repeat(5_000_000))],
    [
      'what it was sent',
      'CLUSTER_UNAUTHORIZED',
      ({ headers }, response) =>
        response
          .writeHead(401, { 'content-type': 'application/json' })
          .end(JSON.stringify({ kind: 'Status', message: `who is ${headers.authorization}?` })),
    ],
  ])('is reported: %s', async (_, code, listener) => {
    const { status, body } = await ping(await connect(await serve(listener)));
    expect({ status, body }).toMatchObject({ status: 502, body: { code, connection: { status: 'registered' } } });
    expect(JSON.stringify(body)).not.toContain('canary');
  });

  it('is given ten seconds', async () => {
    const started = Date.now();
    expect(await ping(await connect(await serve(() => undefined)))).toMatchObject({
      status: 504,
      body: { code: 'CLUSTER_TIMEOUT' },
    });
    expect(Date.now() - started).toBeLessThan(20_000);
  }, 40_000);
});

describe('a cluster that comes back', () => {
  /** Answers what generating models asks first, then fails. */
  const answering: RequestListener = ({ url }, response) => {
    const body = { '/version': { gitVersion: 'v1.36.0' }, '/apis': {}, '/openapi/v3': { paths: {} } }[url ?? ''];
    response.writeHead(body ? 200 : 500, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
  };
  const use = (id: string): Promise<Answer> => world.admin.post('/api/meshmodels/generate', { source: id });
  const statusOf = async (id: string): Promise<string> =>
    (await world.admin.get(`${CONNECTIONS}/${id}`)).body.status as string;

  it('is connected again by use, unless a person set it aside', async () => {
    let listener: RequestListener = (_, response) => response.writeHead(503).end();
    const made = await world.admin.post(CONNECTIONS, {
      name: 'comes back',
      kind: 'kubernetes',
      metadata: { server: await serve((request, response) => listener(request, response)) },
      credential_secret: { token: 'x' },
    });
    const id = made.body.id as string;
    await use(id);
    expect(await statusOf(id)).toBe('registered');
    listener = answering;
    await use(id);
    await until(async () => (await statusOf(id)) === 'connected');
    listener = (_, response) => response.writeHead(503).end();
    expect((await ping(id)).body.connection.status).toBe('disconnected');
    listener = answering;
    await use(id);
    await until(async () => (await statusOf(id)) === 'connected');
    await world.admin.put(`${CONNECTIONS}/${id}`, { status: 'maintenance' });
    await use(id);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await statusOf(id)).toBe('maintenance');
  }, 60_000);
});

requires('KUBEBUILDER_ASSETS', 'a real cluster', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await sharedCluster({ bare: true });
  }, 180_000);

  const reached = (token: string, name: string): Context => ({
    server: cluster.url,
    cluster: { 'certificate-authority-data': Buffer.from(cluster.ca).toString('base64') },
    user: { token },
    userName: name,
  });

  it('is connected; registered again with another token, the next call uses it', async () => {
    const made = await register(kubeconfig({ real: reached('unknown', 'again') }));
    expect(made.body.registered).toMatchObject([{ error: { code: 'CLUSTER_UNAUTHORIZED' } }]);
    const again = await register(kubeconfig({ real: reached(cluster.tokens.admin, 'again') }));
    expect(again.body.connected).toEqual([
      { context: 'real', connection_id: made.body.registered[0].connection_id, missing_rights: [] },
    ]);
    const { body } = await world.admin.get(`${CONNECTIONS}/${again.body.connected[0].connection_id}`);
    expect(body).toMatchObject({
      status: 'connected',
      metadata: { server: cluster.url, version: expect.stringMatching(/^v1/) },
    });
    expect(JSON.stringify(body)).not.toContain(cluster.tokens.admin);
  });

  it('a changed credential reaches all connections that share it at once', async () => {
    const tls = { 'certificate-authority-data': Buffer.from(cluster.ca).toString('base64') };
    const shared = await world.admin.post('/api/integrations/credentials', {
      name: 'shared',
      type: 'kubernetes',
      secret: { token: cluster.tokens.admin, ...tls },
    });
    expect(shared).toMatchObject({ status: 201 });
    const ids: string[] = [];
    for (const name of ['one', 'two']) {
      const fields = { name, kind: 'kubernetes', metadata: { server: cluster.url }, credential_id: shared.body.id };
      ids.push((await world.admin.post(CONNECTIONS, fields)).body.id as string);
    }
    const statuses = async (): Promise<[number, string][]> => {
      const answers = await Promise.all(ids.map(ping));
      return answers.map(({ status, body }) => [status, (body.connection ?? body).status as string]);
    };
    const change = (token: string) =>
      world.admin.put(`/api/integrations/credentials/${shared.body.id}`, { secret: { token, ...tls } });
    expect(await statuses()).toEqual(Array(2).fill([200, 'connected']));
    expect((await change('broken')).status).toBe(200);
    expect(await statuses()).toEqual(Array(2).fill([502, 'disconnected']));
    await change(cluster.tokens.admin);
    expect(await statuses()).toEqual(Array(2).fill([200, 'connected']));
    const users = await world.admin.get(`/api/integrations/credentials/${shared.body.id}/connections`);
    expect(users.body.connections.map((each: Json) => each.name).sort()).toEqual(['one', 'two']);
  });

  it('becomes models of the registry: Kubernetes as it serves it, and what its definitions add', async () => {
    const file = join(testRunFolder(), 'wired.yaml');
    await writeFile(file, definitionYaml('Gadget', 'wired-spec.io'));
    await kubectl(cluster, 'apply', '-f', file);
    await kubectl(cluster, 'wait', '--for=condition=Established', 'crd/gadgets.wired-spec.io');
    const { body } = await register(kubeconfig({ generated: reached(cluster.tokens.admin, 'generated') }));
    const source = body.connected[0].connection_id as string;

    const member = await world.person();
    expect((await member.post('/api/meshmodels/generate', { source })).status).toBe(403);
    const { status, body: made } = await world.admin.post('/api/meshmodels/generate', { source });
    expect({ status, errors: made.errors }).toEqual({ status: 200, errors: [] });
    const version = (await kubectl(cluster, 'version', '-o', 'json')).match(/"serverVersion"[^}]*"gitVersion": "([^"]+)"/)?.[1]; // prettier-ignore
    expect(made.models.map(({ name }: Json) => name as string)).toEqual(expect.arrayContaining(['wired-spec']));
    expect(made.counts).toMatchObject({ failed: 0 });
    const { body: known } = await member.get('/api/meshmodels/models/kubernetes');
    expect(known.models.map(({ model }: Json) => model.version as string)).toContain(version);

    const { body: gadgets } = await member.get('/api/meshmodels/models/wired-spec/components');
    expect(gadgets.components).toMatchObject([{ component: { kind: 'Gadget', version: 'wired-spec.io/v1' } }]);
    const verdict = await member.post('/api/meshmodels/validate', {
      component: { apiVersion: 'wired-spec.io/v1', kind: 'Gadget', metadata: { name: 'Not A Name' } },
    });
    expect(verdict.body).toMatchObject({ valid: false, errors: [{ pointer: '/metadata/name' }] });
    await kubectl(cluster, 'delete', 'crd', 'gadgets.wired-spec.io');
  }, 120_000);
});
