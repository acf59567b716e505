import { sharedCluster } from './support/cluster.js';
import type { Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const IS_BLUE = "has(component.data) && component.data.colour == 'blue'";
const IS_RED = "has(component.data) && component.data.colour == 'red'";

let world: World;
let people: People;

beforeAll(async () => {
  world = await World.start();
  people = await peopleOf(world);
}, 120_000);
afterAll(() => world.stop());

/** A workspace with a design of one ConfigMap, which is blue, and an environment that no cluster answers for. */
async function place() {
  const scene = await WorkspaceScene.make(world, people);
  const environment = await scene.environment({ tier: 'staging' });
  await scene.cluster(environment, 'https://127.0.0.1:9');
  const design = await scene.design();
  const path = `${scene.path}/policies`;
  const policy = (fields: object) =>
    done(people.admin.post(path, { name: 'red', expression: IS_RED, mode: 'enforce', ...fields }));
  const deploy = (by = people.editor, fields: object = {}) =>
    by.post('/api/pattern/deploy?async=true', { id: design.id, environment_id: environment.id, ...fields });
  const events = async () =>
    ((await world.admin.get(`/api/events?orgID=${world.organization}&acted_upon=${design.id}`)).body.events as Json[])
      .filter(({ category }) => category === 'policy')
      .map(({ action, metadata }) => ({ action, ...metadata }));
  return { scene, environment, design, path, policy, deploy, events };
}

describe('policies of a workspace', () => {
  it('are made, listed by page, changed as they were read, and deleted; each name is taken once', async () => {
    const { path, policy } = await place();
    const made = await policy({ message: 'must be red', kinds: ['ConfigMap'] });
    expect(made).toMatchObject({ name: 'red', mode: 'enforce', kinds: ['ConfigMap'], enabled: true });
    expect(await people.admin.post(path, { name: 'RED', expression: 'true', mode: 'warn' })).toMatchObject({
      status: 409,
      body: { code: 'NAME_TAKEN' },
    });
    expect((await people.viewer.get(`${path}?pagesize=1`)).body).toMatchObject({
      total_count: 1,
      policies: [{ id: made.id }],
    });
    const read = await people.viewer.get(`${path}/${made.id}`);
    const match = { headers: { 'if-match': read.headers.get('etag') ?? '' } };
    expect(await people.admin.put(`${path}/${made.id}`, { ...read.body, kinds: null }, match)).toMatchObject({
      status: 200,
      body: { kinds: [], message: 'must be red' },
    });
    expect((await people.admin.put(`${path}/${made.id}`, { enabled: false }, match)).status).toBe(412);
    const other = await place();
    expect((await people.admin.delete(`${other.path}/${made.id}`)).status).toBe(404);
    expect((await people.admin.delete(`${path}/${made.id}`)).status).toBe(200);
    expect((await people.admin.get(`${path}/${made.id}`)).status).toBe(404);
  });

  it.each([
    ['component.kind ==', /does not compile/],
    ['('.repeat(200), /does not compile/],
    ['resource.kind == "Pod"', /names resource/],
    ['component.items.all(i, i.size > j)', /names j/],
    ['x'.repeat(5_000), /at most 4000/],
  ])('do not take the expression %.30s', async (expression, detail) => {
    const { path } = await place();
    expect(await people.admin.post(path, { name: 'a', mode: 'warn', expression })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/expression', detail: expect.stringMatching(detail) as string }] },
    });
  });

  it('are tried on a design before they are saved', async () => {
    const { path, design, environment, scene } = await place();
    const attempt = (expression: string, fields: object = {}) =>
      people.admin.post(`${path}/try`, { expression, design_id: design.id, ...fields });
    const resource = { api_version: 'v1', kind: 'ConfigMap', name: 'settings' };
    expect(await attempt(IS_BLUE)).toMatchObject({
      status: 200,
      body: { judged: 1, violations: 0, verdicts: [{ ...resource, complies: true, reason: null }] },
    });
    expect((await attempt(IS_RED)).body).toMatchObject({ violations: 1, verdicts: [{ ...resource, complies: false }] });
    expect((await attempt('component.spec.replicas > 1')).body.verdicts).toMatchObject([
      { complies: false, reason: 'no such key: spec' },
    ]);
    expect((await attempt("'text'")).status).toBe(400);
    expect((await attempt('component.kind')).body.verdicts).toMatchObject([
      { complies: false, reason: 'it evaluates to string instead of true or false' },
    ]);
    const heavy = JSON.stringify(Array.from({ length: 100 }, (_, index) => index));
    const loop = `${heavy}.all(a, ${heavy}.all(b, ${heavy}.all(c, a + b + c >= 0)))`;
    expect((await attempt(loop)).body.verdicts).toMatchObject([
      { complies: false, reason: 'evaluating it takes too long' },
    ]);
    const seen = "environment.tier == 'staging' && design.name == 'settings' && design.components.size() == 1";
    expect((await attempt(seen, { environment_id: environment.id })).body.violations).toBe(0);
    expect((await attempt(seen)).body.violations).toBe(1);
    const loose = await scene.looseEnvironment();
    expect((await attempt('true', { environment_id: loose.id })).status).toBe(404);
    expect((await people.admin.get(path)).body.total_count).toBe(0);
  });

  it('refuse a deployment that violates one that is enforced, which an event reports', async () => {
    const { policy, deploy, events, path } = await place();
    const { id } = await policy({ message: 'must be red' });
    const refused = await deploy();
    const violation = { policy_id: id, policy: 'red', mode: 'enforce', kind: 'ConfigMap', name: 'settings' };
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'POLICY_VIOLATION',
        errors: [{ detail: 'ConfigMap settings: policy red: must be red' }],
        violations: [{ ...violation, message: 'must be red' }],
      },
    });
    expect(await deploy(people.editor, { request_approval: true })).toMatchObject({ status: 409 });
    expect(await events()).toMatchObject([
      { action: 'violation', refused: true, count: 1, violations: [violation] },
      { action: 'violation', refused: true },
    ]);
    await done(people.admin.put(`${path}/${id}`, { kinds: ['Pod'] }));
    expect((await deploy()).status).toBe(202);
    await done(people.admin.put(`${path}/${id}`, { kinds: [], enabled: false }));
    expect((await deploy()).status).toBe(202);
  });

  it('that warn let a deployment go ahead, and stand in its record', async () => {
    const { policy, deploy, events } = await place();
    await policy({ mode: 'warn', expression: 'component.spec.replicas > 1' });
    const accepted = await deploy();
    expect(accepted).toMatchObject({
      status: 202,
      body: { policy_violations: [{ policy: 'red', mode: 'warn', kind: 'ConfigMap', reason: 'no such key: spec' }] },
    });
    expect((await events())[0]).toMatchObject({ refused: false, count: 1 });
  });

  it('judge again what waited for an approval', async () => {
    const { policy, deploy, path } = await place();
    const pending = await deploy(people.editor, { request_approval: true });
    expect(pending.body.status).toBe('pending_approval');
    const { id } = await policy({});
    const approve = () => people.admin.post(`/api/deployments/${pending.body.id}/approve?async=true`);
    expect(await approve()).toMatchObject({ status: 409, body: { code: 'POLICY_VIOLATION' } });
    await done(people.admin.delete(`${path}/${id}`));
    expect((await approve()).status).toBe(202);
  });

  it('are reported by the validation of a design, to those who may read them', async () => {
    const { policy, path, scene, design } = await place();
    const validate = (by: Person, query = '') => by.get(`/api/pattern/${design.id}/validate${query}`);
    expect((await done(validate(people.viewer))).policy_violations).toEqual([]);
    const { id } = await policy({ expression: "environment.tier != 'production'", mode: 'warn' });
    const live = await scene.environment({ tier: 'production' });
    expect((await done(validate(people.viewer))).policy_violations).toEqual([]);
    const warned = await done(validate(people.viewer, `?environment_id=${live.id}`));
    expect(warned).toMatchObject({
      valid: true,
      policy_violations: [{ policy_id: id, mode: 'warn', name: 'settings' }],
    });
    await done(people.admin.put(`${path}/${id}`, { mode: 'enforce' }));
    expect(await done(validate(people.viewer, `?environment_id=${live.id}`))).toMatchObject({ valid: false });
    const loose = await scene.looseEnvironment();
    expect((await validate(people.admin, `?environment_id=${loose.id}`)).status).toBe(404);
    expect((await validate(people.outsider)).status).toBe(404);
    const catalog_data = { content_class: 'community', type: 'Deployment' };
    await done(people.admin.post('/api/pattern/catalog/publish', { id: design.id, catalog_data }));
    await done(people.admin.put(`${path}/${id}`, { expression: 'false' }));
    expect(await done(validate(people.outsider))).toMatchObject({ valid: true, policy_violations: [] });
    expect((await validate(people.outsider, `?environment_id=${live.id}`)).status).toBe(404);
  });

  it('see the values of secrets as empty text, also from other components, and never show a value', async () => {
    const { path, scene } = await place();
    const secret =
      'apiVersion: v1\nkind: Secret\nmetadata: {name: keys}\nstringData: {password: canary-of-a-policy}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain}\ndata: {colour: canary-of-a-map}\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: pod, annotations: {copy: "{\\"data\\":\\"canary-of-a-policy\\"}"}}\nspec: {containers: [{name: app, image: a, env: [{name: A, value: canary-of-a-policy}]}]}\n';
    const fields = { name: 'keys', pattern_data: { pattern_file: secret }, workspace_id: scene.id };
    const design = await done(world.admin.post('/api/pattern', fields));
    const attempt = async (expression: string) =>
      (await done(people.admin.post(`${path}/try`, { expression, design_id: design.id }))).verdicts as Json[];
    const leaks = [
      'component[design.components[0].stringData.password] == 1',
      'component[design.components[1].data.colour] == 1',
      'int(design.components[0].stringData.password) == 1',
      'component[design.components[2].spec.containers[0].env[0].value] == 1',
      'component[design.components[2].metadata.annotations.copy] == 1',
      'url(design.components[1].data.colour).getHost() == ""',
      'timestamp("2026-01-01T00:00:00Z").getHours(design.components[1].data.colour) == 1',
      'quantity(design.components[1].data.colour) == quantity("1")',
      'semver(design.components[1].data.colour) == semver("1.0.0")',
      'ip(design.components[1].data.colour).family() == 4',
      'cidr(design.components[1].data.colour).prefixLength() == 4',
    ];
    for (const expression of leaks) {
      const verdicts = await attempt(expression);
      expect([expression, JSON.stringify(verdicts).replaceAll(expression, '')]).toEqual([
        expression,
        expect.not.stringMatching(/canary/) as string,
      ]);
      expect(verdicts.map(({ reason }) => typeof reason)).toEqual(['string', 'string', 'string']);
    }
    const facts = [
      "design.components[0].stringData.all(key, key == 'password')",
      "design.components[0].stringData.password == ''",
      "design.components[2].spec.containers[0].env[0] == {'name': 'A', 'value': ''}",
      "design.components[1].data.colour == 'canary-of-a-map'",
    ];
    for (const expression of facts)
      expect([expression, await attempt(expression)]).toEqual([
        expression,
        [0, 1, 2].map(() => expect.objectContaining({ complies: true }) as object),
      ]);
    const policy = { name: 'leaks', expression: leaks[0], mode: 'enforce' };
    await done(people.admin.post(path, policy));
    const environment = await scene.environment({ tier: 'staging' });
    await scene.cluster(environment, 'https://127.0.0.1:9');
    const refused = await people.editor.post('/api/pattern/deploy', { id: design.id, environment_id: environment.id });
    expect(refused).toMatchObject({ status: 409, body: { code: 'POLICY_VIOLATION' } });
    const events = await done(people.viewer.get(`/api/events?orgID=${world.organization}&acted_upon=${design.id}`));
    const audit = await done(world.admin.get(`/api/identity/orgs/${world.organization}/audit?resource=${design.id}`));
    expect(JSON.stringify([refused.body, events, audit])).not.toContain('canary-of-a-policy');
    expect(JSON.stringify(audit)).toContain('violation');
  });
});

requires('KUBEBUILDER_ASSETS', 'policies in a plan, on a real API server', () => {
  it('stand beside the resources, and keep the plan from being deployable where they are enforced', async () => {
    const { scene, design, policy } = await place();
    const { kubeconfig } = await sharedCluster();
    const registered = await done(
      world.admin.post(`/api/system/kubernetes?orgID=${world.organization}`, { kubeconfig }),
    );
    const environment = await scene.environment();
    await done(
      world.admin.post(`/api/environments/${environment.id}/connections/${registered.connected[0].connection_id}`),
    );
    const { id } = await policy({ mode: 'warn' });
    const plan = () =>
      done(
        people.editor.post('/api/pattern/deploy/plan', {
          id: design.id,
          environment_id: environment.id,
          namespace: 'default',
        }),
      );
    const warned = await plan();
    expect(warned).toMatchObject({
      deployable: true,
      policy_violations: [{ policy_id: id, mode: 'warn', name: 'settings' }],
    });
    await done(people.admin.put(`${scene.path}/policies/${id}`, { mode: 'enforce' }));
    expect(await plan()).toMatchObject({ deployable: false, policy_violations: [{ policy_id: id, mode: 'enforce' }] });
  }, 120_000);
});
