import { randomUUID } from 'node:crypto';
import { aComponent, aModel, aPackage, aRelationship } from '../src/registry/packages/package.fixture.js';
import type { Json, Person } from './support/person.js';
import { World } from './support/world.js';

let world: World;
let admin: Person;
let reader: Person;

beforeAll(async () => {
  world = await World.start();
  admin = world.admin;
  reader = await world.person();
});
afterAll(() => world.stop());

const base = '/api/meshmodels';

/** A package in base64, of a model of its own unless it is named. */
async function packed(files: Parameters<typeof aPackage>[0]): Promise<{ file: string; file_name: string }> {
  return { file: (await aPackage(files)).toString('base64'), file_name: 'package.tar.gz' };
}

const inModel = (name: string, version = '1.0.0') => ({ name, model: { version } });

async function register(files: Parameters<typeof aPackage>[0], more: object = {}): Promise<Json> {
  const { status, body } = await admin.post(`${base}/register`, { ...(await packed(files)), ...more });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body;
}

async function registerModel(name: string, kinds: string[], version = '1.0.0'): Promise<Json> {
  const model = aModel({ name, displayName: `The ${name}`, model: { version } });
  const components = kinds.map((kind) => [
    `components/${kind}.json`,
    aComponent({
      model: inModel(name, version),
      displayName: kind,
      component: { kind, version: 'example.org/v1', schema: '{"type":"object"}' },
    }),
  ]);
  return register({ 'model.json': model, ...Object.fromEntries(components) });
}

it('registers a package once, and says of the second time that nothing changed', async () => {
  const name = `model-${randomUUID()}`;
  const first = await registerModel(name, ['Alpha', 'Beta']);
  expect(first.counts).toEqual({ registered: 3, updated: 0, unchanged: 0, failed: 0 });
  expect(first.models).toMatchObject([{ name, version: '1.0.0', outcome: 'registered' }]);
  const second = await registerModel(name, ['Alpha', 'Beta']);
  expect(second.counts).toEqual({ registered: 0, updated: 0, unchanged: 3, failed: 0 });
  expect(second.components.map(({ id }: Json) => id)).toEqual(first.components.map(({ id }: Json) => id));
});

it('shows one row of a model in lists, its highest version, and every version under its name', async () => {
  const name = `model-${randomUUID()}`;
  for (const version of ['v1.9.0', 'v1.10.0', 'v1.2.0']) await registerModel(name, ['Alpha'], version);
  const { body: list } = await reader.get(`${base}/models?search=${name}`);
  expect(list).toMatchObject({
    page: 0,
    page_size: 25,
    count: 1,
    total_count: 1,
    models: [
      { name, version: 'v1.10.0', versions: ['v1.10.0', 'v1.9.0', 'v1.2.0'], duplicates: 2, components_count: 1 },
    ],
  });
  const { body: all } = await reader.get(`${base}/models/${name}?order=version desc`);
  expect(all.models.map((model: Json) => model.version)).toEqual(['v1.10.0', 'v1.9.0', 'v1.2.0']);
  const { body: one } = await reader.get(`${base}/models/${name}?version=v1.9.0`);
  expect(one).toMatchObject({ count: 1, models: [{ version: 'v1.9.0' }] });
});

it('takes names in paths exactly, and categories by name or slug; a name that nobody registered is 404', async () => {
  const name = `model-${randomUUID()}`;
  await registerModel(name, ['Alpha', 'Alphabet']);
  const counts = async (path: string) => {
    const { status, body } = await reader.get(`${base}/${path}`);
    return status === 200 ? body.total_count : status;
  };
  expect({
    slug: await counts(`categories/database/models/${name}`),
    word: await counts(`categories/Database/models/${name}/components`),
    kind: await counts(`models/${name}/components/Alpha`),
    otherCategory: await counts(`categories/observability/models/${name}`),
    noCategory: await counts('categories/nothing/models'),
    noModel: await counts('models/nobody-registered-this'),
    noKind: await counts(`models/${name}/components/Alp`),
    alias: (await reader.get(`/api/registry/models/${name}`)).status,
  }).toEqual({ slug: 1, word: 2, kind: 1, otherCategory: 404, noCategory: 404, noModel: 404, noKind: 404, alias: 200 });
  const { body: one } = await reader.get(`${base}/categories/database/models/${name}/components/Alpha`);
  expect(one).toMatchObject({
    kind: 'Alpha',
    apiVersion: 'example.org/v1',
    model: { name },
    components: [{ kind: 'Alpha' }],
  });
});

