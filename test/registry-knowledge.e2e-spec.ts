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
    const pointersOf = async (config: object): Promise<string[]> => {
      const { body } = await admin.post(`${base}/generate`, { source: 'a: 1', config });
      return body.errors.map(({ pointer }: Json) => pointer);
    };
    expect(await pointersOf({ kind: 'magic', colour: 'red' })).toEqual(['/config/kind', '/config/colour']);
    expect(await pointersOf({ kind: 'magic', model: 1 })).toEqual(['/config/kind', '/config/model']);
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

  it('responds in the form that other programs read, and only with what was asked for', async () => {
    const url = `${base}/relationships/evaluate`;
    const { body } = await reader.post(url, { design });
    const [item] = body.design.relationships;
    expect(body).toMatchObject({ schemaVersion: 'evaluation.meshery.io/v1beta1', timestamp: expect.any(String) });
    expect(body.actions).toMatchObject([{ op: 'add_relationship', id: item.id, value: { item } }]);
    const options = { returnDiffOnly: true, enableTrace: false };
    const { body: changes } = await reader.post(url, { design, options });
    expect(changes).not.toHaveProperty('trace');
    expect(changes.design).toMatchObject({ name: 'shop', components: [], relationships: [item] });
    const { body: none } = await reader.post(url, { design: body.design, options });
    expect([none.actions, none.design.relationships]).toEqual([[], []]);
    const [service] = body.design.components;
    const fewer = { ...body.design, components: [service] };
    expect((await reader.post(url, { design: fewer })).body.actions).toMatchObject([
      { op: 'delete_relationship', value: { id: item.id } },
    ]);
    const theirs = { ...fewer, relationships: [{ ...item, id: randomUUID() }] };
    const { body: lost } = await reader.post(url, { design: theirs });
    expect(lost.design.relationships).toMatchObject([{ status: 'deleted' }]);
    expect(lost.actions).toMatchObject([{ op: 'update_relationship', value: { path: ['status'], value: 'deleted' } }]);
    const wrong = await reader.post(url, { design, options: { returnDiffOnly: 'yes', enableTrace: 1 } });
    expect(wrong.body.errors.map(({ pointer }: Json) => pointer)).toEqual(['/options/returnDiffOnly', '/options/enableTrace']); // prettier-ignore
  });

  describe('by definitions in the language of other programs', () => {
    const PATCH = { patchStrategy: 'replace' };
    const BINDING = [
      ['configuration', 'roleRef', 'kind'],
      ['configuration', 'roleRef', 'name'],
    ];
    const subjects = ['configuration', 'subjects', '_'];
    const SCALED = ['apiVersion', 'name', 'kind'].map((name) => ['configuration', 'spec', 'scaleTargetRef', name]);
    const labels = { kind: '*', model: { name: '*' }, match: { refs: [['configuration', 'metadata', 'labels']] } };
    const self = (...mutatorRef: string[][]) => ({ kind: 'self', mutatorRef });
    const definitions: [string, object[], object[]][] = [
      [
        'edge binding permission',
        [{ kind: 'Role', match: { from: [self(['component', 'kind'], ['displayName'])], to: [{ kind: 'RoleBinding', mutatedRef: BINDING }] } }], // prettier-ignore
        [{ kind: 'ServiceAccount', match: { from: [{ kind: 'RoleBinding', mutatedRef: [[...subjects, 'kind'], [...subjects, 'name']] }], to: [self(['component', 'kind'], ['displayName'])] } }], // prettier-ignore
      ],
      [
        'hierarchical parent scaled',
        [{ kind: 'Deployment', patch: { ...PATCH, mutatorRef: [['component', 'version'], ['displayName'], ['component', 'kind']] } }], // prettier-ignore
        [{ kind: 'HorizontalPodAutoscaler', patch: { ...PATCH, mutatedRef: SCALED } }],
      ],
      ['hierarchical sibling matchlabels', [labels], [labels]],
      [
        'edge binding greedy',
        [{ kind: '*', match_strategy_matrix: [['not_null']], patch: { mutatorRef: [['component', 'kind']] } }],
        [{ kind: '*', patch: { mutatedRef: [['component', 'kind']] } }],
      ],
    ];
    const map = (name: string, metadata: object = {}) => component('ConfigMap', 'v1', name, { metadata });
    const evaluated = async (sent: object, options: object = {}): Promise<Json> => {
      const { status, body } = await reader.post(`${base}/relationships/evaluate`, { design: sent, options });
      expect(status).toBe(200);
      return body;
    };
    const found = ({ design: { components, relationships } }: Json, subType: string): string[] => {
      const names = new Map<string, string>(components.map(({ id, component: { kind }, displayName }: Json) => [id, `${kind} ${displayName}`])); // prettier-ignore
      return relationships
        .filter((each: Json) => each.subType === subType)
        .map(
          ({ selectors: [{ allow }] }: Json) =>
            `${names.get(allow.from[0].id) ?? ''} > ${names.get(allow.to[0].id) ?? ''}`,
        );
    };
    const role = component('Role', 'rbac.authorization.k8s.io/v1', 'reader', {});
    const account = component('ServiceAccount', 'v1', 'alice', {});
    let greedy = '';

    beforeAll(async () => {
      const model = `m${randomUUID().slice(0, 8)}`;
      for (const [triple, from, to] of definitions) {
        const [kind, type, subType] = triple.split(' ');
        const selectors = [{ allow: { from, to }, deny: { from: [], to: [] } }];
        const registered = { schemaVersion: 'relationships.meshery.io/v1alpha3', kind, type, subType, model: { name: model, model: { version: '1.0.0' } }, version: 'v1.0.0', selectors }; // prettier-ignore
        const text = JSON.stringify(registered);
        const { status, body } = await admin.upload(`${base}/register`, `${subType}.json`, text);
        expect([status, body.errors]).toEqual([200, []]);
        if (subType === 'greedy') greedy = body.relationships[0].id;
      }
      await admin.post(`${base}/relationships/status`, { id: greedy, status: 'disabled' });
    });

    it('reads field names in display form as the plain ones', async () => {
      const spaced = { 'role Ref': { 'api Group': 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' }, subjects: [{ kind: 'ServiceAccount', name: 'alice' }] }; // prettier-ignore
      const binding = component('RoleBinding', 'rbac.authorization.k8s.io/v1', 'grant', spaced);
      const body = await evaluated({ name: 'spaced', components: [role, account, binding] });
      expect(found(body, 'permission')).toContain('Role reader > ServiceAccount alice');
      expect(body.design.components[2].configuration).toHaveProperty('roleRef.apiGroup', 'rbac.authorization.k8s.io');
    });

    it('takes the wildcards of one list for one item', async () => {
      const permits = async (...subjectsOf: object[]) => {
        const roleRef = { kind: 'Role', name: 'reader' };
        const binding = component('RoleBinding', 'rbac.authorization.k8s.io/v1', 'grant', { roleRef, subjects: subjectsOf }); // prettier-ignore
        return found(await evaluated({ name: 'x', components: [role, account, binding] }), 'permission').includes('Role reader > ServiceAccount alice'); // prettier-ignore
      };
      const robot = { kind: 'ServiceAccount', name: 'robot' };
      expect(await permits({ kind: 'User', name: 'alice' }, robot)).toBe(false);
      expect(await permits({ kind: 'User', name: 'alice' }, robot, { ...robot, name: 'alice' })).toBe(true);
    });

    it('agrees with every namespace where a component names none', async () => {
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
      const scaler = component('HorizontalPodAutoscaler', 'autoscaling/v2', 'web', { metadata: { name: 'web', namespace: 'shop' }, spec: { scaleTargetRef } }); // prettier-ignore
      const web = component('Deployment', 'apps/v1', 'web', {});
      const namespace = component('Namespace', 'v1', 'default', {});
      const body = await evaluated({ name: 'scaled', components: [web, scaler, namespace] });
      expect(found(body, 'scaled')).toEqual(['Deployment web > HorizontalPodAutoscaler web']);
      expect(found(body, 'inventory')).toEqual([]);
    });

    it('knows the siblings that another program wrote, and what the design switches off', async () => {
      const components = ['a', 'b', 'c'].map((name) => map(name, { name, labels: { app: 'web' } }));
      const first = await evaluated({ name: 'siblings', components });
      expect(found(first, 'matchlabels')).toHaveLength(1);
      const ends = first.design.components.map(({ id }: Json) => ({ id, patch: { mutatorRef: [['app']] } }));
      const theirs = { ...first.design.relationships[0], id: randomUUID(), selectors: [{ allow: { from: ends, to: ends } }] }; // prettier-ignore
      expect((await evaluated({ ...first.design, relationships: [theirs] })).actions).toEqual([]);
      const preferences = { layers: { relationships: { 'hierarchical-sibling-matchlabels': false } } };
      const off = await evaluated({ name: 'siblings', components, preferences });
      expect(off.actions).toEqual([]);
      expect(JSON.stringify(off.trace.definitions)).toContain('has switched off hierarchical-sibling-matchlabels');
    });

    it('applies patches where they lead to one place, and else leaves the relationship pending', async () => {
      const ids = [randomUUID(), randomUUID(), randomUUID()];
      const [from = '', to = '', bound = ''] = ids;
      const containers = ['a', 'b'].map((name) => ({ name, envFrom: [{ configMapRef: { name: 'old' } }] }));
      const path = ['configuration', 'spec', 'containers', '_', 'envFrom', '0', 'configMapRef', 'name'];
      const drawn = (id: string, allow: object) => ({ id, kind: 'edge', type: 'binding', subType: 'drawn', status: 'pending', selectors: [{ allow }] }); // prettier-ignore
      const patches = drawn(randomUUID(), {
        from: [{ id: from, patch: { mutatorRef: [['displayName']] } }],
        to: [{ id: to, patch: { ...PATCH, mutatedRef: [path] } }],
      });
      const pod = (count: number) => ({ ...component('Pod', 'v1', 'web', { spec: { containers: containers.slice(0, count) } }), id: to }); // prettier-ignore
      const design = (count: number) => ({ name: 'drawn', components: [{ ...map('settings'), id: from }, pod(count)], relationships: [patches] }); // prettier-ignore
      const several = await evaluated(design(2), { applyPatches: true });
      expect(several.actions).toEqual([]);
      expect(several.trace.notes).toEqual([expect.stringContaining('is not one place')]);
      expect(several.design.relationships).toMatchObject([{ status: 'pending' }]);
      const value = { id: to, path: path.map((step) => (step === '_' ? '0' : step)), value: 'settings' };
      const one = await evaluated(design(1), { applyPatches: true });
      expect(one.actions.slice(0, 2)).toMatchObject([
        { op: 'update_component_configuration', value },
        { op: 'update_relationship', value: { path: ['status'], value: 'approved' } },
      ]);

      const end = (id: string, mutatorRef: string[][]) => ({ id, kind: 'self', mutatorRef });
      const grant = { roleRef: { name: '' }, subjects: [{ kind: 'ServiceAccount', name: '' }] };
      const binds = drawn(randomUUID(), {
        from: [{ id: from, match: { from: [end(from, [['component', 'kind'], ['displayName']])], to: [{ id: bound, kind: 'RoleBinding', mutatedRef: BINDING }] } }], // prettier-ignore
        to: [{ id: to, match: { from: [{ id: bound, kind: 'RoleBinding', mutatedRef: [[...subjects, 'name']] }], to: [end(to, [['displayName']])] } }], // prettier-ignore
      });
      const binding = component('RoleBinding', 'rbac.authorization.k8s.io/v1', 'grant', grant);
      const components = [role, account, binding].map((each, index) => ({ ...each, id: ids[index] }));
      const body = await evaluated({ name: 'bound', components, relationships: [binds] }, { applyPatches: true });
      expect(body.design.relationships[0]).toMatchObject({ status: 'approved' });
      expect(body.design.components[2].configuration).toMatchObject({
        roleRef: { kind: 'Role', name: 'reader' },
        subjects: [{ kind: 'ServiceAccount', name: 'alice' }],
      });
    });

    it('leaves other definitions their share when one relates everything, and the design can be sent back', async () => {
      await admin.post(`${base}/relationships/status`, { id: greedy, status: 'enabled' });
      try {
        const maps = Array.from({ length: 100 }, (_, index) => map(`settings-${index}`, { name: `settings-${index}`, annotations: { note: 'x'.repeat(20_000) } })); // prettier-ignore
        const { body } = await reader.post(`${base}/relationships/evaluate`, { design: { name: 'greedy', components: [...maps, ...design.components] } }); // prettier-ignore
        expect(body.trace.truncated).toBe(true);
        expect(found(body, 'network')).toEqual(['Service web > Deployment web']);
        expect(JSON.stringify(body).length).toBeLessThan(12 * 1024 * 1024);
        expect((await evaluated(body.design)).trace.relationshipsRemoved).toEqual([]);
        const saved = await admin.post('/api/pattern', { name: 'greedy', pattern_data: { design_file: body.design } });
        expect([saved.status, saved.body.errors]).toEqual([201, undefined]);
      } finally {
        await admin.post(`${base}/relationships/status`, { id: greedy, status: 'disabled' });
      }
    });
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
