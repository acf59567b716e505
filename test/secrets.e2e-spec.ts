import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createRawServer, type Server } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import pino, { type Logger } from 'pino';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { LOGGER } from '../src/core/telemetry/logger.js';
import { moduleOf } from '../src/filters/wasm/module.fixture.js';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import { type Answer, type CallOptions, type Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { until } from './support/until.js';
import { World } from './support/world.js';

/** What was planted, and where. */
const planted = new Map<string, string>();
/** Every text that came out of the server, and where. */
const heard: { from: string; text: string }[] = [];
const servers: Server[] = [];

function plant(place: string, value = `cnry${randomBytes(12).toString('hex')}`): string {
  planted.set(value, place);
  return value;
}

/** A value as it may stand in a text: in clear, in hex, and in base64 at each of the three offsets it may begin at. */
function formsOf(value: string): string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]).toString('base64');
    return text.slice(offset === 0 ? 0 : 4, -4);
  });
  return [value, encodeURIComponent(value), Buffer.from(value).toString('hex'), ...base64];
}

/** Which planted values a text holds; the first letters of one are enough. */
function leaksIn(text: string): string[] {
  const found = [...planted].filter(([value]) => formsOf(value).some((form) => text.includes(form)));
  const parts = [...planted].filter(([value]) => value.startsWith('cnry') && text.includes(value.slice(0, 8)));
  return [...new Set([...found, ...parts].map(([, place]) => place))];
}

const leaks = (texts: { from: string; text: string }[]): string[] => [
  ...new Set(texts.flatMap(({ from, text }) => leaksIn(text).map((place) => `${place} in ${from}`))),
];

let world: World;
let admin: Person;

beforeAll(async () => {
  world = await World.start({ CLUSTER_INSECURE_TLS: 'true', ADMIN_PASSWORD: plant('password of the administrator') });
  const logger = world.app.get<Logger & Record<symbol, unknown>>(LOGGER);
  logger.level = 'trace';
  logger[pino.symbols.streamSym] = { write: (line: string) => void heard.push({ from: 'the log', text: line }) };
  admin = world.admin;
});
afterAll(async () => {
  for (const server of servers) server.close();
  await world.stop();
});

/** A call whose answer must not reveal it. */
async function call(person: Person, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const answer = await person.call(method, path, options);
  const text = JSON.stringify([answer.body, [...answer.headers]]);
  heard.push({ from: `the answer ${answer.status} to ${method} ${path.replace(/[0-9a-f-]{36}/g, ':id')}`, text });
  return answer;
}
const post = (path: string, body: unknown, options: CallOptions = {}): Promise<Answer> =>
  call(admin, 'POST', path, { body, ...options });

async function listening(server: Server): Promise<string> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Servers that send back what they were sent: as an error, as a Status of Kubernetes, and as no HTTP at all. */
async function echoes(): Promise<string[]> {
  const plain = createServer(({ headers }, response) => response.writeHead(500).end(JSON.stringify(headers)));
  const status = createServer(({ headers }, response) =>
    response
      .writeHead(403, { 'content-type': 'application/json', warning: `299 - "${headers.authorization}"` })
      .end(JSON.stringify({ kind: 'Status', reason: 'Forbidden', message: `no: ${headers.authorization}` })),
  );
  const raw = createRawServer((socket) =>
    socket.once('data', (data: Buffer) => socket.end(`HTTP/1.1 abc ${data.toString()}`)),
  );
  return Promise.all([plain, status, raw].map(listening));
}

/** Every GET route of the API with ids of records that there are, and what it answers. */
async function readEverything(): Promise<void> {
  const openapi = await world.stranger.get('/api/openapi.json');
  const idsOf = await recordIds();
  for (const [template, methods] of Object.entries(openapi.body.paths as Record<string, object>)) {
    if (!('get' in methods) || /stream|subscribe|graphql|openapi|docs/.test(template)) continue;
    for (const path of withIds(template, idsOf)) {
      const answer = await admin.get(`${path}?orgID=${world.organization}`);
      // The text of a design, and the configuration of a filter, belong to their readers.
      const text = JSON.stringify(answer.body, (key, value: unknown) =>
        ['pattern_file', 'source_content', 'design_file', 'filter_resource', 'content', 'services'].includes(key)
          ? null
          : value,
      );
      heard.push({ from: `GET ${template}`, text });
    }
  }
  heard.push({ from: '/metrics', text: String((await world.stranger.get('/metrics')).body) });
}