it('answers pagesize=all as one stream, tagged by the state of the registry', async () => {
  const name = `model-${randomUUID()}`;
  const kinds = Array.from({ length: 600 }, (_, index) => `Kind${String(index).padStart(3, '0')}`);
  await registerModel(name, kinds);
  const path = `${base}/models/${name}/components?pagesize=all&trim=true`;
  const { headers, body } = await reader.get(path);
  expect(body).toMatchObject({ page: 0, page_size: 600, total_count: 600 });
  expect(body.components.map(({ kind }: Json) => kind)).toEqual(kinds);
  expect(body.components[0].component).toEqual({ kind: 'Kind000', version: 'example.org/v1' });
  const again = () => reader.get(path, { headers: { 'if-none-match': headers.get('etag') ?? '' } });
  expect((await again()).status).toBe(304);
  await registerModel(`model-${randomUUID()}`, []);
  expect((await again()).status).toBe(200);
});

it('answers 304 for a page to who has the state of the registry that it shows, and tags no failure', async () => {
  const name = `model-${randomUUID()}`;
  await registerModel(name, ['Alpha', 'Beta']);
  const path = `${base}/models/${name}/components?pagesize=1&order=kind`;
  const { headers, body } = await reader.get(path);
  expect(body).toMatchObject({ page_size: 1, total_count: 2, components: [{ kind: 'Alpha' }] });
  const again = (url: string, tag = headers.get('etag') ?? '') =>
    reader.get(url, { headers: { 'if-none-match': tag } });
  expect((await again(path)).status).toBe(304);
  expect((await again(`${path}&page=1`)).body.components).toMatchObject([{ kind: 'Beta' }]);
  const missing = await reader.get(`${base}/models/nobody-${name}/components`);
  expect({ status: missing.status, tag: missing.headers.get('etag') }).toEqual({ status: 404, tag: null });
  await registerModel(`model-${randomUUID()}`, []);
  expect((await again(path)).status).toBe(200);
});

it('refuses an order that is no column, one that contradicts sort, and a page size that is none', async () => {
  const refusals = await Promise.all(
    [
      'order=name;drop table model',
      'order=name desc&sort=asc',
      'sort=up',
      'pagesize=0',
      'status=gone',
      'filter={"a":1}',
    ].map(async (query) => {
      const { status, body } = await reader.get(`${base}/models?${query}`);
      return [query.split('=')[0], status, body.errors[0].pointer ?? body.errors[0].detail];
    }),
  );
  expect(refusals.map(([, status]) => status)).toEqual([400, 400, 400, 400, 400, 400]);
  const { body } = await reader.get(`${base}/models?order=name&sort=desc&pagesize=500`);
  const names = body.models.map(({ name }: Json) => name);
  expect(names.length).toBeGreaterThan(2);
  const { body: ascending } = await reader.get(`${base}/models?order=name desc&pagesize=500`);
  expect(ascending.models.map(({ name }: Json) => name)).toEqual(names);
});

it('leaves what is disabled out of lists and schemas, and shows it where it is named', async () => {
  const name = `model-${randomUUID()}`;
  const kind = `Kind${randomUUID().slice(0, 8)}`;
  const { components, models } = await registerModel(name, [kind]);
  const seen = async () => ({
    listed: (await reader.get(`${base}/components?search=${kind}`)).body.total_count,
    named: (await reader.get(`${base}/components/${kind}`)).body.components[0].status,
    schema: (await reader.get(`/api/schema/resource/${kind}`)).status,
  });
  expect(await seen()).toEqual({ listed: 1, named: 'enabled', schema: 200 });
  const ignored = await admin.post(`${base}/component/status`, { id: components[0].id, status: 'ignored' });
  expect([ignored.status, ignored.body.status]).toEqual([200, 'disabled']);
  expect(await seen()).toEqual({ listed: 0, named: 'disabled', schema: 404 });
  expect((await reader.get(`${base}/components?search=${kind}&status=disabled`)).body.total_count).toBe(1);
  await admin.post(`${base}/components/status`, { id: components[0].id, status: 'enabled' });
  await admin.post(`${base}/models/status`, { id: models[0].id, status: 'disabled' });
  expect(await seen()).toEqual({ listed: 0, named: 'enabled', schema: 404 });
  expect((await registerModel(name, [kind])).counts).toMatchObject({ unchanged: 2 });
  await admin.post(`${base}/models/status`, { id: models[0].id, status: 'enabled' });
  expect(await seen()).toEqual({ listed: 1, named: 'enabled', schema: 200 });
  const unknown = await admin.post(`${base}/gadget/status`, { id: models[0].id, status: 'enabled' });
  expect(unknown).toMatchObject({ status: 400, body: { errors: [{ pointer: 'entityType' }] } });
});

