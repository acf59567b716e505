import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { moduleOf, proxyFilter } from '../src/filters/wasm/module.fixture.js';
import type { Json, Person } from './support/person.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const WASM = proxyFilter();
const OTHER = proxyFilter('proxy_on_response_headers');
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const digestOf = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const CATALOG = { content_class: 'Community', type: 'traffic-management', compatibility: ['Envoy'] };

let world: World;
let people: People;
let scene: WorkspaceScene;

beforeAll(async () => {
  world = await World.start({
    LIMIT_UPLOAD_BYTES: '200000',
    LIMIT_BODY_BYTES: '150000',
    LIMIT_RESPONSE_BYTES: '200000',
    OUTBOUND_ALLOW: '127.0.0.0/8',
  });
  people = await peopleOf(world);
  scene = await WorkspaceScene.make(world, people);
}, 120_000);
afterAll(() => world.stop());

const bodyOf = (fields: object = {}, bytes = WASM) => ({
  name: 'greeter',
  filter_data: { filter_file: base64(bytes) },
  workspace_id: scene.id,
  ...fields,
});
const made = (by: Person = people.editor, fields: object = {}): Promise<Json> =>
  done(by.post('/api/filter', bodyOf(fields)));
const published = async (fields: object = {}, catalog: object = {}): Promise<Json> => {
  const { id } = await made(people.editor, fields);
  return done(people.admin.post('/api/filter/catalog/publish', { id, catalog_data: { ...CATALOG, ...catalog } }));
};
const names = (answer: Json): string[] => answer.body.filters.map((each: Json) => each.name as string);
const eventsOf = async (id: string): Promise<Json[]> =>
  (await world.admin.get(`/api/events?orgID=${world.organization}&pagesize=500`)).body.events.filter(
    (event: Json) => event.acted_upon === id,
  );

async function download(person: Person, id: string) {
  const response = await fetch(`${world.baseUrl}/api/filter/download/${id}`, {
    headers: { authorization: `Bearer ${person.token ?? ''}` },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    disposition: response.headers.get('content-disposition'),
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

describe('a new filter', () => {
  it('is made of base64, with its configuration as text or object, and shows what it is', async () => {
    const { status, body, headers } = await people.editor.post(
      '/api/filter',
      bodyOf({ config: { greeting: 'hello', level: 1 } }),
    );
    expect(status).toBe(201);
    expect(headers.get('etag')).toMatch(/^"1\./);
    expect(body).toMatchObject({
      name: 'greeter',
      user_id: people.editor.id,
      workspace_id: scene.id,
      organization_id: world.organization,
      visibility: 'workspace',
      filter_file: base64(WASM),
      filter_resource: '{"greeting":"hello","level":1}',
      location: { type: 'inline', host: '', path: '', branch: '' },
      catalog_data: {},
      size: WASM.length,
      digest: digestOf(WASM),
      metadata: {
        abi: '0.2.1',
        exports: ['proxy_abi_version_0_2_1', 'proxy_on_request_headers'],
        imports: ['env.proxy_log'],
        exports_count: 2,
        imports_count: 1,
      },
      cloned_from: null,
      clone_count: 0,
      download_count: 0,
      deleted_at: null,
    });
    expect((await people.viewer.get(`/api/filter/${body.id}`)).body).toEqual(body);
    expect(await eventsOf(body.id as string)).toMatchObject([
      { category: 'filter', action: 'created', workspace_id: scene.id, metadata: { digest: digestOf(WASM) } },
    ]);
    const text = await made(people.editor, { config: 'level: 1 # of greeting' });
    expect(text.filter_resource).toBe('level: 1 # of greeting');
  });

  it('is made of an upload, which names it', async () => {
    const fields = { workspace_id: scene.id, config: 'a: b', visibility: 'organization' };
    const { status, body } = await people.editor.upload('/api/filter', 'my greeter.wasm', WASM, fields);
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        name: 'my greeter',
        visibility: 'organization',
        filter_resource: 'a: b',
        location: { type: 'upload', path: 'my greeter.wasm' },
      },
    });
    expect((await download(people.viewer, body.id as string)).bytes.equals(WASM)).toBe(true);
    const named = await people.editor.upload('/api/filter', 'x.wasm', WASM, { ...fields, name: 'called so' });
    expect(named.body.name).toBe('called so');
    const inner = await made(people.editor, { name: undefined, filter_data: { name: 'inner', filter_file: base64(WASM) } }); // prettier-ignore
    expect(inner.name).toBe('inner');
  });

  it('is only judged with save=false', async () => {
    const before = (await world.admin.get('/api/filter')).body.total_count as number;
    const answers = [
      await people.editor.post('/api/filter', bodyOf({ save: false })),
      await people.editor.upload('/api/filter', 'x.wasm', WASM, { workspace_id: scene.id, save: 'false' }),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 200, body: { id: null, created_at: null, digest: digestOf(WASM) } });
    expect((await world.admin.get('/api/filter')).body.total_count).toBe(before);
    expect(await people.editor.post('/api/filter', bodyOf({ save: 'perhaps' }))).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/save' }] },
    });
  });

  it('lives in the default workspace of its maker unless another is named, and is refused without a name', async () => {
    const { body } = await people.viewer.post('/api/filter', bodyOf({ workspace_id: undefined }));
    expect(body.workspace_id).not.toBe(scene.id);
    expect((await people.editor.get(`/api/filter/${body.id}`)).status).toBe(404);
    const nameless = await people.editor.post('/api/filter', bodyOf({ name: undefined }));
    expect(nameless).toMatchObject({ status: 400, body: { errors: [{ pointer: '/name', detail: 'is required' }] } });
  });

  it('is one with its row in the database: sealed, and opened nowhere else', async () => {
    const secret = `token-${Math.random()}`;
    const [one, two] = [await made(people.editor, { config: { secret } }), await made()];
    const [row] = await world.sql<{ text: string; content: Buffer }>(
      'SELECT filter::text AS text, content FROM filter WHERE id = $1',
      [one.id],
    );
    expect(row?.content.includes(WASM.subarray(8))).toBe(false);
    expect(row?.text).not.toContain(secret);
    expect(row?.text).not.toContain(Buffer.from(secret).toString('hex'));
    await world.sql('UPDATE filter SET content = (SELECT content FROM filter WHERE id = $1) WHERE id = $2', [
      one.id,
      two.id,
    ]);
    expect((await world.admin.get(`/api/filter/${two.id}`)).status).toBe(500);
    await world.sql('DELETE FROM filter WHERE id = $1', [two.id]);
  });
});

