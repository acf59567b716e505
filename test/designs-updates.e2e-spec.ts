import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { tarOf } from '../src/formats/archives/tar.fixture.js';
import type { Answer, Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

let world: World;
let people: People;
let scene: WorkspaceScene;
const start = async (settings: Record<string, string> = {}): Promise<void> => {
  world = await World.start({ OUTBOUND_ALLOW: '127.0.0.1/32', ...settings });
  people = await peopleOf(world);
  scene = await WorkspaceScene.make(world, people);
};
beforeAll(() => start());
afterAll(() => world.stop());

const config = (colour: string, name = 'settings'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {colour: ${colour}}\n`;
const COMPOSE = 'services:\n  web:\n    image: "nginx:${TAG:-1}"\n    ports: ["80"]\n';

const archive = async (files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(gzipSync(await tarOf(files)));

const sendFile = (
  by: Person,
  name: string,
  content: string | Uint8Array,
  fields: Record<string, string> = {},
): Promise<Answer> => by.upload('/api/pattern/import', name, content, { workspace_id: scene.id, ...fields });

const imported = (name: string, content: string | Uint8Array, fields: Record<string, string> = {}): Promise<Json> =>
  done(sendFile(people.editor, name, content, fields));

/** A multipart form that changes a design. */
function changeForm(content: string | null, fields: Record<string, string> = {}, field = 'file'): FormData {
  const form = new FormData();
  for (const [key, value] of Object.entries(fields)) form.set(key, value);
  if (content !== null) form.set(field, new Blob([content]), 'changed.yaml');
  return form;
}

describe('a design is changed', () => {
  it('by its id in the path', async () => {
    const { editor, viewer, outsider } = people;
    const { id } = await imported('a.yaml', config('blue'));
    const path = `/api/pattern/${id}`;
    const change = { pattern_data: { pattern_file: config('red') } };
    expect(await editor.put(path, change)).toMatchObject({ status: 200, body: { id, version_number: 2 } });
    expect((await editor.put(path, { name: 'renamed' })).body).toMatchObject({ name: 'renamed', version_number: 2 });
    const compose = await editor.put(path, { pattern_data: { pattern_file: COMPOSE } });
    expect(compose).toMatchObject({ status: 200, body: { source_type: 'docker-compose', version_number: 3 } });
    expect((await viewer.put(path, change)).status).toBe(403);
    expect((await outsider.put(path, change)).status).toBe(404);
    const other = await imported('b.yaml', config('blue'));
    expect(await editor.put(path, { id: other.id, name: 'x' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/id' }] },
    });
  });

  it('with the answer to the change before, warnings and all', async () => {
    const { editor } = people;
    await imported('a.yaml', config('blue'), { name: 'answered' });
    const made = await imported('a.yaml', config('blue'), { name: 'answered' });
    expect(made.warnings).toHaveLength(1);
    const again = await editor.put('/api/pattern/yaml', made);
    expect(again).toMatchObject({
      status: 200,
      body: { id: made.id, version: made.version, updated_at: made.updated_at },
    });
    const renamed = await editor.put('/api/pattern/yaml', { ...again.body, name: 'answered again' });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'answered again', version: made.version } });
    expect((await editor.put('/api/pattern/yaml', { ...renamed.body, warnings: 'none' })).body.errors).toEqual([
      { pointer: '/warnings', detail: 'must be a list' },
    ]);
  });

  it('with what a list showed of it, where its content is empty', async () => {
    const { editor } = people;
    const { id } = await imported('a.yaml', config('blue'), { name: 'listed' });
    const { body } = await editor.get(`/api/pattern?workspace_id=${scene.id}&search=listed`);
    const [listed] = body.patterns as Json[];
    expect(listed).toMatchObject({ id, pattern_file: '' });
    const changed = await editor.put('/api/pattern/yaml', { ...listed, name: 'listed anew' });
    expect(changed).toMatchObject({ status: 200, body: { id, name: 'listed anew', version_number: 1 } });
    expect(changed.body.pattern_file).toContain('blue');
    expect(
      (await editor.put('/api/pattern/yaml', { ...changed.body, pattern_file: 'a: 1' })).body.errors,
    ).toMatchObject([{ pointer: '/pattern_file', detail: 'cannot be written' }]);
  });

  it('with a file in a form, as base64 and behind an address', async () => {
    const { editor } = people;
    const { id } = await imported('a.yaml', config('blue'));
    const form = await editor.put(`/api/pattern/${id}`, changeForm(config('red'), { message: 'red now' }));
    expect(form).toMatchObject({ status: 200, body: { version_number: 2, location: { path: 'changed.yaml' } } });
    expect((await editor.get(`/api/pattern/${id}/versions/2`)).body).toMatchObject({ message: 'red now' });
    const file = Buffer.from(config('green')).toString('base64');
    const encoded = await editor.put('/api/pattern/yaml', { id, file, file_name: 'green.yaml' });
    expect(encoded).toMatchObject({ status: 200, body: { version_number: 3, location: { path: 'green.yaml' } } });
    expect(encoded.body.pattern_file).toContain('colour: green');
    const both = { file, pattern_data: { pattern_file: config('grey') } };
    expect((await editor.put(`/api/pattern/${id}`, both)).body).toMatchObject({
      errors: [{ pointer: '/pattern_data' }],
    });
  });

  it('with variables at the top of the body or in pattern_data, once', async () => {
    const { editor } = people;
    const { id } = await imported('compose.yaml', COMPOSE, { env: 'TAG=1.26' });
    const path = `/api/pattern/${id}`;
    const changed = await editor.put(path, { env: { TAG: '1.27' } });
    expect(changed).toMatchObject({ status: 200, body: { version_number: 2 } });
    expect(changed.body.pattern_file).toContain('nginx:1.27');
    const nested = await editor.put(path, { pattern_data: { env: 'TAG=1.28' } });
    expect(nested.body.pattern_file).toContain('nginx:1.28');
    expect(await editor.put(path, { env: 'A=1', pattern_data: { env: 'A=2' } })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/pattern_data/env' }] },
    });
    expect(await editor.put(path, { values: { a: 1 } })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/values' }], detail: expect.stringContaining('Helm chart') },
    });
  });

  it('and what is misspelt or in the wrong field is refused with the field that works', async () => {
    const { editor } = people;
    const { id } = await imported('a.yaml', config('blue'));
    const path = `/api/pattern/${id}`;
    expect(await editor.put(path, { pattern_data: { patern_file: config('red') } })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/pattern_data/patern_file' }], remedy: expect.stringContaining('pattern_file') },
    });
    const misspelt = { name: 'x', pattern_data: { value: {}, pattern_file: config('red') }, workspace_id: scene.id };
    expect(await editor.post('/api/pattern', misspelt)).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/pattern_data/value' }] },
    });
    expect(await editor.put(path, { pattern_file: config('red') })).toMatchObject({
      status: 400,
      body: { code: 'READ_ONLY_FIELD', remedy: expect.stringContaining('pattern_data.pattern_file') },
    });
    for (const send of [
      () => editor.put(path, changeForm(config('red'), {}, 'upload')),
      () => editor.post('/api/pattern/import', changeForm(config('red'), {}, 'upload')),
    ])
      expect(await send()).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/upload' }], remedy: 'Send the file in the form field file.' },
      });
  });
});

describe('an import', () => {
  it('with an id is the next version of that design', async () => {
    const { editor, viewer, outsider } = people;
    const { id } = await imported('shop.yaml', config('blue'), { name: 'shop' });
    const again = await sendFile(editor, 'shop-2.yaml', config('red'), { id, message: 'second' });
    expect(again).toMatchObject({
      status: 200,
      body: { id, name: 'shop', version_number: 2, location: { type: 'upload', path: 'shop-2.yaml' } },
    });
    const same = await sendFile(editor, 'shop-2.yaml', config('red'), { id });
    expect(same).toMatchObject({ status: 200, body: { version_number: 2 } });
    expect((await sendFile(viewer, 'a.yaml', config('green'), { id })).status).toBe(403);
    expect((await outsider.upload('/api/pattern/import', 'a.yaml', config('green'), { id })).status).toBe(404);
    const stale = await editor.call('POST', '/api/pattern/import', {
      body: changeForm(config('grey'), { id }),
      headers: { 'if-match': '"1-stale"' },
    });
    expect(stale.status).toBe(412);
    const later = await editor.upload('/api/pattern/import?async=true', 'c.yaml', config('black'), { id });
    expect(later.status).toBe(202);
    for (;;) {
      const { body } = await editor.get(later.headers.get('location') as string);
      if (!body.finished_at) continue;
      expect(body).toMatchObject({ status: 'succeeded', result: { id, version_number: 3 } });
      break;
    }
  });

  it('of a name that the workspace has already says so', async () => {
    const first = await imported('a.yaml', config('blue'), { name: 'twice' });
    expect(first.warnings).toEqual([]);
    const second = await imported('a.yaml', config('blue'), { name: 'twice' });
    expect(second.warnings).toEqual([
      { pointer: '/name', detail: expect.stringContaining(first.id as string), remedy: expect.stringContaining('id') },
    ]);
  });

  it('chooses by path and type what of an archive is meant, and lists what there is', async () => {
    const compose = (image: string) => `services: {web: {image: "${image}"}}\n`;
    const bytes = await archive({
      'repo-main/a/docker-compose.yml': compose('one'),
      'repo-main/b/docker-compose.yml': compose('two'),
      'repo-main/b/variant.yml': compose('three'),
      'repo-main/manifests/config.yaml': config('blue'),
      'repo-main/manifests/more/other.yaml': config('red', 'other'),
    });
    const choose = (fields: Record<string, string>) => sendFile(people.editor, 'repo.tgz', bytes, fields);
    const read = async (fields: Record<string, string>): Promise<Json> => (await choose(fields)).body;
    expect((await read({ path: 'b', type: 'docker-compose' })).pattern_file).toContain('two');
    expect((await read({ path: 'b/variant.yml' })).pattern_file).toContain('three');
    expect((await read({ path: 'repo-main/a/' })).pattern_file).toContain('one');
    const manifests = await read({ path: 'manifests' });
    expect(manifests).toMatchObject({ source_type: 'kubernetes' });
    expect(manifests.pattern_file).toContain('colour: red');
    expect((await read({ path: 'manifests/config.yaml' })).pattern_file).not.toContain('colour: red');
    expect(await choose({ path: 'nowhere' })).toMatchObject({
      status: 400,
      body: {
        errors: [{ pointer: '/path' }],
        remedy: expect.stringContaining('Compose files: repo-main/a/docker-compose.yml'),
      },
    });
    expect(await choose({ type: 'helm' })).toMatchObject({
      status: 400,
      body: {
        code: 'UNKNOWN_FORMAT',
        detail: expect.stringContaining('Compose files: repo-main/a/docker-compose.yml'),
      },
    });
    for (const path of ['../x', '/etc', '..'])
      expect(await choose({ path })).toMatchObject({ status: 400, body: { errors: [{ pointer: '/path' }] } });
    expect(await sendFile(people.editor, 'a.yaml', config('blue'), { path: 'a' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/path' }] },
    });
    expect((await choose({ type: 'docker' })).body.errors).toMatchObject([{ pointer: '/type' }]);
  });

  it('reports what a cluster would refuse of it, as does every change', async () => {
    const { editor } = people;
    const deployment = (replicas: string, more = '') =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: ${replicas}\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec: {containers: [{name: web, image: nginx}]${more}}\n`;
    const refused = [
      {
        pointer: '/components/0/configuration/spec/replicas',
        detail: expect.stringContaining('Deployment web, spec.replicas: '),
        keyword: 'type',
        remedy: expect.any(String),
      },
    ];
    const { id, warnings } = await imported('invalid.yaml', deployment('"one"'));
    expect(warnings).toEqual(refused);
    const misspelt = await editor.put(`/api/pattern/${id}`, {
      pattern_data: { pattern_file: deployment('1', ', restartPolice: Always') },
    });
    expect(misspelt.body.warnings).toMatchObject([
      { keyword: 'unknown-field', detail: expect.stringContaining('restartPolice') },
    ]);
    const valid = await editor.put(`/api/pattern/${id}`, { pattern_data: { pattern_file: deployment('1') } });
    expect(valid.body.warnings).toEqual([]);
  });

  it('reports settings without effect on its format', async () => {
    const { warnings } = await imported('unused.yaml', config('blue'), { values: 'a: 1' });
    expect(warnings).toMatchObject([{ pointer: '/values', detail: expect.stringContaining('no effect') }]);
  });
});

