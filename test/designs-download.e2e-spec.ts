import { gzipSync } from 'node:zlib';
import { tarOf } from '../src/formats/archives/tar.fixture.js';
import { done } from './support/workspace-scene.js';
import type { Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { World } from './support/world.js';

const MANIFEST = '# the shop\nkind: ConfigMap # first the kind\napiVersion: v1\nmetadata: {name: web}\ndata: {rule: "{{ x }}"}\n'; // prettier-ignore
const COMPOSE = 'name: composed\nservices:\n  web:\n    image: nginx:1.27\n    ports: ["8080:80"]\n    depends_on: [db]\n  db: {image: "postgres:17"}\n'; // prettier-ignore
const CHART = {
  'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n',
  'shop/values.yaml': 'colour: blue # of the gate\n',
  'shop/templates/map.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {colour: {{ .Values.colour }}}\n', // prettier-ignore
};

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

interface File {
  status: number;
  type: string;
  disposition: string;
  bytes: Buffer;
  text: string;
}

async function download(id: string, form?: string): Promise<File> {
  const query = form === undefined ? '' : `?export=${form}`;
  const response = await fetch(`${world.baseUrl}/api/pattern/download/${id}${query}`, {
    headers: { authorization: `Bearer ${world.admin.token ?? ''}` },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    disposition: response.headers.get('content-disposition') ?? '',
    bytes,
    text: bytes.toString(),
  };
}

const imported = (name: string, content: string | Uint8Array, fields: Record<string, string> = {}): Promise<Json> =>
  done(world.admin.upload('/api/pattern/import', name, content, fields));

describe('downloading a design', () => {
  it('gives it in its own form, as YAML or JSON, under its name, and counts', async () => {
    const { id } = await imported('shop.yaml', MANIFEST, { name: 'Größter "Shop" / 1' });
    const own = await download(id);
    expect(own).toMatchObject({ status: 200, type: 'application/yaml' });
    expect(own.disposition).toBe(
      `attachment; filename="Gro_ter -Shop- - 1.yaml"; filename*=UTF-8''Gr%C3%B6%C3%9Fter%20-Shop-%20-%201.yaml`,
    );
    expect(own.text).toContain('schemaVersion: designs.meshery.io/v1beta1');
    const json = await download(id, 'json');
    expect(json.type).toMatch(/^application\/json/);
    expect(JSON.parse(json.text)).toMatchObject({ id, components: [{ displayName: 'web' }] });
    expect((await world.admin.get(`/api/pattern/${id}`)).body.download_count).toBe(2);
    const again = await imported('again.yaml', own.text);
    expect(again).toMatchObject({ source_type: 'design', name: 'Größter "Shop" / 1' });
  });

  it('gives a manifest back in its own words, and its source byte for byte', async () => {
    const { id } = await imported('my shop.yaml', MANIFEST);
    expect(await download(id, 'kubernetes')).toMatchObject({ text: MANIFEST, type: 'application/yaml' });
    expect(await download(id, 'source')).toMatchObject({
      text: MANIFEST,
      disposition: 'attachment; filename="my shop.yaml"',
    });
  });

  it('gives Compose back as Compose, and says so when a design was none', async () => {
    const { id } = await imported('docker-compose.yml', COMPOSE);
    const file = await download(id, 'docker-compose');
    expect(file).toMatchObject({ status: 200, disposition: 'attachment; filename="composed.compose.yaml"' });
    expect((await imported('again.yml', file.text)).source_type).toBe('docker-compose');
    expect((await download(id, 'kubernetes')).text).toContain('kind: Deployment');
    const manifest = await imported('shop.yaml', MANIFEST);
    const refused = await world.admin.get(`/api/pattern/download/${manifest.id}?export=docker-compose`);
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: 'export' }], remedy: expect.stringContaining('kubernetes') },
    });
  });

  it('refuses forms that there are not, and designs that the caller does not see', async () => {
    const { id } = await imported('shop.yaml', MANIFEST);
    const wrong = await world.admin.get(`/api/pattern/download/${id}?export=pdf`);
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ pointer: 'export' }] } });
    expect(wrong.body.detail).toContain('docker-compose');
    const outsider = await world.outsider();
    expect((await outsider.get(`/api/pattern/download/${id}`)).status).toBe(404);
    expect((await world.admin.get(`/api/pattern/${id}`)).body.download_count).toBe(0);
    expect((await world.stranger.get(`/api/pattern/download/${id}`)).status).toBe(401);
  });

  it('gives a package of the registry as the bytes that it is', async () => {
    const component = { kind: 'Thing', apiVersion: 'example.org/v1', schema: { type: 'object' }, model: { name: 'downloaded', version: '1.0.0', category: { name: 'Database' } } }; // prettier-ignore
    const file = Buffer.from(JSON.stringify(component)).toString('base64');
    await done(world.admin.post('/api/meshmodels/register', { file }));
    const response = await fetch(`${world.baseUrl}/api/meshmodels/export?model=downloaded`, {
      headers: { authorization: `Bearer ${world.admin.token ?? ''}` },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    expect({ status: response.status, magic: bytes.subarray(0, 2).toString('hex') }).toEqual({
      status: 200,
      magic: '1f8b',
    });
  });
});

