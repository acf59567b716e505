import { randomUUID } from 'node:crypto';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import type { Answer, Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const map = (colour: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: ${colour}}\n`;

requires('KUBEBUILDER_ASSETS', 'from one environment to the next, and back', () => {
  let world: World;
  let people: People;
  let cluster: Cluster;
  let connectionId: string;
  let scene: WorkspaceScene;
  let staging: Json;
  let live: Json;
  let design: Json;
  let namespaces: { staging: string; live: string };

  beforeAll(async () => {
    [world, cluster] = await Promise.all([World.start(), sharedCluster()]);
    people = await peopleOf(world);
    const { connected } = await done(
      world.admin.post(`/api/system/kubernetes?orgID=${world.organization}`, { kubeconfig: cluster.kubeconfig }),
    );
    connectionId = connected[0].connection_id;
    scene = await WorkspaceScene.make(world, people);
  }, 120_000);
  afterAll(() => world.stop());
  beforeEach(async () => {
    [staging, live] = await Promise.all([place('staging'), place('production')]);
    const name = randomUUID().slice(0, 8);
    namespaces = { staging: `s${name}`, live: `l${name}` };
    for (const each of Object.values(namespaces)) await kubectl(cluster, 'create', 'namespace', each);
    design = await done(
      world.admin.post('/api/pattern', {
        name: 'settings',
        pattern_data: { pattern_file: map('blue') },
        workspace_id: scene.id,
      }),
    );
  });

  const refused = (status: number, code: string) => ({ status, body: { status, code } });
  async function place(tier: string): Promise<Json> {
    const environment = await scene.environment({ tier });
    await done(world.admin.post(`/api/environments/${environment.id}/connections/${connectionId}`));
    return environment;
  }
  const change = (colour: string): Promise<Json> =>
    done(world.admin.put('/api/pattern/yaml', { id: design.id, pattern_data: { pattern_file: map(colour) } }));
  const deploy = (fields: object = {}): Promise<Json> =>
    done(
      people.editor.post('/api/pattern/deploy', {
        id: design.id,
        environment_id: staging.id,
        namespace: namespaces.staging,
        ...fields,
      }),
    );
  const promote = (by: Person, source: Json, fields: object = {}): Promise<Answer> =>
    by.post(`/api/deployments/${source.id}/promote`, {
      environment_id: live.id,
      namespace: namespaces.live,
      ...fields,
    });
  const rollback = (source: Json, fields: object = {}): Promise<Answer> =>
    people.editor.post(`/api/deployments/${source.id}/rollback`, fields);
  const colour = (namespace: string): Promise<string> =>
    kubectl(cluster, 'get', 'cm', 'settings', '-n', namespace, '--ignore-not-found', '-o', 'jsonpath={.data.colour}');

  it('the very same version is promoted, by the rules of where it goes', async () => {
    const healed = { id: design.id, environment_id: staging.id, self_heal: true };
    expect(await people.editor.post('/api/pattern/deploy', healed)).toMatchObject(refused(409, 'WATCH_DISABLED'));
    expect(await people.viewer.post('/api/pattern/deploy', healed)).toMatchObject(refused(403, 'FORBIDDEN'));
    const source = await deploy();
    await change('red');
    expect(await promote(people.editor, source)).toMatchObject(refused(403, 'APPROVAL_REQUIRED'));
    expect(await promote(people.viewer, source)).toMatchObject(refused(403, 'FORBIDDEN'));
    expect((await promote(people.outsider, source)).status).toBe(404);
    expect(await promote(people.admin, source, { environment_id: staging.id })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/environment_id' }] },
    });
    const foreign = await scene.looseEnvironment();
    expect((await promote(people.admin, source, { environment_id: foreign.id })).status).toBe(404);
    const pending = await done(promote(people.editor, source, { request_approval: true }));
    expect(pending).toMatchObject({
      status: 'pending_approval',
      design_version: 1,
      promoted_from: source.id,
      environment_id: live.id,
    });
    expect(await promote(people.admin, pending)).toMatchObject(refused(409, 'NOT_PROMOTABLE'));
    expect(await people.admin.post(`/api/deployments/${pending.id}/approve`)).toMatchObject({
      status: 200,
      body: {
        status: 'succeeded',
        promoted_from: source.id,
        clusters: [{ connection_id: connectionId, outcome: 'deployed', error: null }],
      },
    });
    expect([await colour(namespaces.live), await colour(namespaces.staging)]).toEqual(['blue', 'blue']);

    const frozen = { name: 'now', starts_at: '2020-01-01T00:00:00Z', ends_at: '2100-01-01T00:00:00Z' };
    await done(world.admin.post(`/api/environments/${live.id}/freezes`, frozen));
    expect(await promote(people.admin, source)).toMatchObject(refused(409, 'ENVIRONMENT_FROZEN'));
    const listed = (query: string) => done(people.viewer.get(`/api/deployments?${query}`));
    expect(await listed(`environment_id=${live.id}&status=succeeded`)).toMatchObject({
      total_count: 1,
      deployments: [{ id: pending.id }],
    });
    expect((await listed(`design_id=${design.id}`)).total_count).toBe(2);
    const filter = JSON.stringify({ environment_id: live.id, workspace_id: scene.id, status: 'succeeded' });
    const query = `query ($filter: String) { deployments(filter: $filter) { total_count deployments { promoted_from } } }`;
    expect((await people.viewer.graphql(query, { filter })).body.data.deployments).toMatchObject({
      total_count: 1,
      deployments: [{ promoted_from: source.id }],
    });
    expect((await people.viewer.get('/api/deployments?status=lost')).status).toBe(400);
  }, 120_000);

  it('a plan of the version is promoted as it is, and no plan of another', async () => {
    const source = await deploy();
    await change('red');
    const plan = (version?: number): Promise<Json> =>
      done(
        people.editor.post('/api/pattern/deploy/plan', {
          id: design.id,
          version,
          environment_id: live.id,
          namespace: namespaces.live,
        }),
      );
    const { plan_id: other } = await plan();
    expect(await promote(people.admin, source, { plan_id: other })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/plan_id' }] },
    });
    const { plan_id, resources } = await plan(1);
    expect(await promote(people.admin, source, { plan_id, namespace: 'other' })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/namespace' }] },
    });
    expect(resources).toMatchObject([{ action: 'create', name: 'settings' }]);
    const { id } = await done(promote(people.editor, source, { plan_id, request_approval: true }));
    await kubectl(cluster, 'create', 'configmap', 'settings', '-n', namespaces.live, '--from-literal=colour=grey');
    expect(await people.admin.post(`/api/deployments/${id}/approve`)).toMatchObject({
      ...refused(409, 'PLAN_STALE'),
      body: { deployment: { status: 'failed' } },
    });
    expect(await colour(namespaces.live)).toBe('grey');
    const picture = (by: Person, query = ''): Promise<Answer> => by.get(`/api/deployments/${id}/diagram.svg${query}`);
    const { status, headers, body } = await picture(people.viewer);
    expect({ status, type: headers.get('content-type') }).toEqual({ status: 200, type: 'image/svg+xml' });
    expect(body).toContain('data-status="create"');
    const seen = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
    expect((await people.viewer.get(`/api/deployments/${id}/diagram.svg`, seen)).status).toBe(304);
    expect((await picture(people.outsider)).status).toBe(404);
    expect((await picture(people.viewer, '?colour=red')).status).toBe(400);
    expect(await done(people.viewer.get(`/api/pattern/${design.id}/diagram.svg`))).not.toContain('data-status');
    await kubectl(cluster, 'delete', 'configmap', 'settings', '-n', namespaces.live);
    const { plan_id: fresh } = await plan(1);
    expect(await promote(people.admin, source, { plan_id: fresh })).toMatchObject({
      status: 200,
      body: { status: 'succeeded', design_version: 1 },
    });
  }, 120_000);

  it('a rollback brings back what stood before that very deployment, or says that it stands or that nothing did', async () => {
    const nothing = refused(409, 'NOTHING_TO_ROLL_BACK_TO');
    const first = await deploy();
    await change('red');
    const second = await deploy();
    const again = await deploy();
    await change('green');
    const fourth = await deploy();
    expect(await rollback(first)).toMatchObject(nothing);
    expect(await rollback(again)).toMatchObject({ status: 200, body: { design_version: 2 } });
    expect(await rollback(again)).toMatchObject(nothing);
    expect(await rollback(fourth)).toMatchObject(nothing);
    expect(await rollback(second)).toMatchObject({ status: 200, body: { design_version: 1, action: 'rollback' } });
    expect(await colour(namespaces.staging)).toBe('blue');
    const gone = await done(people.editor.delete('/api/pattern/deploy', { body: { id: design.id } }));
    const fifth = await deploy({ version: 3 });
    expect(await rollback(fifth)).toMatchObject(nothing);
    expect(await rollback(gone)).toMatchObject({ status: 200, body: { design_version: 1 } });
  }, 120_000);
});
