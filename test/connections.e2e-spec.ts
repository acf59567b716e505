import { randomUUID } from 'node:crypto';
import { ConnectionSecretsService } from '../src/connections/connection-secrets.service.js';
import { ConnectionsStore } from '../src/connections/connections.store.js';
import { Actor } from '../src/core/access/actor.js';
import { UnitOfWork } from '../src/core/database/unit-of-work.js';
import type { Json, Person } from './support/person.js';
import { World } from './support/world.js';

let world: World;

beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const CONNECTIONS = '/api/integrations/connections';
const CREDENTIALS = '/api/integrations/credentials';
const unique = (word: string): string => `${word} ${randomUUID()}`;

async function made(path: string, body: object, person: Person = world.admin): Promise<Json> {
  const answer = await person.post(path, { organization_id: world.organization, ...body });
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}
const connect = (fields: object = {}): Promise<Json> =>
  made(CONNECTIONS, { name: unique('connection'), kind: 'custom', ...fields });
const credential = (fields: object = {}): Promise<Json> =>
  made(CREDENTIALS, { name: unique('credential'), type: 'token', secret: { token: 'abc' }, ...fields });
const change = (id: string, body: object): Promise<Json> => world.admin.put(`${CONNECTIONS}/${id}`, body);

describe('secrets in the metadata of a connection', () => {
  it('are sealed and masked, and stay where the mask is sent back', async () => {
    const metadata = {
      password: 'canary-1',
      nested: { api_key: 'canary-2' },
      endpoint: 'https://me:canary-3@a.example/x',
    };
    const { id } = await connect({ metadata: { ...metadata, region: 'eu' } });
    const path = `${CONNECTIONS}/${id}`;
    const read = await world.admin.get(path);
    const masked = {
      password: '[redacted]',
      nested: { api_key: '[redacted]' },
      endpoint: 'https://[redacted]@a.example/x',
    };
    expect(read.body.metadata).toEqual({ ...masked, region: 'eu' });
    const match = { headers: { 'if-match': read.headers.get('etag') ?? '' } };
    expect((await world.admin.put(path, read.body, match)).headers.get('etag')).toBe(read.headers.get('etag'));
    expect((await change(id, { metadata: { ...masked, region: 'us', password: 'canary-4' } })).body.metadata).toEqual({
      ...masked,
      region: 'us',
    });
    const stored = await world.sql('SELECT c::text FROM connection c');
    const audit = await world.admin.get(`/api/identity/orgs/${world.organization}/audit?resource=${id}`);
    const listed = await world.admin.get(`${CONNECTIONS}?orgID=${world.organization}&pagesize=all`);
    expect(JSON.stringify([stored, audit.body, listed.body])).not.toMatch(/canary/);
    const connection = await world.get(ConnectionsStore).find(Actor.system('test'), id);
    const { metadata: whole } = await world
      .get(UnitOfWork)
      .runAsSystem('test', () => world.get(ConnectionSecretsService).reveal(connection!));
    expect(whole).toEqual({ ...metadata, password: 'canary-4', region: 'us' });
  });
});

