import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { tarOf } from '../src/formats/archives/tar.fixture.js';
import type { Json } from './support/person.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const MANIFEST = `# the shop
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: nginx:1.27
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  selector: {app: web}
  ports: [{port: 80}]
`;

const COMPOSE = `services:
  db:
    image: postgres:17
    environment: {POSTGRES_PASSWORD: very-secret-word}
    volumes: [data:/var/lib/postgresql/data]
  web:
    image: nginx:1.27
    ports: ["8080:80"]
    depends_on: [db]
volumes: {data: {}}
`;

const imported = async (name: string, content: string, fields: Record<string, string> = {}): Promise<Json> => {
  const { status, body } = await world.admin.upload('/api/pattern/import', name, content, fields);
  expect({ status, body }).toMatchObject({ status: 201 });
  return body;
};

describe('a design', () => {
  it('is imported from a Kubernetes manifest and read with its file', async () => {
    const design = await imported('shop.yaml', MANIFEST);
    expect(design).toMatchObject({
      name: 'shop',
      visibility: 'workspace',
      user_id: world.admin.id,
      source_type: 'kubernetes',
      type: { String: 'kubernetes', Valid: true },
      version: '0.0.1',
      canSupport: true,
      errmsg: '',
      location: { type: 'upload', path: 'shop.yaml' },
    });
    const read = await world.admin.get(`/api/pattern/${design.id}?populate=source_content`);
    expect(read.body.pattern_file).toContain('schemaVersion: designs.meshery.io/v1beta1');
    expect(read.body.pattern_file).toContain('kind: Deployment');
    expect(read.body).toMatchObject({ source_content: MANIFEST, source_encoding: 'utf-8' });
    const list = await world.admin.get('/api/pattern');
    expect(list.body).toMatchObject({ page: 0, page_size: 10 });
    expect(list.body.patterns.find((each: Json) => each.id === design.id)).toMatchObject({ pattern_file: '' });
  });

  it('shows the archive that it was imported from in base64', async () => {
    const archive = gzipSync(await tarOf({ 'shop/web.yaml': MANIFEST }));
    const { status, body } = await world.admin.upload('/api/pattern/import', 'shop.tgz', archive);
    expect({ status, type: body.source_type }).toEqual({ status: 201, type: 'kubernetes' });
    const read = await world.admin.get(`/api/pattern/${body.id}?populate=source_content`);
    expect(read.body.source_encoding).toBe('base64');
    expect(Buffer.from(read.body.source_content as string, 'base64').equals(archive)).toBe(true);
  });

  it('is imported from a Compose file, whose secrets are nowhere in clear at rest', async () => {
    const design = await imported('docker-compose.yml', COMPOSE, { name: 'composed' });
    expect(design).toMatchObject({ name: 'composed', source_type: 'docker-compose' });
    const { body } = await world.admin.get(`/api/pattern/${design.id}`);
    for (const kind of ['Deployment', 'Service', 'PersistentVolumeClaim'])
      expect(body.pattern_file).toContain(`kind: ${kind}`);
    const rows = await world.sql<{ content: Buffer; source: Buffer }>(
      'SELECT * FROM design_version WHERE design_id = $1',
      [design.id],
    );
    expect(
      JSON.stringify(rows.map((row) => [row.content.toString('latin1'), row.source.toString('latin1')])),
    ).not.toContain('very-secret');
    const events = await world.sql('SELECT * FROM event');
    expect(JSON.stringify(events)).not.toContain('very-secret');
  });

  it('is created from pattern_data in its forms, and only parsed with save=false', async () => {
    const { admin } = world;
    const file = {
      name: 'inline',
      version: '1.2.3',
      services: { cm: { type: 'ConfigMap', apiVersion: 'v1', name: 'cm', settings: {} } },
    };
    const made = await admin.post('/api/pattern', {
      name: 'inline',
      pattern_data: { name: 'inline', design_file: file },
    });
    expect(made).toMatchObject({ status: 201, body: { name: 'inline', source_type: 'design', version: '1.2.3' } });
    const text = await admin.post('/api/pattern', {
      name: 'text',
      pattern_data: { pattern_file: Buffer.from(MANIFEST).toString('base64') },
    });
    expect(text).toMatchObject({ status: 201, body: { source_type: 'kubernetes' } });
    const count = async () => (await admin.get('/api/pattern?search=unsaved')).body.total_count as number;
    const parsed = await admin.post('/api/pattern', {
      name: 'unsaved',
      pattern_data: { design_file: MANIFEST },
      save: false,
    });
    expect(parsed).toMatchObject({ status: 200, body: { id: null, name: 'unsaved' } });
    expect(parsed.body.pattern_file).toContain('kind: Deployment');
    expect(await count()).toBe(0);
  });

  it('is only parsed by an import with save=false, in a form as in JSON, also as a next version', async () => {
    const { admin } = world;
    const fields = { name: 'tried', save: 'false' };
    const parsed = await admin.upload('/api/pattern/import?async=true', 'shop.yaml', MANIFEST, fields);
    expect(parsed).toMatchObject({
      status: 200,
      body: { id: null, name: 'tried', workspace_id: expect.any(String) as string, source_type: 'kubernetes' },
    });
    expect(parsed.body).toMatchObject({ warnings: [], picture: expect.stringContaining('<svg') as string });
    expect(parsed.body.components).toBeGreaterThan(0);
    expect(parsed.body.pattern_file).toContain('kind: Deployment');
    expect((await admin.get('/api/pattern?search=tried')).body.total_count).toBe(0);

    const { id } = await imported('kept.yaml', MANIFEST);
    const file = Buffer.from('{apiVersion: v1, kind: ConfigMap, metadata: {name: other}}').toString('base64');
    const next = await admin.post('/api/pattern/import', { id, file, file_name: 'kept.yaml', save: false });
    expect(next).toMatchObject({ status: 200, body: { id: null, version_number: 2 } });
    expect((await admin.get(`/api/pattern/${id}`)).body.version_number).toBe(1);
    const same = { id, file: Buffer.from(MANIFEST).toString('base64'), file_name: 'kept.yaml', preview: true };
    expect(await admin.post('/api/pattern/import', same)).toMatchObject({
      status: 200,
      body: {
        id,
        version_number: 1,
        components: parsed.body.components,
        picture: expect.stringContaining('<svg') as string,
      },
    });

    const newcomer = await world.person();
    const workspaces = async () =>
      (await newcomer.get(`/api/workspaces?orgID=${world.organization}`)).body.total_count as number;
    const body = { file, file_name: 'settings.yaml' };
    for (const seen of [
      await newcomer.post('/api/pattern/import?preview=true', body),
      await newcomer.post('/api/pattern/import?preview=true&async=true', { ...body, save: true }),
      await newcomer.post('/api/pattern/import', { ...body, preview: true }),
      await newcomer.post('/api/pattern/import', { ...body, save: false }),
      await newcomer.upload('/api/pattern/import', 'settings.yaml', MANIFEST, { preview: 'true' }),
    ])
      expect(seen).toMatchObject({
        status: 200,
        body: { id: null, workspace_id: null, components: expect.any(Number) },
      });
    expect(await workspaces()).toBe(0);

    const broken = await admin.upload('/api/pattern/import', 'bad.yaml', 'kind: [\n', { save: 'false' });
    expect(broken).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } });
    const word = await admin.upload('/api/pattern/import', 'shop.yaml', MANIFEST, { save: 'perhaps' });
    expect(word).toMatchObject({ status: 400, body: { errors: [{ pointer: '/save' }] } });
  });

  it('is taken for base64 only where it can be nothing else, and for that in no time', async () => {
    const text = `${'a'.repeat(17)}${' '.repeat(200_000)}:`;
    const began = performance.now();
    const answer = await world.admin.post('/api/pattern', {
      name: 'x',
      pattern_data: { pattern_file: text },
      save: false,
    });
    expect(answer.status).toBe(400);
    expect(performance.now() - began).toBeLessThan(10_000);
    const wrapped = Buffer.from(MANIFEST)
      .toString('base64')
      .replace(/(.{60})/g, '$1\n');
    const taken = await world.admin.post('/api/pattern', {
      name: 'x',
      pattern_data: { pattern_file: wrapped },
      save: false,
    });
    expect(taken).toMatchObject({ status: 200, body: { source_type: 'kubernetes' } });
    const env = 'A=b\n'.repeat(40_000);
    const long = await world.admin.upload('/api/pattern/import', 'compose.yaml', COMPOSE, { env });
    expect(long).toMatchObject({ status: 400, body: { errors: [{ pointer: '/env' }] } });
  });

  it('says where each fault of a manifest is, and leaves nothing behind', async () => {
    const documents = Array.from({ length: 9 }, (_, i) =>
      i === 6
        ? 'apiVersion: v1\nmetadata:\n  name: broken'
        : `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: cm${i}`,
    );
    const answer = await world.admin.upload('/api/pattern/import', 'nine.yaml', documents.join('\n---\n'), {
      name: 'nine',
    });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        errors: [
          {
            file: 'nine.yaml',
            line: expect.any(Number),
            column: expect.any(Number),
            detail: expect.stringContaining('kind'),
          },
        ],
      },
    });
    const typo = await world.admin.upload(
      '/api/pattern/import',
      'c.yaml',
      'services:\n  web:\n    image: nginx\n    portz: []\n',
    );
    expect(typo.body.errors[0]).toMatchObject({ line: 4, detail: expect.stringContaining('portz') });
    expect((await world.admin.get('/api/pattern?search=nine')).body.total_count).toBe(0);
  });

  it('is imported after the answer when the caller asks for that', async () => {
    const { admin } = world;
    const end = async (answer: Json): Promise<Json> => {
      expect(answer).toMatchObject({ status: 202, body: { kind: 'design-import', error: null } });
      for (;;) {
        const { body } = await admin.get(answer.headers.get('location') as string);
        if (body.finished_at) return body;
      }
    };
    const taken = await end(await admin.upload('/api/pattern/import?async=true', 'later.yaml', MANIFEST));
    expect(taken).toMatchObject({ status: 'succeeded', result: { name: 'later', user_id: admin.id } });
    expect((await admin.get(`/api/pattern/${taken.result.id}`)).status).toBe(200);
    const refused = await end(await admin.upload('/api/pattern/import?async=true', 'bad.yaml', 'kind: [\n'));
    expect(refused).toMatchObject({
      status: 'failed',
      error: { status: 400, errors: [{ file: 'bad.yaml', line: expect.any(Number) }] },
    });
  });

  it('gets a new version with every change of its content', async () => {
    const design = await imported('v.yaml', MANIFEST);
    const changed = await world.admin.put('/api/pattern/yaml', {
      id: design.id,
      pattern_data: { pattern_file: MANIFEST.replace('replicas: 2', 'replicas: 3') },
    });
    expect(changed).toMatchObject({ status: 200, body: { id: design.id, version: '0.0.2', version_number: 2 } });
    expect(changed.body.pattern_file).toContain('replicas: 3');
    expect((await world.admin.put('/api/pattern/json5', { id: design.id })).status).toBe(400);
    expect(
      (
        await world.admin.put('/api/pattern/docker-compose', {
          id: design.id,
          pattern_data: { pattern_file: MANIFEST },
        })
      ).status,
    ).toBe(400);
  });

  it('can be read, changed and written back whole, but its file only as pattern_data', async () => {
    const { admin } = world;
    const { id } = await imported('d.yaml', MANIFEST);
    const { body: read } = await admin.get(`/api/pattern/${id}`);
    const written = await admin.put('/api/pattern/yaml', { ...read, name: 'renamed' });
    expect(written).toMatchObject({ status: 200, body: { id, name: 'renamed', version_number: 1 } });
    expect(await admin.put('/api/pattern/yaml', { id, pattern_file: 'name: other' })).toMatchObject({
      status: 400,
      body: { code: 'READ_ONLY_FIELD', errors: [{ pointer: '/pattern_file' }] },
    });
  });

  it('is meant by its name when it is the only editable one of it', async () => {
    const name = `named ${randomUUID()}`;
    const first = await imported('n.yaml', MANIFEST, { name });
    const change = { name, pattern_data: { pattern_file: MANIFEST } };
    expect(await world.admin.put('/api/pattern/yaml', change)).toMatchObject({ status: 200, body: { id: first.id } });
    const second = await imported('n.yaml', MANIFEST, { name });
    expect(await world.admin.put('/api/pattern/yaml', change)).toMatchObject({
      status: 409,
      body: { code: 'AMBIGUOUS_NAME', ids: expect.arrayContaining([first.id, second.id]) },
    });
    expect((await world.admin.put('/api/pattern/yaml', { ...change, name: randomUUID() })).status).toBe(404);
  });

  it('is listed by a workspace that has a sound id', async () => {
    expect(await world.admin.get('/api/pattern?workspace_id=none')).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: 'workspace_id', detail: 'must be a UUID' }] },
    });
  });

  it('is deleted and restored', async () => {
    const { id } = await imported('d.yaml', MANIFEST);
    const whole = { status: 200, body: { id, pattern_file: expect.stringContaining('kind: Deployment') } };
    expect(await world.admin.delete(`/api/pattern/${id}`)).toMatchObject(whole);
    expect((await world.admin.get(`/api/pattern/${id}`)).status).toBe(404);
    expect(await world.admin.post(`/api/pattern/${id}/restore`)).toMatchObject(whole);
    expect((await world.admin.get(`/api/pattern/${id}`)).status).toBe(200);
  });

  it('lives in one workspace, moves between them and goes home', async () => {
    const { admin } = world;
    const workspace = async () =>
      (await admin.post('/api/workspaces', { name: 'w', organization_id: world.organization })).body;
    const [one, two] = [await workspace(), await workspace()];
    const design = await imported('m.yaml', MANIFEST, { workspace_id: one.id });
    expect(design.workspace_id).toBe(one.id);
    const moved = await admin.post(`/api/workspaces/${two.id}/designs/${design.id}`);
    expect(moved).toMatchObject({
      status: 200,
      body: { workspace_id: two.id, design_id: design.id, deleted_at: null },
    });
    expect(moved.body.id).not.toBe(design.id);
    const designs = await admin.get(`/api/workspaces/${two.id}/designs`);
    expect(designs.body.designs).toEqual(designs.body.patterns);
    expect(designs.body).toMatchObject({ total_count: 1, designs: [{ id: design.id }] });
    const home = await admin.delete(`/api/workspaces/${two.id}/designs/${design.id}`);
    expect(home).toMatchObject({
      status: 200,
      body: { id: moved.body.id, workspace_id: two.id, design_id: design.id, deleted_at: expect.any(String) },
    });
    expect([one.id, two.id]).not.toContain((await admin.get(`/api/pattern/${design.id}`)).body.workspace_id);
  });

  it('is seen and changed as the roles in its workspace say', async () => {
    const { admin } = world;
    const workspace = (await admin.post('/api/workspaces', { name: 'w', organization_id: world.organization })).body;
    const design = await imported('r.yaml', MANIFEST, { workspace_id: workspace.id });
    const member = await world.person('member');
    const outsider = await world.outsider();
    expect((await member.get(`/api/pattern/${design.id}`)).status).toBe(404);
    const change = { id: design.id, pattern_data: { pattern_file: MANIFEST } };
    await admin.put(`/api/workspaces/${workspace.id}/members/${member.id}`, { role: 'viewer' });
    expect((await member.get(`/api/pattern/${design.id}`)).status).toBe(200);
    expect((await member.put('/api/pattern/yaml', change)).status).toBe(403);
    await admin.put(`/api/workspaces/${workspace.id}/members/${member.id}`, { role: 'editor' });
    expect((await member.put('/api/pattern/yaml', change)).status).toBe(200);
    expect((await member.delete(`/api/pattern/${design.id}`)).status).toBe(403);
    const shared = await admin.put('/api/pattern/yaml', { id: design.id, visibility: 'organization' });
    expect(shared.body.visibility).toBe('organization');
    const other = await world.person('member');
    expect((await other.get(`/api/pattern/${design.id}`)).status).toBe(200);
    for (const stranger of [outsider]) expect((await stranger.get(`/api/pattern/${design.id}`)).status).toBe(404);
    expect((await admin.put('/api/pattern/yaml', { id: design.id, visibility: 'public' })).status).toBe(400);
  });

  it('is fetched over GraphQL with its file', async () => {
    const design = await imported('g.yaml', MANIFEST, { name: `graph ${randomUUID()}` });
    const { body } = await world.admin.graphql(
      `query ($selector: PageFilter!) { fetchPatterns(selector: $selector) { page page_size total_count
        patterns { id name visibility created_at updated_at pattern_file user_id location catalog_data canSupport errmsg type { String Valid } version source_type workspace_id } } }`,
      { selector: { page: '0', pageSize: '10', search: design.name } },
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.fetchPatterns).toMatchObject({
      page: 0,
      page_size: 10,
      total_count: 1,
      patterns: [{ id: design.id, canSupport: true }],
    });
    expect(body.data.fetchPatterns.patterns[0].pattern_file).toContain('kind: Service');
  });

  it('is found only where it is, and pages and times have bounds', async () => {
    const { id } = await imported('o.yaml', MANIFEST);
    expect((await world.admin.get(`/api/pattern/${id}?orgID=${world.organization}`)).status).toBe(200);
    expect((await world.admin.get(`/api/pattern/${id}?orgID=${randomUUID()}`)).status).toBe(404);
    for (const wrong of [{ from: '-271821-04-20T00:00:00.000Z' }, { page: '99999999999' }]) {
      const { body } = await world.admin.graphql(
        `query ($selector: PageFilter!) { fetchPatterns(selector: $selector) { page } }`,
        { selector: { page: '0', pageSize: '10', ...wrong } },
      );
      expect(body.errors[0].extensions.code).toBe('VALIDATION_FAILED');
    }
  });

  it('lists the types', async () => {
    const { body } = await world.admin.get('/api/pattern/types');
    expect(body.map((type: Json) => type.source_type)).toEqual(
      expect.arrayContaining(['design', 'kubernetes', 'docker-compose']),
    );
  });
});