describe('what is no filter', () => {
  const FILE = '/filter_data/filter_file';
  it.each<[string, Uint8Array, RegExp]>([
    ['text', Buffer.from('(module (func (export "f")))'), /as text \(\.wat\)/],
    ['a cut module', WASM.subarray(0, -3), /not valid WebAssembly/],
    ['a module with bad sections', Buffer.from([...WASM.subarray(0, 8), 1, 0x7f, 3]), /not valid WebAssembly/],
    ['a component', Buffer.from([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]), /component model/],
    ['a compressed module', gzipSync(WASM), /packed \(gzip\)/],
    ['another file', Buffer.from('MZ\x90'), /does not begin with/],
  ])('is refused as base64 and as upload, naming the fault and the remedy: %s', async (_, bytes, detail) => {
    const fault = (pointer: string): Json => ({
      status: 400,
      body: {
        code: 'VALIDATION_FAILED',
        errors: [{ pointer, detail: expect.stringMatching(detail) as string, remedy: expect.any(String) as string }],
      },
    });
    expect(await people.editor.post('/api/filter', bodyOf({}, Buffer.from(bytes)))).toMatchObject(fault(FILE));
    const upload = await people.editor.upload('/api/filter', 'x.wasm', bytes, { workspace_id: scene.id });
    expect(upload).toMatchObject(fault('/file'));
  });

  it.each<[string, object, string]>([
    ['nothing', { filter_data: undefined }, FILE],
    ['an empty module', { filter_data: { filter_file: '' } }, FILE],
    ['no text', { filter_data: { filter_file: [0, 97, 115, 109] } }, FILE],
    ['no base64', { filter_data: { filter_file: 'no base64!' } }, FILE],
    ['a member that there is not', { filter_data: { filter_file: base64(WASM), 'a/b': 1 } }, '/filter_data/a~1b'],
    ['an inner name that is none', { name: undefined, filter_data: { name: ' ', filter_file: base64(WASM) } }, '/filter_data/name'], // prettier-ignore
    ['data that is no object', { filter_data: 'x' }, '/filter_data'],
    ['a configuration that is a list', { config: [1] }, '/config'],
    ['a configuration without end', { config: 'x'.repeat(64_001) }, '/config'],
    ['a visibility that only publishing gives', { visibility: 'public' }, '/visibility'],
    ['a field of the record', { digest: 'sha256:0' }, '/digest'],
  ])('is refused by its place: %s', async (_, fields, pointer) => {
    const { status, body } = await people.editor.post('/api/filter', bodyOf(fields));
    expect({ status, pointers: body.errors.map((each: Json) => each.pointer) }).toEqual({
      status: 400,
      pointers: [pointer],
    });
  });

  it('is an empty upload, a module over the limit, and names that no database keeps are no fault', async () => {
    const into = { workspace_id: scene.id };
    const empty = await people.editor.upload('/api/filter', 'x.wasm', '', into);
    expect(empty).toMatchObject({ status: 400, body: { errors: [{ pointer: '/file', detail: 'is empty' }] } });
    const exports = Array.from({ length: 20_000 }, (_, index) => `name ${index}`);
    const large = moduleOf({ exports });
    expect(large.length).toBeGreaterThan(200_000);
    expect((await people.editor.upload('/api/filter', 'x.wasm', large, into)).status).toBe(413);
    expect((await people.editor.post('/api/filter', bodyOf({}, large))).status).toBe(413);
    const odd = await people.editor.upload('/api/filter', 'x.wasm', moduleOf({ exports: ['\0'] }), into);
    expect(odd).toMatchObject({ status: 201, body: { metadata: { abi: null, exports: ['\ufffd'] } } });
  });
});

