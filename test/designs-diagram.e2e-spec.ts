import { parse } from 'yaml';
import { done } from './support/workspace-scene.js';
import type { Answer, Json } from './support/person.js';
import { World } from './support/world.js';

const MANIFEST = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx}]
      volumes: [{name: rules, configMap: {name: rules}}]
---
apiVersion: v1
kind: Service
metadata: {name: front, namespace: shop}
spec: {selector: {app: web}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: rules, namespace: shop}
`;
const COMPOSE = 'name: composed\nservices:\n  web:\n    image: nginx:1.27\n    ports: ["8080:80"]\n    depends_on: [db]\n  db: {image: "postgres:17"}\n'; // prettier-ignore

let world: World;
beforeAll(async () => (world = await World.start()));
afterAll(() => world.stop());

const imported = (name: string, content: string, fields: Record<string, string> = {}): Promise<Json> =>
  done(world.admin.upload('/api/pattern/import', name, content, fields));
const diagram = ({ id }: Json, query = '', headers: Record<string, string> = {}): Promise<Answer> =>
  world.admin.get(`/api/pattern/${id}/diagram.svg${query}`, { headers });

describe('the picture of a design', () => {
  it('shows its components by namespace and how they are related, as SVG that may run nothing', async () => {
    const { status, headers, body } = await diagram(await imported('shop.yaml', MANIFEST, { name: 'Shop' }));
    expect({ status, type: headers.get('content-type'), policy: headers.get('content-security-policy'), sniff: headers.get('x-content-type-options') }).toEqual({
      status: 200,
      type: 'image/svg+xml',
      policy: "default-src 'none'; style-src 'unsafe-inline'",
      sniff: 'nosniff',
    });
    expect(body).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" [^>]*role="img"/);
    expect(body).toContain('<title id="title">Shop</title>');
    expect(body).toContain('3 components, 2 relationships');
    for (const said of ['Namespace shop', 'Service front → Deployment web: network', 'Deployment web → ConfigMap rules: mount'])
      expect(body).toContain(`<title>${said}</title>`);
    expect(body).toContain('prefers-color-scheme:dark');
  }); // prettier-ignore

  it('shows what came from Compose by service, and what services wait for', async () => {
    const { body } = await diagram(await imported('docker-compose.yml', COMPOSE));
    expect(body).toContain('<title>Service web</title>');
    expect(body).toContain('<title>Service db</title>');
    expect(body).toContain('<title>Deployment web → Deployment db: depends on</title>');
  });

  it('is drawn in the colours that are asked for, and refuses others by name', async () => {
    const design = await imported('shop.yaml', MANIFEST);
    const [light, dark] = await Promise.all(['light', 'dark'].map((theme) => diagram(design, `?theme=${theme}`)));
    expect(light?.body).not.toContain('prefers-color-scheme');
    expect(dark?.body).not.toContain('prefers-color-scheme');
    expect(light?.body).not.toBe(dark?.body);
    const wrong = await diagram(design, '?theme=pink');
    expect(wrong).toMatchObject({ status: 400, body: { errors: [{ pointer: 'theme' }] } });
    expect(wrong.body.detail).toContain('auto, light, dark');
  });

  it('leaves out access and definitions, and shows what is around one component', async () => {
    const role =
      '---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: reader, namespace: shop}\n';
    const design = await imported('shop.yaml', MANIFEST + role);
    const titles = async (query: string): Promise<string[]> => {
      const { status, body } = await diagram(design, query);
      expect(status).toBe(200);
      return [...body.matchAll(/<g class="card[^>]*><title>([^<]*)</g)].map(([, title]) => title).sort();
    };
    expect(await titles('')).toEqual(['ConfigMap rules', 'Deployment web', 'Role reader', 'Service front']);
    expect(await titles('?hide=access&hide=definitions')).toEqual([
      'ConfigMap rules',
      'Deployment web',
      'Service front',
    ]);
    expect(await titles('?focus=rules')).toEqual(['ConfigMap rules', 'Deployment web']);
    expect(await titles('?focus=ConfigMap/rules&depth=2')).toEqual([
      'ConfigMap rules',
      'Deployment web',
      'Service front',
    ]);
    const { pattern_file } = (await world.admin.get(`/api/pattern/${design.id}`)).body;
    const [{ id }] = parse(pattern_file).components.filter(({ displayName }: Json) => displayName === 'front');
    expect(await titles(`?focus=${id}&depth=0`)).toEqual(['Service front']);
    expect((await diagram(design)).body).toContain(`id="component-${id}" data-components="${id}"`);
  });

  it.each([
    ['hide=workloads', 'hide', 'hide must be some of access, definitions'],
    ['focus=nobody', 'focus', 'focus names no component of this design: nobody'],
    ['focus=web&depth=21', 'depth', 'depth must be a whole number from 0 to 20'],
    ['depth=2', 'depth', 'depth needs a focus'],
  ])('refuses %s with the parameter and what it may be', async (query, pointer, detail) => {
    const { status, body } = await diagram(await imported('shop.yaml', MANIFEST), `?${query}`);
    expect({
      status,
      code: body.code,
      detail: body.detail,
      pointers: body.errors.map((fault: Json) => fault.pointer),
    }).toEqual({
      status: 400,
      code: 'VALIDATION_FAILED',
      detail,
      pointers: [pointer],
    });
    expect(body.remedy).toMatch(/\w/);
  });

  it('draws equal services of a large Compose project as one frame with a number', async () => {
    const workers = Array.from(
      { length: 137 },
      (_each, index) => `  task-${index}: {image: "example/task:1", depends_on: [db]}\n`,
    );
    const { body } = await diagram(
      await imported('compose.yaml', `name: many\nservices:\n  db: {image: "postgres:17"}\n${workers.join('')}`),
    );
    expect(body).toContain('137 × Deployment');
    const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(body)?.map(Number) ?? [];
    expect((width ?? 0) / (height ?? 1)).toBeGreaterThan(1);
  });

  it('is not sent again to who has it, until the design changes', async () => {
    const design = await imported('shop.yaml', MANIFEST);
    const tag = (await diagram(design)).headers.get('etag') ?? '';
    expect(tag).not.toBe('');
    const again = await diagram(design, '', { 'if-none-match': tag });
    expect({ status: again.status, body: again.body }).toEqual({ status: 304, body: '' });
    expect((await diagram(design, '?theme=dark', { 'if-none-match': tag })).status).toBe(200);
    await done(world.admin.put('/api/pattern/yaml', { id: design.id, name: 'Renamed' }));
    const changed = await diagram(design, '', { 'if-none-match': tag });
    expect({ status: changed.status, isRenamed: changed.body.includes('>Renamed<') }).toEqual({ status: 200, isRenamed: true }); // prettier-ignore
  });

  it('is for those who may read the design', async () => {
    const { id } = await imported('shop.yaml', MANIFEST);
    const outsider = await world.outsider();
    expect((await outsider.get(`/api/pattern/${id}/diagram.svg`)).status).toBe(404);
    expect((await world.stranger.get(`/api/pattern/${id}/diagram.svg`)).status).toBe(401);
    expect((await world.admin.get('/api/pattern/nothing/diagram.svg')).status).toBe(400);
    expect((await world.admin.get(`/api/pattern/${id}`)).body.name).toBe('shop');
  });

  it('shows hostile names as text', async () => {
    const hostile = ['<script>alert(1)</script>', '"/><image href="//evil"/>', '\u202egnp.exe', 'x'.repeat(10_000)];
    const components = hostile.map((name, index) => ({ id: `00000000-0000-4000-8000-00000000000${index}`, displayName: name, component: { kind: 'Pod', version: 'v1' }, model: { name: 'kubernetes' }, configuration: { metadata: { namespace: name } } })); // prettier-ignore
    const file = { name: 'hostile', schemaVersion: 'designs.meshery.io/v1beta1', components };
    const { status, body } = await diagram(await imported('hostile.json', JSON.stringify(file), { name: '<b>"&' }));
    expect(status).toBe(200);
    expect(body).toContain('&#60;script&#62;alert(1)');
    expect(body).toContain('<title id="title">&#60;b&#62;&#34;&#38;</title>');
    expect(body).not.toMatch(/<script|<image|<b>|\u202e|x{300}/);
  });

  it('says that an empty design is empty', async () => {
    const file = { name: 'empty', schemaVersion: 'designs.meshery.io/v1beta1', components: [] };
    const { status, body } = await diagram(await imported('empty.json', JSON.stringify(file)));
    expect({ status, isSaid: body.includes('This design is empty.') }).toEqual({ status: 200, isSaid: true });
  });
});