describe('the secret of a credential', () => {
  it('goes to another server only when it is entered again, or by who entered it last', async () => {
    const [here, there] = [{ url: 'http://127.0.0.1:9' }, { url: 'http://127.0.0.1:10/path' }];
    const other = await world.person('admin');
    const required = {
      status: 400,
      body: { code: 'SECRET_REQUIRED', errors: [{ pointer: '/credential_secret' }] },
    };
    const credential_secret = { token: 'stored' };
    const own = await connect({ kind: 'prometheus', metadata: here, credential_secret });
    const path = `${CONNECTIONS}/${own.id}`;
    for (const person of [other, world.admin])
      expect(await person.put(path, { metadata: there })).toMatchObject(required);
    expect((await other.put(path, { metadata: { url: `${here.url}/prometheus` } })).status).toBe(200);
    const fields = { kind: 'prometheus', credential_id: own.credential_id };
    const elsewhere = { organization_id: world.organization, name: unique('elsewhere'), ...fields, metadata: there };
    expect(await other.post(CONNECTIONS, elsewhere)).toMatchObject(required);
    await made(CONNECTIONS, { name: unique('here'), ...fields, metadata: here }, other);
    const empty = await made(CONNECTIONS, { name: unique('empty'), kind: 'prometheus', metadata: there }, other);
    expect(await other.put(`${CONNECTIONS}/${empty.id}`, { credential_id: own.credential_id })).toMatchObject(required);
    const first = await made(CONNECTIONS, { name: unique('first'), ...fields, metadata: there });
    expect((await other.put(`${CONNECTIONS}/${empty.id}`, { credential_id: own.credential_id })).status).toBe(200);
    expect((await other.put(path, { metadata: there })).status).toBe(200);
    const anew = { metadata: { url: 'http://127.0.0.1:11' }, credential_secret: { token: 'anew' } };
    expect((await other.put(`${CONNECTIONS}/${first.id}`, anew)).status).toBe(200);
    const without = { metadata: { url: 'http://127.0.0.1:12' }, credential_id: null };
    expect((await other.put(`${CONNECTIONS}/${first.id}`, without)).status).toBe(200);
    expect(
      await world.admin.post(CONNECTIONS, { ...elsewhere, metadata: { url: 'http://127.0.0.1:12' } }),
    ).toMatchObject(required);
    const github = await made(CONNECTIONS, { name: unique('github'), kind: 'github', credential_secret }, other);
    expect(await other.put(`${CONNECTIONS}/${github.id}`, { metadata: there })).toMatchObject(required);
  });
});

describe('kinds', () => {
  it('are listed with their schemas, before the ids', async () => {
    const { status, body } = await world.admin.get(`${CONNECTIONS}/kinds`);
    expect({ status, total: body.total_count }).toEqual({ status: 200, total: body.kinds.length });
    const kinds = new Map<string, Json>(body.kinds.map((kind: Json) => [kind.kind, kind]));
    expect(kinds.get('kubernetes')).toMatchObject({
      type: 'platform',
      sub_type: 'orchestration',
      metadata_schema: { required: ['server'] },
      credential_schema: { properties: { kubeconfig: expect.any(Object), token: expect.any(Object) } },
      ping: true,
    });
    expect(kinds.get('prometheus')).toMatchObject({ type: 'observability', sub_type: 'monitoring', ping: true });
    expect(kinds.get('webhook')).toMatchObject({ metadata_schema: { required: ['url'] }, ping: false });
    expect([...kinds.keys()]).toEqual(expect.arrayContaining(['grafana', 'github', 'helm', 'istio', 'linkerd']));
  });

  it.each([
    ['prometheus', { metadata: {} }, '/metadata'],
    ['prometheus', { metadata: { url: 'ftp://a.example' } }, '/metadata/url'],
    [
      'prometheus',
      { metadata: { url: 'https://a.example' }, credential_secret: { token: 'a b' } },
      '/credential_secret/token',
    ],
    [
      'prometheus',
      { metadata: { url: 'https://a.example' }, credential_secret: { password: 'b' } },
      '/credential_secret',
    ],
    ['github', { credential_secret: {} }, '/credential_secret'],
    ['kubernetes', { credential_secret: { token: 'abc' } }, '/metadata'],
    [
      'kubernetes',
      { metadata: { server: 'https://a.example' }, credential_secret: { exec: {} } },
      '/credential_secret',
    ],
    [
      'kubernetes',
      { metadata: { server: 'https://a.example' }, credential_secret: { user: {}, tls: { insecure: true } } },
      '/credential_secret',
    ],
    ['webhook', {}, '/metadata'],
    ['UPPER', {}, '/kind'],
  ])('refuse a %s of %j, pointing at %s', async (kind, fields, pointer) => {
    const { status, body } = await world.admin.post(CONNECTIONS, { name: 'x', kind, ...fields });
    expect({ status, pointer: body.errors[0].pointer }).toEqual({ status: 400, pointer });
  });

  it('that nobody defined take any metadata, and cannot be pinged', async () => {
    const own = await connect({ kind: 'home-made', metadata: { anything: [1] } });
    expect(own).toMatchObject({ type: 'platform', sub_type: 'management', metadata: { anything: [1] } });
    expect(await world.admin.post(`${CONNECTIONS}/${own.id}/ping`)).toMatchObject({
      status: 409,
      body: { code: 'PING_UNSUPPORTED' },
    });
  });

  it('let no address through that the guard refuses', async () => {
    for (const url of ['http://169.254.169.254/', 'http://[fe80::1]/', 'http://user:pw@a.example/'])
      expect(await world.admin.post(CONNECTIONS, { name: 'x', kind: 'grafana', metadata: { url } })).toMatchObject({
        status: 400,
        body: { code: 'OUTBOUND_REFUSED', errors: [{ pointer: '/metadata/url' }] },
      });
    const own = await connect({ kind: 'grafana', metadata: { url: 'http://10.0.0.1' } });
    expect(await change(own.id, { metadata: { url: 'http://169.254.169.254/' } })).toMatchObject({ status: 400 });
  });

  it('hold for a cluster however its access comes in', async () => {
    for (const fields of [
      { metadata: { server: 'http://10.0.0.1' }, credential_secret: { token: 'abc' } },
      { metadata: { server: 'https://10.0.0.1' }, credential_secret: { token: 'abc', insecure_skip_tls_verify: true } },
    ])
      expect(await world.admin.post(CONNECTIONS, { name: 'x', kind: 'kubernetes', ...fields })).toMatchObject({
        status: 400,
        body: { code: 'KUBECONFIG_UNSAFE' },
      });
    expect(
      await world.admin.post(CREDENTIALS, {
        name: unique('c'),
        type: 'kubernetes',
        secret: { 'insecure-skip-tls-verify': true },
      }),
    ).toMatchObject({ status: 400, body: { code: 'KUBECONFIG_UNSAFE' } });
  });
});