describe('a filter behind a URL', () => {
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const found = request.url === '/repo/raw/main/lua.wasm';
      response.writeHead(found ? 200 : 404).end(found ? WASM : 'not here');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  const fetched = (url: string) => people.editor.post('/api/filter', { url, workspace_id: scene.id });

  it('is fetched, and keeps where it came from', async () => {
    expect(await fetched(`${origin}/repo/raw/main/lua.wasm`)).toMatchObject({
      status: 201,
      body: {
        name: 'lua',
        filter_file: base64(WASM),
        location: { type: 'url', host: new URL(origin).host, path: '/repo/raw/main/lua.wasm' },
      },
    });
  });

  it('is refused when it is not there, or behind an address that is not for users', async () => {
    expect(await fetched(`${origin}/gone.wasm`)).toMatchObject({ status: 400, body: { code: 'SOURCE_UNAVAILABLE' } });
    expect(await fetched('http://169.254.169.254/latest')).toMatchObject({
      status: 400,
      body: { code: 'OUTBOUND_REFUSED' },
    });
    expect(await fetched('nonsense')).toMatchObject({ status: 400, body: { errors: [{ pointer: '/url' }] } });
  });
});

describe('the list of filters', () => {
  it('is paged, searched, ordered and walked, and has no modules unless they are asked for', async () => {
    const own = await WorkspaceScene.make(world, people);
    for (const name of ['alpha', 'beta', 'gamma']) await made(people.editor, { name, workspace_id: own.id });
    const list = (query = '') => people.viewer.get(`/api/filter?workspace_id=${own.id}&order=name&${query}`);
    const all = await list();
    expect(all.body).toMatchObject({ page: 0, page_size: 10, total_count: 3 });
    expect(names(all)).toEqual(['alpha', 'beta', 'gamma']);
    expect(all.body.filters.map((each: Json) => each.filter_file)).toEqual(['', '', '']);
    expect(names(await list('page=1&pagesize=2'))).toEqual(['gamma']);
    expect(names(await list('search=ET'))).toEqual(['beta']);
    expect(names(await people.viewer.get(`/api/filter?workspace_id=${own.id}&order=name desc`))).toEqual(['gamma', 'beta', 'alpha']); // prettier-ignore
    const first = await list('cursor=&pagesize=2');
    expect(names(await list(`pagesize=2&cursor=${first.body.next_cursor}`))).toEqual(['gamma']);
    const filled = await list('populate=filter_file');
    expect(filled.body.filters.map((each: Json) => each.filter_file)).toEqual([WASM, WASM, WASM].map(base64));
    expect((await list('order=content')).status).toBe(400);
    expect((await list('visibility=secret')).status).toBe(400);
    expect(names(await people.outsider.get('/api/filter'))).toEqual([]);
    expect((await people.outsider.get(`/api/filter?workspace_id=${own.id}`)).status).toBe(404);
  });

  it('does not answer with more contents than one answer may carry', async () => {
    const own = await WorkspaceScene.make(world, people);
    const exports = Array.from({ length: 9_000 }, (_, index) => `name ${index}`);
    for (const name of ['one', 'two', 'three'])
      await done(people.editor.upload('/api/filter', 'x.wasm', moduleOf({ exports }), { name, workspace_id: own.id }));
    const list = (query: string) => people.viewer.get(`/api/filter?workspace_id=${own.id}&${query}`);
    expect(await list('populate=filter_file')).toMatchObject({ status: 400, body: { code: 'ANSWER_TOO_LARGE' } });
    expect((await list('populate=filter_file&pagesize=1')).status).toBe(200);
    const selector = 'selector: { page: "0", pageSize: "3" }';
    const full = await people.viewer.graphql(`{ fetchFilters(${selector}) { filters { id filter_file } } }`);
    expect(full.body.errors[0].extensions.code).toBe('ANSWER_TOO_LARGE');
    expect(full.body.data.fetchFilters.filters).toHaveLength(3);
  });
});