async function recordIds(): Promise<Record<string, string[]>> {
  const tables: Record<string, string> = {
    orgs: 'organization',
    users: 'app_user',
    connections: 'connection',
    credentials: 'credential',
    environments: 'environment',
    workspaces: 'workspace',
    pattern: 'design',
    filter: 'filter',
    deployments: 'deployment',
    operations: 'job',
    events: 'event',
    teams: 'team',
  };
  const found: Record<string, string[]> = {};
  for (const [segment, table] of Object.entries(tables))
    found[segment] = (await dump(`SELECT id::text AS text FROM ${table} ORDER BY id DESC LIMIT 20`)).filter(
      (id) => segment !== 'orgs' || id === world.organization,
    );
  return found;
}

function withIds(template: string, ids: Record<string, string[]>): string[] {
  const [before, rest] = template.split(/\{\w+\}(.*)/s) as [string, string | undefined];
  if (rest === undefined) return [template];
  const segment = before.split('/').at(-2) ?? '';
  return (ids[segment] ?? [randomUUID()]).flatMap((id) => withIds(`${before}${id}${rest}`, ids));
}

async function dump(query: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: world.get(DatabaseUrl).href });
  await client.connect();
  try {
    return (await client.query<{ text: string }>(query)).rows.map(({ text }) => text);
  } finally {
    await client.end();
  }
}

/** Every row of every table as text, and what is packed in it unpacked. */
async function readDatabase(): Promise<number> {
  const tables = await dump(`SELECT tablename AS text FROM pg_tables WHERE schemaname = 'public'`);
  for (const table of tables)
    for (const text of await dump(`SELECT t::text AS text FROM "${table}" t`)) {
      heard.push({ from: `the table ${table}`, text });
      for (const [, hex] of text.matchAll(/\\\\x([0-9a-f]+)/g)) {
        const bytes = Buffer.from(hex ?? '', 'hex');
        heard.push({ from: `the table ${table}`, text: bytes.toString('latin1') });
        if (bytes[0] === 0x1f && bytes[1] === 0x8b)
          heard.push({ from: `the table ${table}, unpacked`, text: gunzipSync(bytes).toString('latin1') });
      }
    }
  return tables.length;
}