describe('the status of a connection', () => {
  it('begins as registered or discovered, and as nothing else', async () => {
    expect(await connect()).toMatchObject({ status: 'registered' });
    expect(await connect({ status: 'discovered' })).toMatchObject({ status: 'discovered' });
    for (const status of ['connected', 'ignored', 'deleted'])
      expect(await world.admin.post(CONNECTIONS, { name: 'x', kind: 'custom', status })).toMatchObject({ status: 400 });
  });

  it('moves as it may; any other move is refused and names those that are open', async () => {
    const { id } = await connect({ status: 'discovered' });
    expect(await change(id, { status: 'connected' })).toMatchObject({
      status: 409,
      body: {
        code: 'ILLEGAL_STATUS',
        allowed: ['registered', 'ignored'],
        detail: expect.stringContaining('registered, ignored'),
      },
    });
    for (const status of [
      'ignored',
      'registered',
      'connected',
      'maintenance',
      'connected',
      'disconnected',
      'disconnected',
    ])
      expect(await change(id, { status })).toMatchObject({ status: 200, body: { status } });
    expect((await change(id, { status: 'ignored' })).status).toBe(409);
    const { body } = await world.admin.get(`/api/events?orgID=${world.organization}&acted_upon=${id}&pagesize=100`);
    const [moves, others] = [true, false].map((isMove) =>
      body.events.filter((event: Json) => (event.action === 'status_changed') === isMove),
    ) as [Json[], Json[]];
    expect(others.map((event: Json) => event.action)).toEqual(['created']);
    expect(moves.map((event: Json) => event.metadata.to).reverse()).toEqual([
      'ignored', 'registered', 'connected', 'maintenance', 'connected', 'disconnected',
    ]); // prettier-ignore
  });

  it('becomes deleted as the connection is: it is gone, and comes back registered', async () => {
    const { id } = await connect();
    expect((await change(id, { status: 'deleted' })).status).toBe(409);
    await change(id, { status: 'connected' });
    expect(await change(id, { status: 'deleted' })).toMatchObject({
      status: 200,
      body: { status: 'deleted', deleted_at: expect.any(String) },
    });
    expect((await world.admin.get(`${CONNECTIONS}/${id}`)).status).toBe(404);
    expect(await world.admin.post(`${CONNECTIONS}/${id}/restore`)).toMatchObject({
      status: 200,
      body: { status: 'registered', deleted_at: null },
    });
  });

  it('that is ignored or only discovered is not called', async () => {
    const { id } = await connect({ kind: 'helm', metadata: { url: 'http://127.0.0.1:1' }, status: 'discovered' });
    for (const status of ['discovered', 'ignored']) {
      await change(id, { status });
      expect(await world.admin.post(`${CONNECTIONS}/${id}/ping`)).toMatchObject({
        status: 409,
        body: { code: 'ILLEGAL_STATUS' },
      });
    }
  });
});