describe('a download', () => {
  it('gives the bytes under the name, and counts', async () => {
    const { id } = await made(people.editor, { name: 'Größe/1.wasm' });
    const file = await download(people.viewer, id as string);
    expect(file).toMatchObject({
      status: 200,
      type: 'application/wasm',
      disposition: `attachment; filename="Gro_e-1.wasm"; filename*=UTF-8''Gr%C3%B6%C3%9Fe-1.wasm`,
    });
    expect(file.bytes.equals(WASM)).toBe(true);
    await download(people.editor, id as string);
    expect((await people.viewer.get(`/api/filter/${id}`)).body).toMatchObject({ download_count: 2 });
    expect((await download(people.member, id as string)).status).toBe(404);
  });
});

describe('a module that is larger than a JSON body may be', () => {
  it('is uploaded, changed and downloaded, and not shown in base64', async () => {
    const large = moduleOf({ exports: Array.from({ length: 14_000 }, (_, index) => `name ${index}`) });
    expect(large.length).toBeGreaterThan(150_000);
    const made = await people.editor.upload('/api/filter', 'large.wasm', large, { workspace_id: scene.id });
    const path = `/api/filter/${made.body.id}`;
    expect(made).toMatchObject({ status: 201, body: { filter_file: '', size: large.length, digest: digestOf(large) } });
    const read = await people.editor.get(path);
    expect(read.body.filter_file).toBe('');
    expect((await people.editor.put(path, { ...read.body, name: 'larger' })).status).toBe(200);
    expect((await download(people.viewer, made.body.id as string)).bytes.equals(large)).toBe(true);
    const query = `{ fetchFilters(selector: { page: "0", pageSize: "1", search: "larger" }) { filters { name filter_file } } }`;
    const shown = await people.viewer.graphql(query);
    expect(shown.body.data.fetchFilters.filters).toEqual([{ name: 'larger', filter_file: '' }]);
  });
});