describe('a secret that goes in', () => {
  it('is found wherever it stands in clear', () => {
    const value = plant('nowhere');
    const encoded = [0, 1, 2].map((n) => Buffer.from(`${'x'.repeat(n)}${value} and more`).toString('base64'));
    for (const text of [value, Buffer.from(value).toString('hex'), value.slice(0, 10), ...encoded])
      expect(leaksIn(`before ${text} after`)).toEqual(['nowhere']);
  });

  it('as a credential, to servers that send it back, comes out nowhere', async () => {
    const [plain, status, raw] = await echoes();
    const again = { headers: { 'Idempotency-Key': randomUUID() } };
    const secret = { token: plant('a credential'), nested: { more: plant('a nested credential') } };
    const credential = await post('/api/integrations/credentials', { name: 'c', type: 'token', secret }, again);
    expect(credential.status).toBe(201);
    expect((await post('/api/integrations/credentials', { name: 'c', type: 'token', secret }, again)).status).toBe(201);
    await post('/api/integrations/credentials', { name: 'c', type: 'token', secret });
    await post('/api/integrations/credentials', { name: 7, type: 'token', secret });
    await call(admin, 'PUT', `/api/integrations/credentials/${credential.body.id}`, {
      body: { secret: { token: plant('a changed credential') }, wrong: 1 },
    });
    for (const url of [plain, status, raw])
      for (const kind of ['prometheus', 'grafana', 'github', 'helm', 'kubernetes']) {
        const made = await post('/api/integrations/connections', {
          name: kind,
          kind,
          metadata: kind === 'kubernetes' ? { server: url } : { url },
          credential_secret:
            kind === 'prometheus'
              ? { username: plant('a user name'), password: plant('a password of a connection') }
              : { token: plant(`a token of ${kind}`) },
        });
        expect(made.status).toBe(201);
        expect((await post(`/api/integrations/connections/${made.body.id}/ping`, {})).status).toBe(502);
      }
    await post('/api/integrations/connections', {
      name: 'x',
      kind: 'kubernetes',
      metadata: { server: plain },
      credential_secret: { token: `${plant('a broken token')}\n`, password: [plant('a broken password')] },
    });
  });

  it('as a kubeconfig, whole or broken, comes out nowhere', async () => {
    const [, server] = await echoes();
    const user = (name: string, fields: object): object => ({ name, user: fields });
    const users = [
      user('token', { token: plant('a token of a kubeconfig') }),
      user('pair', { username: 'ann', password: plant('a password of a kubeconfig') }),
      user('key', {
        'client-key-data': Buffer.from(plant('a key that is none')).toString('base64'),
        'client-certificate-data': 'x',
      }),
      user('exec', { exec: { command: 'sh', env: [{ name: 'A', value: plant('a variable of exec') }] } }),
      user('broken', { token: `${plant('a token with a line break')}\n` }),
    ];
    const names = ['token', 'pair', 'key', 'exec', 'broken'];
    const kubeconfig = {
      contexts: names.map((name) => ({ name, context: { cluster: 'c', user: name } })),
      clusters: [{ name: 'c', cluster: { server } }],
      users,
    };
    const registered = await post('/api/system/kubernetes', { kubeconfig });
    expect(registered.body).toMatchObject({ registered: [{ context: 'token' }, { context: 'pair' }] });
    expect(registered.body.failed).toHaveLength(3);
    await post('/api/system/kubernetes', {
      kubeconfig: `users: [{name: a, user: {token: ${plant('a torn kubeconfig')}}}`,
    });
    await post('/api/system/kubernetes', { kubeconfig: `token: "${plant('a torn text')}\n  - : x` });
  });

  it('as a design comes out of nothing but the design', async () => {
    const manifest = `apiVersion: v1
kind: Secret
metadata: {name: keys}
data: {a: ${Buffer.from(plant('data of a Secret')).toString('base64')}}
stringData: {b: ${plant('stringData of a Secret')}}
`;
    const compose = `services:
  web:
    image: nginx
    environment: {A: ${plant('the environment of a service')}, B: "\${PASSWORD}"}
    secrets: [s]
secrets:
  s: {environment: SECRET_VALUE}
`;
    const imported: Answer[] = [];
    for (const [name, content, fields] of [
      ['app.yaml', manifest, {}],
      [
        'compose.yaml',
        compose,
        { env: `PASSWORD=${plant('a value of env')}\nSECRET_VALUE=${plant('a secret of Compose')}` },
      ],
    ] as const) {
      const answer = await admin.upload('/api/pattern/import', name, content, fields);
      expect({ status: answer.status, errors: answer.body.errors as unknown }).toEqual({ status: 201 });
      imported.push(answer);
    }
    const again = { headers: { 'Idempotency-Key': randomUUID() } };
    const body = {
      name: 'd',
      pattern_data: { design_file: { name: 'd', components: [], metadata: { a: plant('pattern_data') } } },
    };
    for (const options of [again, again]) await admin.post('/api/pattern', body, options);
    const changed = manifest.replace(/cnry\w+/, plant('a changed Secret'));
    const change = { id: imported[0]?.body.id as string, pattern_data: { pattern_file: changed } };
    expect((await admin.put('/api/pattern/yaml', change)).status).toBe(200);
    for (const [place, faulty] of [
      ['a fault beside it', 'stringData:\n  a: VALUE\n b: x\n'],
      ['a tab beside it', 'stringData: {a: VALUE,\n\tb: [}\n'],
      ['an unknown alias beside it', 'a: VALUE\nb: *nobody\n'],
      ['a repeated key beside it', 'kind: Secret\na: VALUE\na: VALUE\n'],
      ['a wrong document', 'VALUE'],
      ['a number for a list', 'services: {web: {image: x, environment: [A=VALUE, {}], ports: VALUE}}\n'],
    ] as const) {
      const content = faulty.replaceAll('VALUE', plant(place));
      const answer = await admin.upload('/api/pattern/import', 'app.yaml', content);
      heard.push({ from: `the refusal of an import with ${place}`, text: JSON.stringify(answer.body) });
      const written = await post('/api/pattern', { name: 'x', pattern_data: { pattern_file: content } });
      expect([answer.status, written.status]).not.toContain(500);
    }
  });

  it('as the configuration of a filter comes out of nothing but the filter', async () => {
    const filter_data = { filter_file: moduleOf().toString('base64') };
    const body = { name: 'f', filter_data, config: { key: plant('the configuration of a filter') } };
    const again = { headers: { 'Idempotency-Key': randomUUID() } };
    for (const options of [again, again]) expect((await admin.post('/api/filter', body, options)).status).toBe(201);
    const uploaded = await admin.upload('/api/filter', 'f.wasm', moduleOf(), {
      config: plant('a configuration as text'),
    });
    expect(uploaded.status).toBe(201);
    const path = `/api/filter/${uploaded.body.id}`;
    expect((await admin.put(path, { config: plant('a changed configuration') })).status).toBe(200);
    const refusals = [
      await admin.put(path, { config: [plant('a configuration that is a list')] }),
      await admin.post('/api/filter', { ...body, filter_data: { filter_file: plant('a module that is none') } }),
    ];
    for (const { status, body: problem } of refusals) {
      expect(status).toBe(400);
      heard.push({ from: 'the refusal of a filter', text: JSON.stringify(problem) });
    }
  });

  it('as a password or token comes out nowhere but in the one answer that is made for it', async () => {
    const { organization, stranger } = world;
    const [password, next] = [plant('a password'), plant('a new password')];
    const email = `${randomUUID()}@example.org`;
    const user = await post(`/api/identity/orgs/${organization}/users`, { email, role: 'member', password });
    expect(user.status).toBe(201);
    const invited = await admin.post(`/api/identity/orgs/${organization}/users`, {
      email: `${randomUUID()}@example.org`,
      role: 'member',
    });
    plant('an invitation', (invited.body.invitation_url as string).split('/').at(-1));
    const signedIn = await stranger.post('/api/auth/login', { email, password });
    const person = new Person(world.baseUrl, plant('an access token', signedIn.body.access_token as string));
    const refresh = plant('a refresh token', signedIn.body.refresh_token as string);
    await call(stranger, 'POST', '/api/auth/login', { body: { email, password: plant('a wrong password') } });
    await call(stranger, 'POST', '/api/auth/login', { body: { email, password: [plant('a password in a list')] } });
    await call(person, 'PUT', '/api/identity/users/password', { body: { current_password: password, password: next } });
    await call(person, 'PUT', '/api/identity/users/password', {
      body: { current_password: plant('a wrong current password'), password: 'x' },
    });
    const rotated = await stranger.post('/api/auth/refresh', { refresh_token: refresh });
    if (rotated.status === 200) plant('a rotated refresh token', rotated.body.refresh_token as string);
    await call(stranger, 'POST', '/api/auth/refresh', { body: { refresh_token: refresh } });
    await call(stranger, 'POST', '/api/auth/logout', { body: { refresh_token: plant('an unknown refresh token') } });
    const personal = await admin.post('/api/identity/tokens', { name: 't', scopes: ['read'] });
    if (personal.status === 201) plant('a personal access token', personal.body.token as string);
    await call(new Person(world.baseUrl, plant('a wrong bearer token')), 'GET', '/api/environments');
    await call(stranger, 'POST', `/api/auth/invitations/${plant('a wrong invitation')}`, { body: { password: next } });
    await call(stranger, 'GET', `/api/auth/invitations/${plant('an invitation that is asked for')}`);
  });

  it('in a body that cannot be read comes out nowhere', async () => {
    for (const [place, body] of [
      ['a body with a bare word', '{"password": VALUE}'],
      ['a body that is torn', '{"secret": {"token": "VALUE'],
      ['a body with a word too many', '{"token": "VALUE" x}'],
      ['a body that is a text', '"VALUE"'],
      ['a body with a control character', '{"token": "VALUE\n"}'],
    ] as const)
      for (const path of ['/api/integrations/credentials', '/api/auth/login', '/api/system/graphql/query'])
        await post(path, body.replace('VALUE', plant(place)));
    await post('/api/integrations/credentials', `token=${plant('a form')}`, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    await post('/api/integrations/credentials', { name: 'x', type: 'y', secret: plant('a secret that is a text') });
    await call(admin, 'POST', '/api/system/graphql/query', {
      body: { query: `{ connections(search: 7, token: "${plant('a wrong argument')}") { id } }` },
    });
  });

  it('is in no record, event, log line, measurement and row', async () => {
    await readEverything();
    const tables = await readDatabase();
    expect(tables).toBeGreaterThan(20);
    expect(planted.size).toBeGreaterThan(60);
    expect(heard.filter(({ from }) => from === 'the log').length).toBeGreaterThan(50);
    expect(heard.length).toBeGreaterThan(500);
    expect(
      heard.filter(({ from, text }) => from === 'the log' && leaksIn(text).length > 0).map(({ text }) => text),
    ).toEqual([]);
    expect(leaks(heard)).toEqual([]);
  }, 120_000);
});

requires('KUBEBUILDER_ASSETS', 'a secret that goes to a cluster', () => {
  let cluster: Cluster;
  const namespace = `secrets-${randomUUID().slice(0, 8)}`;

  beforeAll(async () => {
    cluster = await sharedCluster({ bare: true });
    await kubectl(cluster, 'create', 'namespace', namespace);
  }, 180_000);

  let workspace: Json;
  let target: { environment_id: string; connection_ids: string[] };
  const importFile = async (text: string): Promise<string> =>
    (await admin.upload('/api/pattern/import', 'app.yaml', text, { workspace_id: workspace.id as string })).body
      .id as string;

  it('is in no plan, deployment, job, event, log line and row', async () => {
    const { organization } = world;
    plant('the token of a cluster', cluster.tokens.admin);
    const registered = await post('/api/system/kubernetes', { kubeconfig: cluster.kubeconfig });
    const connectionId = registered.body.connected[0].connection_id as string;
    const environment = (await post('/api/environments', { name: 'dev', organization_id: organization })).body;
    await post(`/api/environments/${environment.id}/connections/${connectionId}`, {});
    workspace = (await post('/api/workspaces', { name: 'shop', organization_id: organization })).body;
    await post(`/api/workspaces/${workspace.id}/environments/${environment.id}`, {});

    const secret = (fields: string): string =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: ${namespace}}\n${fields}\n`;
    const id = await importFile(secret(`stringData: {a: ${plant('a Secret')}}`));
    target = { environment_id: environment.id as string, connection_ids: [connectionId] };
    const at = { id, ...target };
    const write = (text: string): Promise<Answer> =>
      admin.put('/api/pattern/yaml', { id, pattern_data: { pattern_file: text } });

    expect((await post('/api/pattern/deploy', at)).status).toBe(200);
    for (const [place, fields] of [
      ['another value', 'stringData: {a: VALUE}'],
      ['a value in base64', `data: {a: ${Buffer.from(plant('a value in data')).toString('base64')}}`],
      ['data that is not base64', 'data: {a: "VALUE !"}'],
      ['an object in the place of a text', 'stringData: {a: {b: VALUE}}'],
      ['a list in the place of data', 'data: [VALUE]'],
      ['a key that is not allowed', 'stringData: {"a b": VALUE}'],
      ['a change of an immutable Secret', 'immutable: true\nstringData: {a: VALUE}'],
      ['another change of an immutable Secret', 'immutable: true\nstringData: {a: VALUE}'],
      ['a type that needs more', 'type: kubernetes.io/tls\nstringData: {"tls.key": VALUE}'],
      ['a docker configuration', 'type: kubernetes.io/dockerconfigjson\nstringData: {".dockerconfigjson": "{VALUE"}'],
    ] as const) {
      expect((await write(secret(fields.replace('VALUE', plant(place))))).status).toBe(200);
      await post('/api/pattern/deploy/plan', at);
      await post('/api/pattern/deploy', at);
      await kubectl(cluster, 'delete', 'secret', 'keys', '-n', namespace, '--ignore-not-found', '--wait=false').catch(
        String,
      );
    }
    const asked = await post('/api/pattern/deploy?async=true', at);
    expect(asked.status).toBe(202);
    await call(admin, 'DELETE', '/api/pattern/deploy', { body: at });
    await readEverything();
    await readDatabase();
    expect(
      heard.filter(({ from, text }) => from === 'the log' && leaksIn(text).length > 0).map(({ text }) => text),
    ).toEqual([]);
    expect(leaks(heard)).toEqual([]);
  }, 180_000);

  it('is in nothing that an admission policy says of another object, when it is planned, deployed, taken back and undeployed', async () => {
    const word = randomBytes(6)
      .toString('hex')
      .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? '');
    const isRefused = `'always' in variables.data || ('later' in variables.data && !(has(request.dryRun) && request.dryRun))`;
    const [apiVersion, metadata] = ['admissionregistration.k8s.io/v1', { name: namespace }];
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'DELETE'], resources: ['configmaps'] };
    const policy = {
      ...{ apiVersion, kind: 'ValidatingAdmissionPolicy', metadata },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        variables: [{ name: 'data', expression: 'object == null ? oldObject.data : object.data' }],
        validations: [
          {
            expression: `!(${isRefused} || request.operation == 'DELETE')`,
            messageExpression: "'it says ' + variables.data.echo",
          },
        ],
      },
    };
    const matchResources = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } };
    const binding = {
      ...{ apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata },
      spec: { policyName: namespace, validationActions: ['Deny'], matchResources },
    };
    const list = (...items: object[]): string => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const map = (name: string, more: object = {}): object => ({
      ...{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data: { echo: word, ...more } },
    });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'word', namespace }, stringData: { word } };
    const file = `${cluster.kubeconfigFile}-${randomUUID()}.json`;
    await writeFile(file, list(map('probe'), policy, binding));
    await kubectl(cluster, 'apply', '-f', file);
    await until(async () => {
      const tried = kubectl(cluster, 'delete', 'configmap', 'probe', '-n', namespace, '--dry-run=server');
      return (await tried.catch(String)).includes('it says');
    }, 20_000);

    heard.length = 0;
    const id = await importFile(list(secret, map('always', { always: '' })));
    const at = { id, ...target };
    const write = async (text: string): Promise<void> =>
      expect((await admin.put('/api/pattern/yaml', { id, pattern_data: { pattern_file: text } })).status).toBe(200);
    const hides = ({ body }: Answer, ...texts: string[]): void => {
      for (const text of ['it says (hidden)', ...texts]) expect(JSON.stringify(body)).toContain(text);
    };
    hides(await post('/api/pattern/deploy/plan', at), 'DENIED');
    hides(await post('/api/pattern/deploy', at), 'DENIED');
    await write(list(secret, map('echo'), map('later', { later: '' })));
    const failed = await post('/api/pattern/deploy', at);
    hides(failed, 'DENIED', 'NOT_TAKEN_BACK');
    await write(list(secret, map('echo')));
    expect((await post('/api/pattern/deploy', at)).status).toBe(200);
    hides(await call(admin, 'DELETE', '/api/pattern/deploy', { body: at }), 'DENIED');
    await kubectl(cluster, 'delete', 'validatingadmissionpolicybinding,validatingadmissionpolicy', namespace);
    for (const path of [`/api/pattern/${id}/deployments`, '/api/events?pagesize=100', '/api/operations?pagesize=100'])
      await call(admin, 'GET', path);
    for (const table of ['deployment', 'deployment_plan', 'event', 'job', 'kept_objects'])
      for (const text of await dump(`SELECT t::text AS text FROM ${table} t`)) heard.push({ from: table, text });
    const places = heard
      .filter(({ text }) => text.includes(word))
      .map(({ from, text }) => [from, text.split(word)[0]?.slice(-80)]);
    expect(places).toEqual([]);
  }, 180_000);
});