it('exports a package that registers again to the same content', async () => {
  const name = `model-${randomUUID()}`;
  for (const version of ['1.0.0', '2.0.0']) await registerModel(name, ['Alpha'], version);
  await register({
    'model.json': aModel({ name, displayName: `The ${name}`, model: { version: '2.0.0' } }),
    'relationship.json': aRelationship({ model: inModel(name, '2.0.0') }),
  });
  const response = await fetch(`${world.baseUrl}${base}/export?model=${name}`, {
    headers: { authorization: `Bearer ${reader.token}` },
  });
  expect(response.headers.get('content-type')).toBe('application/gzip');
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}.tar.gz"`);
  const file = Buffer.from(await response.arrayBuffer());
  const { body: unchanged } = await admin.post(`${base}/register`, {
    file: file.toString('base64'),
    file_name: 'a.tar.gz',
  });
  expect(unchanged.counts).toEqual({ registered: 0, updated: 0, unchanged: 5, failed: 0 });
  const { body: list } = await reader.get(`${base}/models/${name}`);
  for (const { id } of list.models) expect((await admin.delete(`${base}/models/${id}`)).status).toBe(200);
  expect((await reader.get(`${base}/models/${name}`)).status).toBe(404);
  expect((await reader.get(`${base}/components?search=${name}`)).body.total_count).toBe(0);
  const { body: back } = await admin.post(`${base}/register`, { file: file.toString('base64'), file_name: 'a.tar.gz' });
  expect(back.counts).toEqual({ registered: 5, updated: 0, unchanged: 0, failed: 0 });
  expect((await reader.get(`${base}/models/${name}`)).body.total_count).toBe(2);
  expect((await reader.get(`${base}/export?model=nobody`)).status).toBe(404);
  expect((await reader.get(`${base}/export`)).status).toBe(400);
});

it('exports a model without a category, made of components alone, that registers again to the same content', async () => {
  const modelName = `bare-${randomUUID()}`;
  const component = { kind: 'Plain', apiVersion: 'example.org/v1', schema: { type: 'object' } };
  expect((await admin.post(`${base}/components`, { modelName, components: [component] })).status).toBe(200);
  const response = await fetch(`${world.baseUrl}${base}/export?model=${modelName}`, {
    headers: { authorization: `Bearer ${reader.token}` },
  });
  const file = Buffer.from(await response.arrayBuffer()).toString('base64');
  const { body } = await admin.post(`${base}/register`, { file, file_name: 'a.tar.gz' });
  expect(body.counts).toEqual({ registered: 0, updated: 0, unchanged: 2, failed: 0 });
});

it('takes the valid definitions of a package and names the others, unless all were wanted', async () => {
  const name = `model-${randomUUID()}`;
  const files = {
    'model.json': aModel({ name, model: { version: '1.0.0' } }),
    'components/good.json': aComponent({ model: inModel(name) }),
    'components/bad.json': aComponent({ model: inModel(name) }, { schema: '{ no json' }),
  };
  const refused = await admin.post(`${base}/register`, { ...(await packed(files)), atomic: true });
  expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_DEFINITION']);
  expect((await reader.get(`${base}/models/${name}`)).status).toBe(404);
  const checked = await register(files, { register: false });
  expect(checked.counts).toEqual({ registered: 2, updated: 0, unchanged: 0, failed: 1 });
  expect((await reader.get(`${base}/models/${name}`)).status).toBe(404);
  const taken = await register(files);
  expect(taken.counts).toEqual({ registered: 2, updated: 0, unchanged: 0, failed: 1 });
  expect(taken.errors).toMatchObject([
    { entity: 'component', path: 'components/bad.json', pointer: '/component/schema' },
  ]);
});