describe('a change', () => {
  it('takes what is sent, leaves the rest, and replaces the module', async () => {
    const filter = await made(people.editor, { config: 'a: 1' });
    const path = `/api/filter/${filter.id}`;
    const renamed = await people.editor.put(path, { name: 'renamed', visibility: 'organization' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'renamed', visibility: 'organization', filter_resource: 'a: 1' } }); // prettier-ignore
    expect((await people.member.get(path)).status).toBe(200);
    const rebuilt = await people.editor.put(path, { filter_data: { filter_file: base64(OTHER) }, config: null });
    expect(rebuilt).toMatchObject({
      status: 200,
      body: { name: 'renamed', digest: digestOf(OTHER), filter_file: base64(OTHER), filter_resource: '' },
    });
    expect(rebuilt.body.metadata.exports).toContain('proxy_on_response_headers');
    const form = new FormData();
    form.set('file', new Blob([WASM]), 'again.wasm');
    expect(await people.editor.put(path, form)).toMatchObject({
      status: 200,
      body: { digest: digestOf(WASM), name: 'renamed', location: { type: 'upload', path: 'again.wasm' } },
    });
    expect((await people.editor.put(path, {})).status).toBe(200);
    const updates = (await eventsOf(filter.id as string)).filter(({ action }) => action === 'updated');
    expect(updates.map(({ metadata }) => metadata.content as boolean).sort()).toEqual([false, true, true]);
  });

  it('may be the record as it was read, and honours what the caller believes it to be', async () => {
    const filter = await made(people.editor, { config: { a: 1 } });
    const path = `/api/filter/${filter.id}`;
    const read = await people.editor.get(path);
    const changed = await people.editor.put(path, { ...read.body, name: 'second' }, { headers: { 'If-Match': read.headers.get('etag') ?? '' } }); // prettier-ignore
    expect(changed).toMatchObject({ status: 200, body: { name: 'second' } });
    const stale = await people.editor.put(path, { name: 'third' }, { headers: { 'If-Match': read.headers.get('etag') ?? '' } }); // prettier-ignore
    expect(stale.status).toBe(412);
    const forged = await people.editor.put(path, { ...changed.body, digest: 'sha256:0', filter_file: base64(OTHER) });
    expect(forged).toMatchObject({ status: 400, body: { code: 'READ_ONLY_FIELD' } });
    expect(forged.body.errors.map((each: Json) => each.pointer).sort()).toEqual(['/digest', '/filter_file']);
    expect((await people.editor.put(path, { visibility: 'public' })).body.errors[0].pointer).toBe('/visibility');
    const unsound = await people.editor.put(path, { filter_data: { filter_file: base64(Buffer.from('(module)')) } });
    expect(unsound).toMatchObject({ status: 400, body: { errors: [{ pointer: '/filter_data/filter_file' }] } });
  });
});

describe('a copy', () => {
  it('belongs to the caller, in the default workspace or another, and remembers where it came from', async () => {
    const source = await made(people.editor, { config: { a: 1 }, name: 'x'.repeat(255), visibility: 'organization' });
    const { status, body } = await people.viewer.post(`/api/filter/clone/${source.id}`);
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        name: `${'x'.repeat(248)} (copy)`,
        user_id: people.viewer.id,
        visibility: 'workspace',
        digest: source.digest,
        filter_file: source.filter_file,
        filter_resource: '{"a":1}',
        cloned_from: { id: source.id, name: source.name, digest: source.digest },
        location: { type: 'clone', path: `/api/filter/${source.id}` },
        clone_count: 0,
      },
    });
    expect(body.workspace_id).not.toBe(scene.id);
    const placed = await people.editor.post(`/api/filter/clone/${source.id}`, { name: 'mine', workspace_id: scene.id });
    expect(placed).toMatchObject({ status: 201, body: { name: 'mine', workspace_id: scene.id } });
    expect((await people.editor.get(`/api/filter/${source.id}`)).body.clone_count).toBe(2);
    expect(await eventsOf(placed.body.id as string)).toMatchObject([
      { action: 'cloned', metadata: { source: source.id } },
    ]);
    const refused = await people.viewer.post(`/api/filter/clone/${source.id}`, { workspace_id: scene.id });
    expect(refused.status).toBe(403);
    expect((await people.outsider.post(`/api/filter/clone/${source.id}`)).status).toBe(404);
  });
});

