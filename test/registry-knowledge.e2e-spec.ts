import { randomUUID } from 'node:crypto';
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

const crd = (group: string, kind: string, schema = '{type: object, properties: {spec: {type: object}}}') => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${kind.toLowerCase()}s.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: ${kind}, plural: ${kind.toLowerCase()}s }
  versions:
    - { name: v1, served: true, storage: true, schema: { openAPIV3Schema: ${schema} } }
`;

describe('a fresh server', () => {
  it('knows Kubernetes: its kinds with their schemas, and how they are related', async () => {
    const { body: models } = await reader.get(`${base}/models/kubernetes`);
    expect(models).toMatchObject({
      count: 1,
      models: [{ registrant: { kind: 'kubernetes' }, category: { name: 'Orchestration & Management' } }],
    });
    expect(models.models[0].components_count).toBeGreaterThan(60);
    expect(models.models[0].relationships_count).toBeGreaterThan(50);
    const { body: schema } = await reader.get('/api/schema/resource/Deployment?apiVersion=apps/v1');
    expect(schema.properties.spec).toBeDefined();
    const { body: relationships } = await reader.get(`${base}/models/kubernetes/relationships?pagesize=all&order=kind`);
    expect(new Set(relationships.relationships.map(({ kind }: Json) => kind))).toContain('edge');
    expect((await reader.get(`${base}/summary`)).body).toMatchObject({ models: 1, registrants: 1 });
  });
});

describe('generating', () => {
  it('makes a component of every definition that is sound, and names the others', async () => {
    const group = `g${randomUUID().slice(0, 8)}.example.com`;
    const source = `${crd(group, 'Widget')}---${crd(group, 'Gadget')}---${crd(group, 'Broken').replace('kind: Broken', 'kind: 7')}`;
    const { status, body } = await admin.post(`${base}/generate`, { source, config: { model: group } });
    expect(status).toBe(200);
    expect(body.models).toMatchObject([{ name: group, outcome: 'registered' }]);
    expect(body.components.map(({ kind }: Json) => kind).sort()).toEqual(['Gadget', 'Widget']);
    expect(body.counts).toMatchObject({ registered: 3, failed: 1 });
    expect(body.errors[0]).toMatchObject({ line: expect.any(Number), detail: expect.any(String) });
    const { body: again } = await admin.post(`${base}/generate`, { source, config: { model: group } });
    expect(again.counts).toMatchObject({ registered: 0, unchanged: 3 });
  });

  it('only shows what would come of it when it is not to be registered', async () => {
    const group = `g${randomUUID().slice(0, 8)}.example.com`;
    const config = { kind: 'crd', model: group, register: false };
    const { body } = await admin.post(`${base}/generate`, { source: crd(group, 'Widget'), config });
    expect(body.counts).toMatchObject({ registered: 2 });
    expect((await reader.get(`${base}/models/${group}`)).status).toBe(404);
  });

  it('goes on after the answer when that is asked for, and the operation reports the result', async () => {
    const group = `g${randomUUID().slice(0, 8)}.example.com`;
    const input = { source: crd(group, 'Widget'), config: { model: group } };
    const begun = await admin.post(`${base}/generate?async=true`, input);
    expect(begun.status).toBe(202);
    for (;;) {
      const { body } = await admin.get(begun.headers.get('location') ?? '');
      if (body.status === 'succeeded') {
        expect(body).toMatchObject({ result: { counts: { registered: 2 } }, progress: { stage: 'registering' } });
        break;
      }
      expect(body.status).not.toBe('failed');
    }
    expect((await reader.get(`${base}/models/${group}`)).body.total_count).toBe(1);
    const wrong = await admin.post(`${base}/generate?async=true`, { source: 'a', config: { kind: 'magic' } });
    expect(wrong.status).toBe(400);
  });

  it('refuses what it does not know, and every member of the config that is wrong', async () => {
    const unknown = await admin.post(`${base}/generate`, { source: 'a: 1' });
    expect([unknown.status, unknown.body.code]).toEqual([400, 'UNKNOWN_FORMAT']);
    const wrong = await admin.post(`${base}/generate`, { source: 'a: 1', config: { kind: 'magic', colour: 'red' } });
    expect(wrong.body.errors.map(({ pointer }: Json) => pointer)).toEqual(['/config/kind', '/config/colour']);
    const metadata = await admin.post(`${base}/generate`, { source: 'http://169.254.169.254/latest/meta-data' });
    expect(metadata).toMatchObject({
      status: 400,
      body: { code: 'OUTBOUND_REFUSED', errors: [{ pointer: '/source' }] },
    });
    const cluster = await admin.post(`${base}/generate`, { source: randomUUID() });
    expect(cluster.status).toBe(404);
  });
});

describe('validating', () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } };
  const judged = async (component: object, model?: string) =>
    (await reader.post(`${base}/validate`, { component, model })).body;

  it('judges a resource as the API server would: errors with their places, unknown fields as warnings', async () => {
    expect(await judged(service)).toMatchObject({ valid: true, errors: [], warnings: [] });
    const wrong = { ...service, spec: { ports: [{ port: 'http' }, { port: 70_000 }], colour: 'red' } };
    const { valid, errors, warnings, definition } = await judged(wrong);
    expect(valid).toBe(false);
    expect(errors.map(({ pointer }: Json) => pointer)).toContain('/spec/ports/0/port');
    expect(warnings).toMatchObject([{ pointer: '/spec/colour', keyword: 'unknown-field' }]);
    expect(definition).toMatchObject({ kind: 'Service', apiVersion: 'v1', model: { name: 'kubernetes' } });
  });

  it('takes a component of a design, and large resources all the same', async () => {
    const component = {
      displayName: 'web',
      component: { kind: 'Deployment', version: 'apps/v1' },
      configuration: { spec: { replicas: 'two' } },
    };
    const { valid, errors } = await judged(component);
    expect([valid, errors.map(({ pointer }: Json) => pointer)]).toEqual([
      false,
      expect.arrayContaining(['/spec/replicas']),
    ]);
  });

  it('follows what is registered: a new kind is judged, one that nobody registered is not, and says so', async () => {
    const group = `g${randomUUID().slice(0, 8)}.example.com`;
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a' }, spec: { size: 12 } };
    expect(await judged(widget)).toMatchObject({
      valid: false,
      definition: null,
      errors: [{ pointer: '/kind', keyword: 'unknown-kind' }],
      warnings: [],
    });
    const schema =
      '{type: object, properties: {spec: {type: object, properties: {size: {type: integer, maximum: 10}}}}}';
    await admin.post(`${base}/generate`, { source: crd(group, 'Widget', schema), config: { model: group } });
    expect(await judged(widget)).toMatchObject({
      valid: false,
      errors: [{ pointer: '/spec/size', keyword: 'maximum' }],
    });
    expect(await judged(widget, 'kubernetes')).toMatchObject({ valid: false, definition: null });
  });

  it('judges the spec alone by schemas of older tools, which describe nothing else', async () => {
    const group = `g${randomUUID().slice(0, 8)}.example.com`;
    const schema = { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] };
    await admin.post(`${base}/components`, {
      modelName: group,
      components: [{ kind: 'Widget', apiVersion: `${group}/v1`, schema }],
    });
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'a' }, spec: { size: 'big' } };
    expect(await judged(widget)).toMatchObject({ valid: false, errors: [{ pointer: '/spec/size' }], warnings: [] });
    expect(await judged({ ...widget, spec: { size: 1 } })).toMatchObject({ valid: true });
  });

  it('refuses what is no resource', async () => {
    const { status, body } = await reader.post(`${base}/validate`, { component: { spec: {} } });
    expect([status, body.errors.map(({ pointer }: Json) => pointer)]).toEqual([
      400,
      ['/component/apiVersion', '/component/kind'],
    ]);
  });
});

describe('evaluating a design', () => {
  const component = (kind: string, version: string, name: string, configuration: object) => ({
    displayName: name,
    component: { kind, version },
    model: { name: 'kubernetes' },
    configuration: { metadata: { name }, ...configuration },
  });
  const labels = { app: 'web' };
  const design = {
    name: 'shop',
    components: [
      component('Service', 'v1', 'web', { spec: { selector: labels, ports: [{ port: 80 }] } }),
      component('Deployment', 'apps/v1', 'web', {
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [] } } },
      }),
    ],
  };

  it('finds the relationships, each with its reason, and the same ones each time', async () => {
    const { status, body } = await reader.post(`${base}/relationships/evaluate`, { design });
    expect(status).toBe(200);
    expect(body.actions).toMatchObject([{ op: 'add_relationship', reason: expect.stringContaining('web') }]);
    expect(body.design.relationships).toMatchObject([{ kind: 'edge', subType: 'network' }]);
    const { body: again } = await reader.post(`${base}/relationships/evaluate`, { design: body.design });
    expect(again.actions).toEqual([]);
    expect(again.design).toEqual(body.design);
  });

  it('leaves out what the disabled definitions would find', async () => {
    const { body } = await reader.get(`${base}/relationships?pagesize=all`);
    const networks = body.relationships.filter((each: Json) => each.sub_type === 'network');
    for (const { id } of networks) await admin.post(`${base}/relationships/status`, { id, status: 'disabled' });
    const without = await reader.post(`${base}/relationships/evaluate`, { design });
    expect(without.body.actions).toEqual([]);
    for (const { id } of networks) await admin.post(`${base}/relationships/status`, { id, status: 'enabled' });
    expect((await reader.post(`${base}/relationships/evaluate`, { design })).body.actions).toHaveLength(1);
  });

  it('refuses what is no design, with pointers into the body', async () => {
    const { status, body } = await reader.post(`${base}/relationships/evaluate`, {
      design: { components: [7] },
      options: { limit: 'x' },
    });
    expect(status).toBe(400);
    expect(body.errors.map(({ pointer }: Json) => pointer)).toEqual(['/design/components/0', '/options/limit']);
  });
});