it('registers components of a model that is named beside them', async () => {
  const modelName = `model-${randomUUID()}`;
  const components = [
    { kind: 'Alpha', apiVersion: 'example.org/v1', schema: { type: 'object' } },
    { kind: 'Beta', schema: '{}' },
  ];
  const { status, body } = await admin.post(`${base}/components`, { modelName, components });
  expect([status, body.counts]).toEqual([200, { registered: 2, updated: 0, unchanged: 0, failed: 1 }]);
  expect(body.errors).toMatchObject([{ entity: 'component', pointer: '/components/1/apiVersion' }]);
  const { body: list } = await reader.get(`${base}/models/${modelName}/components`);
  expect(JSON.parse(list.components[0].component.schema)).toEqual({ type: 'object' });
  const changed = await admin.post(`${base}/components`, {
    modelName,
    components: [{ ...components[0], schema: { type: 'object', title: 'Alpha' } }],
  });
  expect(changed.body.counts).toMatchObject({ updated: 1 });
  expect((await reader.get(`/api/schema/resource/Alpha?model=${modelName}`)).body).toEqual({
    type: 'object',
    title: 'Alpha',
  });
});

it('is written by administrators of the installation only, and read by everyone signed in', async () => {
  const { status, body } = await reader.post(`${base}/register`, await packed({ 'model.json': aModel() }));
  expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
  expect((await world.stranger.get(`${base}/models`)).status).toBe(401);
});

it('registers later when that is asked for, and reports it as an operation and as an event', async () => {
  const name = `model-${randomUUID()}`;
  const begun = await admin.post(`${base}/register?async=true`, await packed({ 'model.json': aModel({ name }) }));
  expect(begun.status).toBe(202);
  const operation = begun.headers.get('location') ?? '';
  const ended = await until(async () => {
    const { body } = await admin.get(operation);
    return body.status === 'succeeded' ? body : null;
  });
  expect(ended.result.counts).toMatchObject({ registered: 1 });
  const { body: feed } = await reader.get(`/api/events?category=registry&pagesize=100`);
  const published = feed.events.filter((event: Json) => event.acted_upon === ended.result.models[0].id);
  expect(published).toMatchObject([{ action: 'registered', organization_id: null, metadata: { registered: 1 } }]);
});

it('is the same over GraphQL, and says when its summary changes', async () => {
  const name = `model-${randomUUID()}`;
  const socket = reader.socket();
  const summaries = socket.iterate<Json>({
    query:
      'subscription { subscribeMeshModelSummary(selector: { type: "components" }) { components { name count } relationships { name } } }',
  });
  const first = (await summaries.next()).value.data.subscribeMeshModelSummary;
  expect(first.relationships).toBeNull();
  await registerModel(name, ['Alpha', 'Beta']);
  const counted = await until(async () => {
    const { components } = (await summaries.next()).value.data.subscribeMeshModelSummary;
    return components.find((each: Json) => each.name === name);
  });
  expect(counted.count).toBe(2);
  await socket.dispose();
  const { body } = await reader.graphql(
    `{ models(search: "${name}") { count models { name versions registrant { kind } category { name } } }
       components(model: "${name}", order: "kind desc") { total_count components { kind component { schema } model { name } } } }`,
  );
  expect(body.errors).toBeUndefined();
  expect(body.data.models).toMatchObject({ count: 1, models: [{ name, registrant: { kind: 'github' } }] });
  expect(body.data.components).toMatchObject({ total_count: 2, components: [{ kind: 'Beta' }, { kind: 'Alpha' }] });
});

it('takes the same package from many at once without doubling anything', async () => {
  const name = `model-${randomUUID()}`;
  const all = await Promise.all(Array.from({ length: 6 }, () => registerModel(name, ['Alpha', 'Beta', 'Gamma'])));
  expect(all.filter(({ counts }) => counts.registered > 0)).toHaveLength(1);
  expect(new Set(all.map(({ models }) => models[0].id)).size).toBe(1);
  expect((await reader.get(`${base}/models/${name}/components`)).body.total_count).toBe(3);
});

it('lets callers without a token read, and only read, where the operator says so', async () => {
  const open = await World.start({ REGISTRY_ANONYMOUS_READ: 'true' });
  try {
    expect((await open.stranger.get(`${base}/models`)).status).toBe(200);
    expect((await open.stranger.get(`${base}/components?pagesize=all`)).status).toBe(200);
    expect((await open.stranger.post(`${base}/register`, {})).status).toBe(401);
    expect((await open.stranger.get('/api/environments')).status).toBe(401);
    expect((await open.stranger.get(`${base}/models`, { headers: { authorization: 'Bearer wrong' } })).status).toBe(
      401,
    );
  } finally {
    await open.stop();
  }
});

async function until<T>(look: () => Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