describe('the catalog', () => {
  const find = (person: Person, query = '') => person.get(`/api/filter/catalog?${query}`);

  it('shows what was published to everyone who is signed in, narrowed as they ask', async () => {
    const filter = await published({ name: 'catalogued', config: 'a: 1' }, { compatibility: ['Istio'], more: 'kept' });
    expect(filter).toMatchObject({
      visibility: 'public',
      catalog_data: {
        content_class: 'community',
        type: 'Traffic-management',
        compatibility: ['Istio'],
        more: 'kept',
        published_version: digestOf(WASM),
        published_at: expect.stringMatching(/^\d{4}-/) as string,
      },
    });
    const { outsider } = people;
    const shown = await find(outsider, 'search=catalogued');
    expect(shown.body).toMatchObject({ page: 0, page_size: 10, total_count: 1 });
    expect(shown.body.filters[0]).toMatchObject({ id: filter.id, filter_file: '', filter_resource: 'a: 1' });
    expect(shown.body.filters[0]).not.toHaveProperty('workspace_id');
    expect(shown.body.filters[0]).not.toHaveProperty('location');
    const filled = await find(outsider, 'search=catalogued&populate=filter_file');
    expect(filled.body.filters[0].filter_file).toBe(base64(WASM));
    for (const query of [
      'class=COMMUNITY',
      'type=security,Traffic-management',
      'technology=istio',
      'technology=proxy-wasm',
    ])
      expect(names(await find(outsider, `${query}&pagesize=500`))).toContain('catalogued');
    for (const query of ['class=official', 'type=Security', 'technology=linkerd', 'search=nobody'])
      expect(names(await find(outsider, `${query}&pagesize=500`))).not.toContain('catalogued');
    expect((await find(outsider, 'class=nobody')).status).toBe(400);
    expect((await find(world.stranger)).status).toBe(401);

    const content = await outsider.graphql(
      `{ fetchFilterCatalogContent(selector: { page: "0", pagesize: "5", search: "catalogued", order: "", technology: ["Istio"] })
        { id name user_id filter_file filter_resource visibility catalog_data created_at updated_at } }`,
    );
    expect(content.body.data.fetchFilterCatalogContent).toMatchObject([
      { id: filter.id, name: 'catalogued', filter_file: base64(WASM), filter_resource: 'a: 1', visibility: 'public' },
    ]);
    const everything = await outsider.graphql('{ fetchFilterCatalogContent { id } }');
    expect(everything.body.data.fetchFilterCatalogContent.map((each: Json) => each.id)).toContain(filter.id);
  });

  it('lets strangers read, download and copy, and nothing else', async () => {
    const source = await done(
      people.editor.upload('/api/filter', 'from our disk.wasm', WASM, { name: 'greeter', workspace_id: scene.id }),
    );
    const filter = await done(
      people.admin.post('/api/filter/catalog/publish', { id: source.id, catalog_data: CATALOG }),
    );
    const { outsider } = people;
    const path = `/api/filter/${filter.id}`;
    expect((await outsider.get(path)).body).toMatchObject({
      id: filter.id,
      filter_file: base64(WASM),
      location: { type: 'upload', host: '', path: '' },
    });
    expect((await people.viewer.get(path)).body.location.path).toBe('from our disk.wasm');
    expect((await download(outsider, filter.id as string)).bytes.equals(WASM)).toBe(true);
    const copy = await outsider.post(`/api/filter/clone/${filter.id}`);
    expect(copy).toMatchObject({ status: 201, body: { user_id: outsider.id, cloned_from: { id: filter.id }, visibility: 'workspace' } }); // prettier-ignore
    expect((await outsider.get(`/api/filter/${copy.body.id}`)).body.filter_file).toBe(base64(WASM));
    expect((await world.admin.get(`/api/filter/${copy.body.id}`)).status).toBe(404);
    expect((await people.editor.get(path)).body).toMatchObject({ clone_count: 1, download_count: 1 });
    expect((await outsider.put(path, { name: 'mine' })).status).toBe(403);
    expect((await outsider.delete(path)).status).toBe(403);
    expect((await outsider.delete(`/api/filter/catalog/unpublish?id=${filter.id}`)).status).toBe(403);
    expect(names(await outsider.get('/api/filter?search=greeter'))).toEqual(['greeter (copy)']);
    expect((await outsider.get(path)).body.name).toBe('greeter');
  });

  it('takes back: by unpublishing, deleting, archiving and deleting the workspace', async () => {
    const own = await WorkspaceScene.make(world, people);
    const filter = await published({ workspace_id: own.id, name: 'taken back' });
    const { outsider } = people;
    const path = `/api/filter/${filter.id}`;
    const visible = async () => [(await outsider.get(path)).status, names(await find(outsider, 'search=taken back')).length]; // prettier-ignore
    expect(await visible()).toEqual([200, 1]);
    for (const [away, back] of [
      [() => people.admin.delete(path), () => people.admin.post(`${path}/restore`)],
      [() => world.admin.post(`${own.path}/archive`), () => world.admin.post(`${own.path}/restore`)],
      [() => world.admin.delete(own.path), () => world.admin.post(`${own.path}/restore`)],
    ] as const) {
      await done(away());
      expect(await visible()).toEqual([404, 0]);
      expect((await outsider.post(`/api/filter/clone/${filter.id}`)).status).toBe(404);
      expect((await outsider.post(`${path}/restore`)).status).toBe(404);
      await done(back());
      expect(await visible()).toEqual([200, 1]);
    }
    const unpublished = await people.admin.delete('/api/filter/catalog/unpublish', { body: { id: filter.id } });
    expect(unpublished).toMatchObject({ status: 200, body: { visibility: 'workspace', catalog_data: {} } });
    expect(await visible()).toEqual([404, 0]);
    expect((await people.admin.delete(`/api/filter/catalog/unpublish?id=${filter.id}`)).status).toBe(200);
    expect((await people.admin.delete('/api/filter/catalog/unpublish')).body.errors[0].pointer).toBe('/id');
    const actions = (await eventsOf(filter.id as string)).map(({ action }) => action as string);
    expect(actions.sort()).toEqual(['created', 'deleted', 'published', 'restored', 'unpublished']);
  });

  it('shows nothing of an organization that is gone', async () => {
    const owner = await world.outsider();
    const { id } = await done(owner.post('/api/filter', bodyOf({ name: 'of the gone', workspace_id: undefined })));
    await done(owner.post('/api/filter/catalog/publish', { id, catalog_data: CATALOG }));
    expect((await people.viewer.get(`/api/filter/${id}`)).status).toBe(200);
    expect(names(await find(people.viewer, 'search=of the gone&order=clone_count desc'))).toEqual(['of the gone']);
    await done(owner.delete(`/api/identity/orgs/${owner.organization}`));
    expect((await people.viewer.get(`/api/filter/${id}`)).status).toBe(404);
    expect(names(await find(people.viewer, 'search=of the gone'))).toEqual([]);
  });

  it('keeps what is published as it was published', async () => {
    const filter = await published({ config: 'a: 1' });
    const path = `/api/filter/${filter.id}`;
    const refused = (field: string): Json => ({
      status: 409,
      body: {
        code: 'PUBLISHED',
        errors: [{ pointer: `/${field}` }],
        remedy: expect.stringContaining('unpublish') as string,
      },
    });
    for (const visibility of ['workspace', 'organization'])
      expect(await people.admin.put(path, { visibility })).toMatchObject(refused('visibility'));
    expect(await people.admin.put(path, { config: 'a: 2' })).toMatchObject(refused('config'));
    const module = { filter_data: { filter_file: base64(OTHER) } };
    expect(await people.admin.put(path, module)).toMatchObject(refused('filter_data'));
    expect(await people.editor.put(path, { name: 'renamed' })).toMatchObject(refused('name'));
    const { body } = await people.editor.get(path);
    const same = { ...body, config: 'a: 1', filter_data: { filter_file: base64(WASM) } };
    expect(await people.editor.put(path, same)).toMatchObject({
      status: 200,
      body: { name: filter.name, visibility: 'public', digest: filter.digest },
    });
    const stale = { headers: { 'if-match': '"stale"' } };
    expect((await people.admin.delete(`/api/filter/catalog/unpublish?id=${filter.id}`, stale)).status).toBe(412);
    const again = await people.admin.post('/api/filter/catalog/publish', {
      id: filter.id,
      catalog_data: { ...CATALOG, type: 'Security' },
    });
    expect(again.body.catalog_data.type).toBe('Security');
  });

  it('asks for an admin, and for sound words', async () => {
    const { id } = await made();
    const publish = (person: Person, catalog_data: object) =>
      person.post('/api/filter/catalog/publish', { id, catalog_data });
    expect((await publish(people.editor, CATALOG)).status).toBe(403);
    const wrong = await publish(people.admin, { content_class: 'nobody' });
    expect(wrong).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/catalog_data/content_class' }, { pointer: '/catalog_data/type' }] },
    });
    expect((await people.viewer.get(`/api/filter/${id}`)).body.visibility).toBe('workspace');
  });
});

