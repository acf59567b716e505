import { parse } from 'yaml';
import type { Json } from './support/person.js';
import { World } from './support/world.js';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

const SHOP = `
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: two
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: nginx, envFrom: [{ configMapRef: { name: settings } }] }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { a: b }
`;

async function imported(text: string): Promise<Json> {
  const { status, body } = await world.admin.upload('/api/pattern/import', 'shop.yaml', text);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

it('imports an application as a connected graph, each relationship with its reason', async () => {
  const { id, canSupport, errmsg } = await imported(SHOP);
  expect([canSupport, errmsg]).toEqual([true, '']);
  const { body } = await world.admin.get(`/api/pattern/${id}`);
  const design = parse(body.pattern_file);
  expect(design.components.map(({ model }: Json) => [model.name, /^v1\./.test(model.version)])).toEqual(
    Array.from({ length: 3 }, () => ['kubernetes', true]),
  );
  const reasons = design.relationships.map(({ subType, metadata }: Json) => [subType, metadata.reason.text]);
  expect(reasons).toContainEqual(['network', expect.stringContaining('Service web')]);
  expect(reasons.flat().join()).toContain('ConfigMap settings');
});

it('judges the components of a design by the registry', async () => {
  const { id } = await imported(SHOP);
  const { status, body } = await world.admin.get(`/api/pattern/${id}/validate`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ valid: false, counts: { components: 3, valid: 2, unknown: 0 } });
  const wrong = body.components.find(({ valid }: Json) => !valid);
  expect(wrong).toMatchObject({ kind: 'Deployment', name: 'web' });
  expect(wrong.errors.map(({ pointer }: Json) => pointer)).toContain('/spec/replicas');
});

it('says which value of a Secret is wrong, and never the value', async () => {
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password: 'hunter2hunter2!' } };
  const errors = [{ pointer: '/data/password', detail: expect.stringContaining('illegal base64 data') as string }];
  const design = await imported(JSON.stringify(secret));
  expect(design.warnings[0]).toMatchObject({ detail: expect.stringContaining('illegal base64 data') as string });
  const verdict = (await world.admin.get(`/api/pattern/${design.id}/validate`)).body;
  expect(verdict).toMatchObject({ valid: false, components: [{ errors }] });
  const alone = (await world.admin.post('/api/meshmodels/validate', { component: secret })).body;
  expect(alone).toMatchObject({ valid: false, errors });
  const { pattern_file: _, ...answer } = design;
  expect(JSON.stringify([answer, verdict, alone])).not.toContain('hunter2');
});

it('keeps what the registry does not know, and says so', async () => {
  const unknown = 'apiVersion: example.org/v1\nkind: Gadget\nmetadata: { name: mine }\nspec: { size: 1 }\n';
  const gadget = await imported(unknown);
  expect(gadget).toMatchObject({ canSupport: false, errmsg: expect.stringContaining('Gadget of example.org/v1') });
  const { body } = await world.admin.get(`/api/pattern/${gadget.id}/validate`);
  expect(body).toMatchObject({ valid: true, counts: { unknown: 1 } });
  expect(body.components[0].warnings).toMatchObject([{ keyword: 'unknown-kind' }]);
  const brought = await imported(`${unknown}---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: gadgets.example.org }
spec: { group: example.org, scope: Namespaced, names: { kind: Gadget, plural: gadgets }, versions: [] }
`);
  expect(brought).toMatchObject({ canSupport: true, errmsg: '' });
});

it('names the version to write in place of one that Kubernetes has removed', async () => {
  const pdb = await imported('apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: { name: a }\nspec: { minAvailable: 1 }\n'); // prettier-ignore
  expect(pdb).toMatchObject({ canSupport: false, errmsg: expect.stringContaining('Write apiVersion policy/v1,') });
  const remedy = expect.stringContaining('Write apiVersion policy/v1,') as string;
  expect(pdb.warnings).toContainEqual({ detail: expect.stringContaining('policy/v1beta1') as string, remedy });
});

