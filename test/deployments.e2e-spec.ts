import { randomUUID } from 'node:crypto';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { customKind } from './support/deployment-scene.js';
import { kubectl } from './support/kubectl.js';
import type { Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { World } from './support/world.js';

const manifest = (namespace: string, replicas = 1): string => `apiVersion: v1
kind: Namespace
metadata: {name: ${namespace}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: ${namespace}}
data: {colour: blue}
---
apiVersion: v1
kind: Secret
metadata: {name: keys, namespace: ${namespace}}
stringData: {password: canary-in-a-secret}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ${namespace}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "nginx:1.27"}]}
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: ${namespace}}
spec: {selector: {app: web}, ports: [{port: 80}]}
`;

requires('KUBEBUILDER_ASSETS', 'the main job, on a real API server', () => {
  let world: World;
  let cluster: Cluster;
  let workspace: Json;
  let environment: Json;
  let connectionId: string;

  beforeAll(async () => {
    [world, cluster] = await Promise.all([World.start(), sharedCluster()]);
    const { admin, organization } = world;
    const registered = await admin.post(`/api/system/kubernetes?orgID=${organization}`, {
      kubeconfig: cluster.kubeconfig,
    });
    expect(registered).toMatchObject({
      status: 200,
      body: { connected: [{ connection_id: expect.any(String) }], registered: [], failed: [] },
    });
    connectionId = registered.body.connected[0].connection_id;
    environment = (await admin.post('/api/environments', { name: 'dev', organization_id: organization })).body;
    await admin.post(`/api/environments/${environment.id}/connections/${connectionId}`);
    workspace = (await admin.post('/api/workspaces', { name: 'shop', organization_id: organization })).body;
    await admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`);
  }, 120_000);
  afterAll(() => world.stop());

  const importDesign = async (content: string, name = 'app.yaml'): Promise<Json> => {
    const { status, body } = await world.admin.upload('/api/pattern/import', name, content, {
      workspace_id: workspace.id,
    });
    expect({ status, body }).toMatchObject({ status: 201 });
    return body;
  };
  const versions = (namespace: string): Promise<string> =>
    kubectl(
      cluster,
      'get',
      'cm,secret,deploy,svc',
      '-n',
      namespace,
      '-l',
      'armature.dev/design',
      '-o',
      'jsonpath={.items[*].metadata.generation}{.items[*].metadata.uid}{range .items[*]}{.metadata.name}={.metadata.managedFields[?(@.manager=="armature")].time} {end}',
    );

  it('plans, deploys, changes nothing the second time, updates, prunes and undeploys', async () => {
    const namespace = `n${randomUUID().slice(0, 8)}`;
    const design = await importDesign(manifest(namespace));
    const plan = await world.admin.post('/api/pattern/deploy/plan', { id: design.id });
    expect(plan).toMatchObject({
      status: 200,
      body: { deployable: true, summary: { create: 5 }, environment_id: environment.id },
    });
    expect(JSON.stringify(plan.body)).not.toContain('canary');
    expect((await world.admin.get(`/api/plans/${plan.body.plan_id}`)).body).toEqual(plan.body);

    const first = await world.admin.post('/api/pattern/deploy', {
      id: design.id,
      plan_id: plan.body.plan_id,
      wait: true,
    });
    expect(first).toMatchObject({
      status: 200,
      body: { status: 'succeeded', design_version: 1, connections: [connectionId] },
    });
    expect(first.body.resources.map(({ kind, status }: Json) => `${kind} ${status}`)).toEqual([
      'Namespace ready',
      'ConfigMap applied',
      'Secret applied',
      'Deployment ready',
      'Service ready',
    ]);
    const before = await versions(namespace);

    const second = await world.admin.post('/api/pattern/deploy', { id: design.id });
    expect(second.body.resources.map((each: Json) => each.status)).toEqual(Array(5).fill('unchanged'));
    expect(await versions(namespace)).toBe(before);

    const smaller = manifest(namespace, 3)
      .split('---')
      .filter((part) => !part.includes('ConfigMap'))
      .join('---');
    await world.admin.put('/api/pattern/yaml', { id: design.id, pattern_data: { pattern_file: smaller } });
    const update = await world.admin.post('/api/pattern/deploy/plan', { id: design.id });
    expect(update.body.summary).toMatchObject({ create: 0, update: 1, prune: 1 });
    expect(update.body.resources.find((each: Json) => each.action === 'update').diff).toEqual([
      { path: '/spec/replicas', from: 1, to: 3 },
    ]);
    const third = await world.admin.post('/api/pattern/deploy', { id: design.id });
    expect(third).toMatchObject({ status: 200, body: { status: 'succeeded', design_version: 2 } });
    expect(await kubectl(cluster, 'get', 'cm', '-n', namespace, '-o', 'name')).not.toContain('settings');

    expect((await world.admin.delete(`/api/pattern/${design.id}`)).body).toMatchObject({ status: 409, code: 'IN_USE' });
    expect((await world.admin.delete(`/api/integrations/connections/${connectionId}`)).body.code).toBe('IN_USE');
    expect((await world.admin.delete(`/api/workspaces/${workspace.id}`)).body.code).toBe('IN_USE');

    const gone = await world.admin.delete('/api/pattern/deploy', { body: { id: design.id } });
    expect(gone).toMatchObject({ status: 200, body: { status: 'undeployed', action: 'undeploy' } });
    expect(await kubectl(cluster, 'get', 'ns', namespace, '--ignore-not-found', '-o', 'name')).toBe('');
    expect((await world.admin.delete(`/api/pattern/deploy?id=${design.id}`)).body).toMatchObject({
      status: 409,
      code: 'NOT_DEPLOYED',
    });

    const history = await world.admin.get(`/api/pattern/${design.id}/deployments?order=created_at`);
    expect(history.body.deployments.map((each: Json) => each.status)).toEqual([
      'succeeded',
      'succeeded',
      'succeeded',
      'undeployed',
    ]);
    expect((await world.admin.get(`/api/pattern/${design.id}`)).body.deployment_count).toBe(3);
    const kinds = (
      await world.sql<{ kind: string }>(
        `SELECT category || '.' || action AS kind FROM event WHERE acted_upon = $1 AND action <> 'progress' ORDER BY sequence`,
        [first.body.id],
      )
    ).map((row) => row.kind);
    expect(kinds).toEqual(['deployment.requested', 'deployment.started', 'deployment.success']);
    const clear = JSON.stringify([
      await world.sql('SELECT * FROM event'),
      await world.sql('SELECT resources, options FROM deployment'),
      await world.sql('SELECT payload, result, progress FROM job'),
    ]);
    expect(clear).not.toContain('canary');
  }, 120_000);

  it('deploys a Compose file', async () => {
    const namespace = `c${randomUUID().slice(0, 8)}`;
    await kubectl(cluster, 'create', 'namespace', namespace);
    const design = await importDesign(
      'services:\n  web:\n    image: nginx:1.27\n    ports: ["8080:80"]\n',
      'compose.yaml',
    );
    const deployed = await world.admin.post('/api/pattern/deploy', { id: design.id, namespace });
    expect(deployed).toMatchObject({ status: 200, body: { status: 'succeeded' } });
    expect(await kubectl(cluster, 'get', 'deploy,svc', '-n', namespace, '-o', 'name')).toContain('deployment.apps/web');
    expect((await world.admin.delete('/api/pattern/deploy', { body: { id: design.id } })).status).toBe(200);
    expect(await kubectl(cluster, 'get', 'deploy,svc', '-n', namespace, '-o', 'name')).toBe('');
    expect(await kubectl(cluster, 'get', 'ns', namespace, '-o', 'name')).toContain(namespace);
  }, 120_000);

  it('answers 422 with the record when the cluster refuses, and takes back what it did', async () => {
    const namespace = `f${randomUUID().slice(0, 8)}`;
    const broken = `${manifest(namespace)}---\napiVersion: v1\nkind: Service\nmetadata: {name: Not_A_Name, namespace: ${namespace}}\nspec: {ports: [{port: 80}]}\n`;
    const design = await importDesign(broken);
    const failed = await world.admin.post('/api/pattern/deploy', { id: design.id });
    expect(failed).toMatchObject({
      status: 422,
      body: { code: 'DEPLOYMENT_FAILED', deployment: { status: expect.stringMatching(/failed|rolled_back/) } },
    });
    expect(failed.body.errors[0].detail).toContain('Not_A_Name');
    expect(await kubectl(cluster, 'get', 'ns', namespace, '--ignore-not-found', '-o', 'name')).toBe('');
    expect((await world.admin.delete(`/api/pattern/${design.id}`)).status).toBe(200);
  }, 120_000);

  it('plans objects by the definition that comes with them', async () => {
    const { definition, object } = customKind();
    const objects = [object('good'), object('bad', { size: 'much', colour: 'green' })];
    const design = await importDesign(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [definition, ...objects] }), 'list.json'); // prettier-ignore
    const plan = await world.admin.post('/api/pattern/deploy/plan', { id: design.id });
    expect(plan).toMatchObject({ status: 200, body: { deployable: false } });
    expect(
      plan.body.resources.map(({ name, verified, error }: Json) => [name, verified, error?.reason, error?.field]),
    ).toEqual([
      [definition.metadata.name, true, undefined, undefined],
      ['good', false, undefined, undefined],
      ['bad', false, 'INVALID', 'spec.size, spec.colour'],
    ]);
  });

  it('leaves alone what is not its own, unless it may adopt it', async () => {
    const namespace = `o${randomUUID().slice(0, 8)}`;
    await kubectl(cluster, 'create', 'namespace', namespace);
    await kubectl(cluster, 'create', 'configmap', 'theirs', '-n', namespace, '--from-literal=a=1');
    const design = await importDesign(
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: theirs, namespace: ${namespace}}\ndata: {b: "2"}\n`,
    );
    const refused = await world.admin.post('/api/pattern/deploy', { id: design.id });
    expect(refused.status).toBe(422);
    expect(refused.body.deployment.resources[0].error.reason).toBe('NOT_OWNED');
    const adopted = await world.admin.post('/api/pattern/deploy', { id: design.id, adopt: true });
    expect(adopted.status).toBe(200);
    expect(await kubectl(cluster, 'get', 'cm', 'theirs', '-n', namespace, '-o', 'jsonpath={.data}')).toBe(
      '{"a":"1","b":"2"}',
    );
    await world.admin.delete('/api/pattern/deploy', { body: { id: design.id } });
  }, 120_000);

  it('answers at once with async, and cancels what runs', async () => {
    const namespace = `a${randomUUID().slice(0, 8)}`;
    const never = manifest(namespace).replace(
      'metadata: {labels: {app: web}}',
      'metadata: {labels: {app: web, test-pods: never-ready}}',
    );
    const design = await importDesign(never);
    const accepted = await world.admin.post('/api/pattern/deploy?async=true', { id: design.id, wait: true });
    expect(accepted).toMatchObject({ status: 202, body: { status: expect.stringMatching(/queued|running/) } });
    expect(accepted.headers.get('location')).toBe(`/api/deployments/${accepted.body.id}`);
    const cancelled = await world.admin.post(`/api/deployments/${accepted.body.id}/cancel`);
    expect(cancelled.status).toBe(200);
    let ended: Json;
    do ended = (await world.admin.get(`/api/deployments/${accepted.body.id}`)).body;
    while (ended.finished_at === null);
    expect(ended.status).toBe('cancelled');
    expect(await kubectl(cluster, 'get', 'ns', namespace, '--ignore-not-found', '-o', 'name')).toBe('');
  }, 120_000);

  it('refuses a plan of a design that has changed since, unless it was made for one version', async () => {
    const design = await importDesign(manifest(`p${randomUUID().slice(0, 8)}`));
    const plan = async (fields: object) =>
      (await world.admin.post('/api/pattern/deploy/plan', { id: design.id, ...fields })).body.plan_id as string;
    const [following, pinned] = [await plan({}), await plan({ version: 1 })];
    const other = manifest(`p${randomUUID().slice(0, 8)}`);
    await world.admin.put('/api/pattern/yaml', { id: design.id, pattern_data: { pattern_file: other } });
    expect(await world.admin.post('/api/pattern/deploy', { id: design.id, plan_id: following })).toMatchObject({
      status: 409,
      body: { code: 'PLAN_STALE' },
    });
    expect(await world.admin.post('/api/pattern/deploy', { id: design.id, plan_id: pinned })).toMatchObject({
      status: 200,
      body: { status: 'succeeded', design_version: 1 },
    });
  }, 120_000);

  it('refuses a stale plan', async () => {
    const namespace = `p${randomUUID().slice(0, 8)}`;
    const design = await importDesign(manifest(namespace));
    const { plan_id } = (await world.admin.post('/api/pattern/deploy/plan', { id: design.id })).body;
    await kubectl(cluster, 'create', 'namespace', namespace);
    expect(await world.admin.post('/api/pattern/deploy', { id: design.id, plan_id })).toMatchObject({
      status: 409,
      body: { code: 'PLAN_STALE' },
    });
  }, 120_000);

  it('keeps editors from production, and lets another admin approve', async () => {
    const { admin } = world;
    const namespace = `x${randomUUID().slice(0, 8)}`;
    const space = (await admin.post('/api/workspaces', { name: 'prod', organization_id: world.organization })).body;
    const production = (
      await admin.post('/api/environments', { name: 'live', tier: 'production', organization_id: world.organization })
    ).body;
    await admin.post(`/api/environments/${production.id}/connections/${connectionId}`);
    await admin.post(`/api/workspaces/${space.id}/environments/${production.id}`);
    const design = (
      await admin.upload('/api/pattern/import', 'p.yaml', manifest(namespace), { workspace_id: space.id })
    ).body;
    const as = async (role: string): Promise<Person> => {
      const person = await world.person('member');
      await admin.put(`/api/workspaces/${space.id}/members/${person.id}`, { role });
      return person;
    };
    const [viewer, editor] = [await as('viewer'), await as('editor')];
    const body = { id: design.id, environment_id: production.id };
    expect((await viewer.post('/api/pattern/deploy', body)).body.code).toBe('FORBIDDEN');
    expect((await (await world.outsider()).post('/api/pattern/deploy', body)).status).toBe(404);
    expect(await editor.post('/api/pattern/deploy', body)).toMatchObject({
      status: 403,
      body: { code: 'APPROVAL_REQUIRED' },
    });
    const pending = await editor.post('/api/pattern/deploy', { ...body, request_approval: true, reason: ' the sale ' });
    expect(pending).toMatchObject({
      status: 202,
      body: { status: 'pending_approval', plan_id: expect.any(String), reason: 'the sale' },
    });
    const shown = await viewer.get(`/api/deployments/${pending.body.id}/plan`);
    expect(shown).toMatchObject({
      status: 200,
      body: { plan_id: pending.body.plan_id, tier: 'production', deployable: true, summary: { create: 5 } },
    });
    expect(JSON.stringify(shown.body)).not.toContain('canary');
    expect((await viewer.get(`/api/plans/${pending.body.plan_id}`)).body).toEqual(shown.body);
    for (const path of [`deployments/${pending.body.id}/plan`, `plans/${pending.body.plan_id}`])
      for (const stranger of [await world.outsider(), await world.person()])
        expect(await stranger.get(`/api/${path}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const other = await as('editor');
    // What an approval cannot be requested for is not answered with that remedy.
    const refusals = {
      OWN_REQUEST: await editor.post(`/api/deployments/${pending.body.id}/approve`),
      FORBIDDEN: await other.post(`/api/deployments/${pending.body.id}/cancel`),
    };
    for (const [code, refusal] of Object.entries(refusals)) {
      expect(refusal).toMatchObject({ status: 403, body: { code } });
      expect(refusal.body.remedy).not.toContain('request_approval');
    }
    expect(await kubectl(cluster, 'get', 'ns', namespace, '--ignore-not-found', '-o', 'name')).toBe('');
    const approved = await admin.post(`/api/deployments/${pending.body.id}/approve`);
    expect(approved).toMatchObject({
      status: 200,
      body: { status: 'succeeded', approved_by: admin.id, requested_by: editor.id },
    });
    // A plan that says `update` creates nothing when the object was deleted meanwhile, approved or not.
    await editor.put('/api/pattern/yaml', { id: design.id, pattern_data: { pattern_file: manifest(namespace, 2) } });
    const plan = async (): Promise<string> => {
      const planned = (await editor.post('/api/pattern/deploy/plan', body)).body;
      expect(planned.summary).toMatchObject({ create: 0, update: 1 });
      return planned.plan_id as string;
    };
    const web = ['deployment', 'web', '-n', namespace];
    const found = () => kubectl(cluster, 'get', ...web, '--ignore-not-found', '-o', 'name');
    const plan_id = await plan();
    const waiting = await editor.post('/api/pattern/deploy', { id: design.id, plan_id, request_approval: true });
    expect(waiting).toMatchObject({ status: 202, body: { plan_id } });
    // A request that names no plan keeps the one that is made with it.
    const unplanned = await editor.post('/api/pattern/deploy', { ...body, request_approval: true });
    expect(unplanned).toMatchObject({ status: 202, body: { plan_id: expect.any(String) } });
    await kubectl(cluster, 'delete', ...web);
    const stale = { status: 409, body: { code: 'PLAN_STALE' } };
    for (const { id } of [waiting.body, unplanned.body]) {
      expect(await admin.post(`/api/deployments/${id}/approve`)).toMatchObject(stale);
      expect((await admin.get(`/api/deployments/${id}`)).body).toMatchObject({
        status: 'failed',
        error: { code: 'PLAN_STALE' },
      });
    }
    expect(await admin.post('/api/pattern/deploy', { id: design.id, plan_id })).toMatchObject(stale);
    expect(await found()).toBe('');
    const outsider = await world.outsider();
    expect((await outsider.get(`/api/deployments?orgID=${world.organization}`)).status).toBe(404);
    expect((await editor.delete('/api/pattern/deploy', { body })).body.code).toBe('APPROVAL_REQUIRED');
    expect((await admin.delete('/api/pattern/deploy', { body })).status).toBe(200);
  }, 120_000);

  it('says of a field that cannot be changed which it is and what to do, without the structures of the cluster', async () => {
    const { admin } = world;
    const namespace = `fixed-${randomUUID().slice(0, 8)}`;
    const design = await importDesign(manifest(namespace));
    const body = { id: design.id, environment_id: environment.id };
    expect((await admin.post('/api/pattern/deploy', body)).status).toBe(200);
    const pattern_file = manifest(namespace).replaceAll('app: web', 'app: other');
    await admin.put('/api/pattern/yaml', { id: design.id, pattern_data: { pattern_file } });
    const refused = await admin.post('/api/pattern/deploy', body);
    expect(refused).toMatchObject({
      status: 422,
      body: {
        code: 'DEPLOYMENT_FAILED',
        detail: expect.stringContaining('spec.selector cannot be changed once the object exists'),
        remedy: expect.stringContaining('undo the change'),
        errors: [{ keyword: 'IMMUTABLE', remedy: expect.any(String) }],
      },
    });
    expect(refused.body.detail).not.toMatch(/MatchLabels|map\[string\]/);
    expect(refused.body.detail.length).toBeLessThan(400);
    const { body: undeployed } = await admin.delete('/api/pattern/deploy', { body });
    const { body: feed } = await admin.get(`/api/events?orgID=${world.organization}&acted_upon=${undeployed.id}`);
    const notProgress = feed.events.filter(({ action }: Json) => action !== 'progress');
    expect(notProgress.map(({ description }: Json) => description as string).sort()).toEqual([
      `Undeployment of ${design.name} has started`,
      `Undeployment of ${design.name} succeeded`,
      `Undeployment of ${design.name} was requested`,
    ]);
    expect(feed.events.map(({ operation_id }: Json) => operation_id as string)).toEqual(
      feed.events.map(() => undeployed.id as string),
    );
    const { body: metrics } = await world.stranger.get('/metrics');
    expect(metrics).toMatch(
      /armature_deployment_duration_seconds_count\{action="undeploy",status="undeployed"\} [1-9]/,
    );
    expect(metrics).toMatch(/armature_deployment_duration_seconds_count\{action="deploy",status="failed"\} [1-9]/);
    expect(metrics).toMatch(/armature_cluster_request_duration_seconds_count\{outcome="ok"\} [1-9]/);
  }, 120_000);

  it('names the places when the target is not plain', async () => {
    const { admin } = world;
    const empty = (await admin.post('/api/workspaces', { name: 'empty', organization_id: world.organization })).body;
    const design = (await admin.upload('/api/pattern/import', 'p.yaml', manifest('x'), { workspace_id: empty.id }))
      .body;
    expect(await admin.post('/api/pattern/deploy', { id: design.id })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '/environment_id' }] },
    });
    expect((await admin.post('/api/pattern/deploy', {})).body.errors[0].pointer).toBe('/id');
    expect((await admin.post('/api/pattern/deploy', { id: randomUUID() })).status).toBe(404);
  });

  it('answers 502 when the cluster cannot be reached', async () => {
    const { admin } = world;
    const kubeconfig = cluster.kubeconfig.replace(/https:\/\/[^"',}\s]+/, 'https://127.0.0.1:1');
    const registered = await admin.post(`/api/system/kubernetes?orgID=${world.organization}`, { kubeconfig });
    expect(registered).toMatchObject({
      status: 200,
      body: {
        connected: [],
        registered: [{ connection_id: expect.any(String), error: { code: 'CLUSTER_UNREACHABLE' } }],
      },
    });
    const dead = registered.body.registered[0].connection_id as string;
    expect((await admin.post(`/api/integrations/connections/${dead}/ping`)).status).toBe(502);
    const other = (await admin.post('/api/environments', { name: 'dead', organization_id: world.organization })).body;
    await admin.post(`/api/environments/${other.id}/connections/${dead}`);
    await admin.post(`/api/workspaces/${workspace.id}/environments/${other.id}`);
    const design = await importDesign(manifest('unreached'));
    const failed = await admin.post('/api/pattern/deploy', { id: design.id, environment_id: other.id });
    expect(failed).toMatchObject({
      status: 502,
      body: { code: 'CLUSTER_UNREACHABLE', deployment: { status: 'failed' } },
    });
    expect((await admin.delete(`/api/pattern/${design.id}`)).status).toBe(200);
    await admin.delete(`/api/workspaces/${workspace.id}/environments/${other.id}`);
  }, 120_000);
});