describe('a filter that is gone', () => {
  it('is hidden, listed for those who may restore it, and comes back', async () => {
    const { id } = await made(people.editor, { name: 'gone' });
    const path = `/api/filter/${id}`;
    const deleted = `/api/filter?workspace_id=${scene.id}&filter=${encodeURIComponent('{"deleted_at":true}')}`;
    expect((await people.editor.delete(path)).status).toBe(403);
    expect((await people.admin.delete(path)).body.deleted_at).not.toBeNull();
    expect((await people.admin.get(path)).status).toBe(404);
    expect((await people.admin.put(path, { name: 'x' })).status).toBe(404);
    expect((await download(people.admin, id as string)).status).toBe(404);
    expect(names(await people.admin.get(deleted))).toContain('gone');
    expect((await people.editor.post(`${path}/restore`)).status).toBe(403);
    expect(await people.admin.post(`${path}/restore`)).toMatchObject({ status: 200, body: { deleted_at: null } });
    expect((await people.admin.post(`${path}/restore`)).status).toBe(200);
    expect((await people.viewer.get(path)).body.filter_file).toBe(base64(WASM));
  });

  it('goes and comes with its workspace, which when archived is only read', async () => {
    const own = await WorkspaceScene.make(world, people);
    const [kept, gone] = [await made(people.editor, { workspace_id: own.id }), await made(people.editor, { workspace_id: own.id })]; // prettier-ignore
    await done(people.admin.delete(`/api/filter/${gone.id}`));
    await done(world.admin.delete(own.path));
    expect((await world.admin.get(`/api/filter/${kept.id}`)).status).toBe(404);
    await done(world.admin.post(`${own.path}/restore`));
    expect((await people.viewer.get(`/api/filter/${kept.id}`)).status).toBe(200);
    expect((await people.viewer.get(`/api/filter/${gone.id}`)).status).toBe(404);
    await done(world.admin.post(`${own.path}/archive`));
    const archived = { status: 409, body: { code: 'WORKSPACE_ARCHIVED' } };
    expect((await people.viewer.get(`/api/filter/${kept.id}`)).status).toBe(404);
    expect((await people.admin.get(`/api/filter/${kept.id}`)).status).toBe(200);
    expect(await people.admin.put(`/api/filter/${kept.id}`, { name: 'x' })).toMatchObject(archived);
    expect(await people.admin.delete(`/api/filter/${kept.id}`)).toMatchObject(archived);
    expect(await people.admin.post(`/api/filter/${gone.id}/restore`)).toMatchObject(archived);
    expect(await people.admin.post('/api/filter', bodyOf({ workspace_id: own.id }))).toMatchObject(archived);
    const publish = { id: kept.id, catalog_data: CATALOG };
    expect(await people.admin.post('/api/filter/catalog/publish', publish)).toMatchObject(archived);
  });
});