it('says that a list has two items with one key, where they are, and which of them holds', async () => {
  const text = `apiVersion: apps/v1
kind: Deployment
metadata: { name: twice }
spec:
  selector: { matchLabels: { app: twice } }
  template:
    metadata: { labels: { app: twice } }
    spec:
      containers:
      - name: c
        image: nginx
        env:
        - { name: A, value: "5" }
        - { name: A, value: "6" }
        ports: [{ name: a, containerPort: 80 }, { name: b, containerPort: 80, protocol: TCP }]
`;
  const twice = await imported(text);
  expect(twice).toMatchObject({ canSupport: false, errmsg: expect.stringContaining('env[1]') });
  const warnings = twice.warnings.filter(({ keyword }: Json) => keyword === 'duplicate-item');
  expect(warnings).toMatchObject([
    {
      line: 14,
      detail: expect.stringMatching(/env\[1\]: has the key of item 0 again, name "A"; .*the last one holds/),
    },
    { line: 15, detail: expect.stringMatching(/ports\[1\]: .*containerPort 80 and protocol "TCP"/) },
  ]);
  const { body } = await world.admin.get(`/api/pattern/${twice.id}/validate`);
  expect(body).toMatchObject({ valid: false, counts: { errors: 2 } });
  const corrected = text.replace('name: A, value: "6"', 'name: B, value: "6"').replace('80, protocol', '81, protocol');
  const put = await world.admin.put('/api/pattern/kubernetes', { id: twice.id, pattern_data: { pattern_file: corrected } }); // prettier-ignore
  expect(put).toMatchObject({ status: 200, body: { canSupport: true, errmsg: '' } });
  const restored = await world.admin.post(`/api/pattern/${twice.id}/versions/1/restore`);
  expect(restored).toMatchObject({ status: 200, body: { canSupport: false } });
});

it('says that a design has a resource twice, and writes no manifest that no import would take', async () => {
  const map = (a: string) => ({ component: { kind: 'ConfigMap', version: 'v1' }, configuration: { metadata: { name: 'settings', namespace: 'shop' }, data: { a } } }); // prettier-ignore
  const save = (components: object[]) =>
    world.admin.post('/api/pattern', { name: 'twice', pattern_data: { design_file: { name: 'twice', components } } });
  const { body: design } = await save([map('1'), map('2')]);
  expect(design).toMatchObject({ canSupport: false, errmsg: 'ConfigMap settings is in this design more than once' });
  const { body: verdict } = await world.admin.get(`/api/pattern/${design.id}/validate`);
  expect(verdict).toMatchObject({ valid: false, counts: { components: 2, valid: 1, errors: 1 } });
  expect(verdict.components[1].errors).toMatchObject([{ keyword: 'duplicate', pointer: '/metadata/name' }]);
  for (const form of ['kubernetes', 'helm']) {
    const { status, body } = await world.admin.get(`/api/pattern/download/${design.id}?export=${form}`);
    expect({ status, body }).toMatchObject({ status: 400, body: { errors: [{ pointer: '/components/1' }] } });
  }
  expect((await world.admin.get(`/api/pattern/download/${design.id}?export=design`)).status).toBe(200);
  const other = { ...map('2'), configuration: { metadata: { generateName: 'settings-' } } };
  expect((await save([map('1'), other, other])).body).toMatchObject({ canSupport: true, errmsg: '' });
});

it('says when a design has more relationships than are kept', async () => {
  const each = (write: (index: number) => string) => Array.from({ length: 120 }, (_, index) => write(index));
  const text = [
    ...each((index) => `{apiVersion: v1, kind: Service, metadata: {name: s${index}}, spec: {selector: {a: b}}}`),
    ...each((index) => `{apiVersion: v1, kind: Pod, metadata: {name: p${index}, labels: {a: b}}, spec: {containers: [{name: c, image: i}]}}`), // prettier-ignore
  ].join('\n---\n');
  const { warnings } = await imported(text);
  expect(warnings).toContainEqual(expect.objectContaining({ pointer: '/relationships' }));
  expect((await imported(SHOP)).warnings).not.toContainEqual(expect.objectContaining({ pointer: '/relationships' }));
});