describe('a change of a connection', () => {
  it('touches what is sent; null clears, and unlinks the credential', async () => {
    const used = await credential();
    const own = await connect({ metadata: { a: 1 }, credential_id: used.id });
    expect(await change(own.id, { name: 'new' })).toMatchObject({
      status: 200,
      body: { name: 'new', metadata: { a: 1 }, credential_id: used.id },
    });
    expect(await change(own.id, { metadata: null, credential_id: null })).toMatchObject({
      status: 200,
      body: { name: 'new', metadata: {}, credential_id: null },
    });
    const read = (await world.admin.get(`${CONNECTIONS}/${own.id}`)).body;
    expect(await change(own.id, { ...read, sub_type: 'other' })).toMatchObject({ status: 200 });
    expect(await change(own.id, { kind: 'other' })).toMatchObject({ status: 400, body: { code: 'READ_ONLY_FIELD' } });
  });

  it('puts a secret into the credential that it shares, or into one of its own', async () => {
    const used = await credential();
    const [one, two] = [await connect({ credential_id: used.id }), await connect({ credential_id: used.id })];
    expect(await change(one.id, { credential_secret: { token: 'new' } })).toMatchObject({
      status: 200,
      body: { credential_id: used.id },
    });
    const own = await change(one.id, { credential_id: null, credential_secret: { token: 'own' } });
    expect(own.body.credential_id).not.toBe(used.id);
    expect((await world.admin.get(`${CONNECTIONS}/${two.id}`)).body.credential_id).toBe(used.id);
    const other = await credential();
    expect(await change(one.id, { credential_id: other.id, credential_secret: { token: 'x' } })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/credential_secret' }] },
    });
  });

  it('does not know credentials of other organizations, deleted ones, and those that do not fit', async () => {
    const outsider = await world.outsider();
    const foreign = await made(
      CREDENTIALS,
      { name: 'x', type: 'token', secret: { token: 'x' }, organization_id: outsider.organization },
      outsider,
    );
    const deleted = await credential();
    await world.admin.delete(`${CREDENTIALS}/${deleted.id}`);
    const own = await connect({ kind: 'github' });
    for (const id of [foreign.id, deleted.id, randomUUID()]) {
      expect(await change(own.id, { credential_id: id })).toMatchObject({ status: 404 });
      expect(await world.admin.post(CONNECTIONS, { name: 'x', kind: 'custom', credential_id: id })).toMatchObject({
        status: 404,
      });
    }
    const unfit = await credential({ secret: { password: 'x' } });
    expect(await change(own.id, { credential_id: unfit.id })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/credential_id' }] },
    });
  });
});