requires('HELM_BIN', 'a design of a chart', (helm) => {
  beforeAll(async () => {
    await world.stop();
    world = await World.start({ HELM_BIN: helm });
  });

  const chart = async (): Promise<Buffer> => gzipSync(await tarOf(CHART));

  it('is imported with values, which can be changed later without sending the chart', async () => {
    const { admin } = world;
    const bytes = await chart();
    const design = await imported('shop-1.2.3.tgz', bytes, { values: 'colour: red', name: 'Gate' });
    expect(design).toMatchObject({ name: 'Gate', source_type: 'helm', version: '0.0.1', warnings: [] });
    expect(design.pattern_file).toContain('colour: red');
    expect(design.pattern_file).toContain('release_name: gate');

    const change = { id: design.id, name: 'Gate', pattern_data: { values: { colour: 'green' } } };
    const changed = await admin.put('/api/pattern/helm', change);
    expect(changed).toMatchObject({ status: 200, body: { name: 'Gate', source_type: 'helm', version: '0.0.2' } });
    expect(changed.body.pattern_file).toContain('colour: green');
    expect(changed.body.pattern_file).toContain('release_name: gate');
    expect((await download(design.id, 'source')).bytes.equals(bytes)).toBe(true);

    const newer = gzipSync(
      await tarOf({ ...CHART, 'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 2.0.0\n' }),
    );
    const upgraded = await admin.put('/api/pattern/helm', {
      id: design.id,
      pattern_data: { pattern_file: newer.toString('base64') },
    });
    expect(upgraded).toMatchObject({ status: 200, body: { version: '0.0.3' } });
    expect(upgraded.body.pattern_file).toContain('colour: green');
    expect(upgraded.body.pattern_file).toContain('version: 2.0.0');
    expect((await download(design.id, 'source')).disposition).toBe('attachment; filename="Gate.tgz"');
    const other = await admin.put('/api/pattern/yaml', { id: design.id, pattern_data: { values: {} } });
    expect(other.status).toBe(400);
  });

  it('is downloaded as the chart with those values, and every other design as a chart of its own', async () => {
    const { id } = await imported('shop.tgz', await chart(), { values: 'colour: red' });
    const own = await download(id, 'helm');
    expect(own).toMatchObject({ type: 'application/gzip', disposition: 'attachment; filename="shop-0.0.1.tgz"' });
    const again = await imported('again.tgz', own.bytes);
    expect(again.pattern_file).toContain('colour: red');
    const manifest = await imported('shop.yaml', MANIFEST);
    const made = await imported('made.tgz', (await download(manifest.id, 'helm')).bytes);
    expect(made).toMatchObject({ source_type: 'helm', name: 'shop' });
    expect(made.pattern_file).toContain('rule: "{{ x }}"');
  });

  it('is identified by its type, which is available', async () => {
    const { body } = await world.admin.get('/api/pattern/types');
    expect(body.map((type: Json) => type.source_type)).toEqual(['design', 'kustomize', 'kubernetes', 'helm', 'docker-compose']); // prettier-ignore
    expect(body.find((type: Json) => type.source_type === 'helm')).toMatchObject({ available: true });
  });
});