describe('a source behind an address', () => {
  let server: Server;
  let origin: string;
  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      if (url === '/closed') response.destroy();
      else response.writeHead(Number(url.slice(1))).end(config('blue'));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());

  it('that refuses is a mistake of the caller, and one that fails is not', async () => {
    const fetched = (path: string) =>
      people.editor.post('/api/pattern/import', { url: origin + path, workspace_id: scene.id });
    expect((await fetched('/200')).status).toBe(201);
    for (const path of ['/404', '/403'])
      expect(await fetched(path)).toMatchObject({
        status: 400,
        body: { code: 'SOURCE_UNAVAILABLE', detail: expect.stringContaining(origin + path) },
      });
    for (const path of ['/500', '/503'])
      expect(await fetched(path)).toMatchObject({
        status: 502,
        body: { code: 'SOURCE_UNAVAILABLE', detail: expect.stringContaining(origin + path) },
      });
    expect(await fetched('/closed')).toMatchObject({ status: 502, body: { code: 'OUTBOUND_FAILED' } });
  });
});

requires('HELM_BIN', 'a design of a chart', (helm) => {
  const chart = (name: string): Record<string, string> => ({
    [`repo/${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
    [`repo/${name}/values.yaml`]: 'colour: blue\n',
    [`repo/${name}/templates/map.yaml`]:
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}", namespace: "{{ .Release.Namespace }}"}\ndata: {colour: "{{ .Values.colour }}"}\n',
  });
  beforeAll(async () => {
    await world.stop();
    await start({ HELM_BIN: helm });
  });

  it('is rendered for a namespace and a release name, and anew when they or the values change', async () => {
    const { editor } = people;
    const bytes = await archive({ ...chart('cart'), ...chart('gate') });
    const several = await sendFile(editor, 'repo.tgz', bytes);
    expect(several).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('repo/cart, repo/gate'), remedy: expect.stringContaining('path') },
    });
    const made = await imported('repo.tgz', bytes, { path: 'gate', namespace: 'shop', release_name: 'front' });
    expect(made.pattern_file).toMatch(/name: front\n[^]*namespace: shop/);
    const path = `/api/pattern/${made.id}`;
    const values = await editor.put(path, { values: { colour: 'red' } });
    expect(values).toMatchObject({ status: 200, body: { version_number: 2 } });
    expect(values.body.pattern_file).toContain('colour: red');
    const moved = await editor.put('/api/pattern/helm', { id: made.id, pattern_data: { namespace: 'store' } });
    expect(moved.body.version_number).toBe(3);
    expect(moved.body.pattern_file).toMatch(/name: front\n[^]*namespace: store/);
    expect(moved.body.pattern_file).toContain('colour: red');
    const released = await editor.put(path, { release_name: 'back' });
    expect(released.body.pattern_file).toMatch(/name: back\n[^]*namespace: store/);
    expect((await editor.put(path, { release_name: 'back' })).body.version_number).toBe(4);
    expect((await editor.put(path, { namespace: 'Not a name' })).body.errors).toMatchObject([
      { pointer: '/namespace' },
    ]);
    expect((await editor.get(`/api/pattern/download/${made.id}?export=helm`)).status).toBe(200);
    const other = await editor.put(path, { path: 'cart' });
    expect(other.body.pattern_file).toContain('name: cart');
  });
});

requires('KUBEBUILDER_ASSETS', 'a design of Kustomizations', () => {
  it('is made of the one that is chosen, with the bases around it', async () => {
    const overlay = (colour: string) =>
      `resources: [../../base]\npatches:\n- patch: |-\n    - {op: replace, path: /data/colour, value: ${colour}}\n  target: {kind: ConfigMap}\n`;
    const bytes = await archive({
      'base/kustomization.yaml': 'resources: [map.yaml]\n',
      'base/map.yaml': config('blue'),
      'overlays/dev/kustomization.yaml': overlay('red'),
      'overlays/prod/kustomization.yaml': overlay('green'),
    });
    expect(await sendFile(people.editor, 'app.tgz', bytes)).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('overlays/dev, overlays/prod'), remedy: expect.stringContaining('path') },
    });
    for (const [path, colour] of [
      ['overlays/prod', 'green'],
      ['overlays/dev/kustomization.yaml', 'red'],
      ['base', 'blue'],
    ] as const) {
      const { pattern_file } = await imported('app.tgz', bytes, { path });
      expect(pattern_file).toContain(`colour: ${colour}`);
    }
  });
});