describe('a credential', () => {
  it('never comes out, has a name of its own, and shows who uses it', async () => {
    const used = await credential({ secret: { token: 'canary-of-a-credential' } });
    const one = await connect({ credential_id: used.id });
    const answers = [
      await world.admin.get(`${CREDENTIALS}/${used.id}`),
      await world.admin.get(`${CREDENTIALS}/${used.id}/connections`),
      await world.admin.put(`${CREDENTIALS}/${used.id}`, { secret: { token: 'canary-of-another' } }),
    ];
    expect(answers[1]?.body).toMatchObject({ total_count: 1, connections: [{ id: one.id }] });
    expect(JSON.stringify(answers.map(({ body }) => body as object))).not.toContain('canary');
    const taken = {
      name: used.name.toUpperCase(),
      type: 'token',
      secret: { token: 'x' },
      organization_id: world.organization,
    };
    expect(await world.admin.post(CREDENTIALS, taken)).toMatchObject({ status: 409, body: { code: 'NAME_TAKEN' } });
  });

  it('is not deleted while it is used; afterwards its name is free', async () => {
    const used = await credential();
    const one = await connect({ credential_id: used.id });
    expect(await world.admin.delete(`${CREDENTIALS}/${used.id}`)).toMatchObject({
      status: 409,
      body: { code: 'IN_USE', connections: [{ id: one.id, name: one.name }] },
    });
    await world.admin.delete(`${CONNECTIONS}/${one.id}`);
    expect((await world.admin.delete(`${CREDENTIALS}/${used.id}`)).status).toBe(200);
    await credential({ name: used.name });
    expect(await world.admin.post(`${CONNECTIONS}/${one.id}/restore`)).toMatchObject({
      status: 200,
      body: { credential_id: null },
    });
  });

  it('must stay of use to the connections that have it', async () => {
    const used = await credential();
    await connect({ kind: 'github', credential_id: used.id });
    expect(await world.admin.put(`${CREDENTIALS}/${used.id}`, { secret: { other: 'x' } })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/secret' }] },
    });
  });

  it('is made for each of many connections of one name at once', async () => {
    const name = unique('default');
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        world.admin.post(CONNECTIONS, { name, kind: 'custom', credential_secret: { token: 'abc' } }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 201).map(({ body }) => body as object)).toEqual([]);
    const { body } = await world.admin.get(`${CREDENTIALS}?search=${encodeURIComponent(name)}&pagesize=50`);
    expect(new Set(body.credentials.map((each: Json) => each.name)).size).toBe(20);
  });
});

describe('a deleted connection', () => {
  it('comes back with the environments it was in, as far as they are there', async () => {
    const { admin, organization } = world;
    const own = await connect();
    const [stays, goes] = [
      await made('/api/environments', { name: 'stays' }),
      await made('/api/environments', { name: 'goes' }),
    ];
    for (const { id } of [stays, goes]) await admin.post(`/api/environments/${id}/connections/${own.id}`);
    await admin.delete(`${CONNECTIONS}/${own.id}`);
    await admin.delete(`/api/environments/${goes.id}`);
    const filter = encodeURIComponent('{"deleted_at":true}');
    const gone = await admin.get(`${CONNECTIONS}?orgID=${organization}&filter=${filter}&pagesize=500`);
    expect(gone.body.connections.map((each: Json) => each.id)).toContain(own.id);
    const member = await world.person('member');
    expect((await member.post(`${CONNECTIONS}/${own.id}/restore`)).status).toBe(404);
    const back = await admin.post(`${CONNECTIONS}/${own.id}/restore`);
    expect(back).toMatchObject({ status: 200, body: { status: 'registered', deleted_at: null } });
    expect((await admin.post(`${CONNECTIONS}/${own.id}/restore`)).body.updated_at).toBe(back.body.updated_at);
    const listed = await admin.get(`${CONNECTIONS}?orgID=${organization}&search=${encodeURIComponent(own.name)}`);
    expect(listed.body.connections[0].environments).toEqual([{ id: stays.id, name: 'stays' }]);
  });
});