describe('over GraphQL', () => {
  it('filters are paged as over REST, with their modules when they are asked for', async () => {
    const own = await WorkspaceScene.make(world, people);
    const filter = await made(people.editor, { workspace_id: own.id, name: 'over graphql', config: 'x' });
    const query = `{ fetchFilters(selector: { page: "0", pageSize: "10", search: "over graphql", visibility: ["workspace"], from: "2020-01-01T00:00:00Z" })
      { page page_size total_count filters { id name filter_file filter_resource user_id location visibility catalog_data created_at updated_at } } }`;
    const { body } = await people.viewer.graphql(query);
    expect(body.data.fetchFilters).toEqual({
      page: 0,
      page_size: 10,
      total_count: 1,
      filters: [
        {
          id: filter.id,
          name: 'over graphql',
          filter_file: base64(WASM),
          filter_resource: 'x',
          user_id: people.editor.id,
          location: filter.location,
          visibility: 'workspace',
          catalog_data: {},
          created_at: filter.created_at,
          updated_at: filter.updated_at,
        },
      ],
    });
    expect((await people.outsider.graphql(query)).body.data.fetchFilters.total_count).toBe(0);
    const wrong = await people.viewer.graphql('{ fetchFilters(selector: { page: "x", pageSize: "1" }) { page } }');
    expect(wrong.body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
  });
});

describe('two callers', () => {
  it('who change one filter at a time both leave it sound', async () => {
    const { id } = await made();
    const path = `/api/filter/${id}`;
    const answers = await Promise.all(
      [WASM, OTHER, WASM, OTHER].map((bytes) =>
        people.editor.put(path, { filter_data: { filter_file: base64(bytes) } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const { body } = await people.editor.get(path);
    expect(digestOf(Buffer.from(body.filter_file as string, 'base64'))).toBe(body.digest);
  });
});
