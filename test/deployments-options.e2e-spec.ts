import { randomUUID } from 'node:crypto';
import { until } from './jobs-replica.js';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import type { Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

/** `fate` is what test/support/kwok.yaml makes of its pods. */
const workload = (name: string, fate?: string): string =>
  JSON.stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name, ...(fate && { 'test-pods': fate }) } },
        spec: { containers: [{ name: 'app', image: 'app:1' }], tolerations: [{ operator: 'Exists' }] },
      },
    },
  });
const settings = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n';

requires('KUBEBUILDER_ASSETS', 'a deployment', () => {
  let world: World;
  let cluster: Cluster;
  let workspace: Json;

  beforeAll(async () => {
    [world, cluster] = await Promise.all([World.start(), sharedCluster()]);
    const { admin, organization } = world;
    const { kubeconfig } = cluster;
    const { connected } = await done(admin.post(`/api/system/kubernetes?orgID=${organization}`, { kubeconfig }));
    const environment = await done(admin.post('/api/environments', { name: 'dev', organization_id: organization }));
    await done(admin.post(`/api/environments/${environment.id}/connections/${connected[0].connection_id}`));
    workspace = await done(admin.post('/api/workspaces', { name: 'shop', organization_id: organization }));
    await done(admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`));
  }, 120_000);
  afterAll(() => world.stop());

  const scene = async (...documents: string[]): Promise<{ id: string; namespace: string }> => {
    const namespace = `p${randomUUID().slice(0, 8)}`;
    await kubectl(cluster, 'create', 'namespace', namespace);
    const fields = { workspace_id: workspace.id as string };
    const { id } = await done(world.admin.upload('/api/pattern/import', 'app.yaml', documents.join('---\n'), fields));
    return { id, namespace };
  };
  const byName = (record: Json): Json => Object.fromEntries(record.resources.map((one: Json) => [one.name, one]));

  it('reports for each object what it waits for, in its record and by events, and ends when its time is over', async () => {
    const { admin } = world;
    const { id, namespace } = await scene(settings, `${workload('web', 'never-ready')}\n`);
    const { id: deployment } = await done(
      admin.post('/api/pattern/deploy?async=true', { id, namespace, wait: true, timeout: 5 }),
    );
    let running: Json = {};
    await until(async () => {
      running = (await admin.get(`/api/deployments/${deployment}`)).body;
      return running.resources.some((one: Json) => one.message?.includes('runs but is not ready'));
    });
    expect(running.status).toBe('running');
    expect(byName(running)).toMatchObject({
      settings: { status: 'applied', message: null },
      web: {
        status: 'waiting',
        message: expect.stringMatching(
          /^0 of 1 replicas are available; pod web-.+, container app runs but is not ready$/,
        ),
      },
    });
    let ended: Json = {};
    await until(async () => {
      ended = (await admin.get(`/api/deployments/${deployment}`)).body;
      return ended.finished_at !== null;
    });
    expect(ended).toMatchObject({ status: 'rolled_back', error: { status: 422, code: 'DEPLOYMENT_FAILED' } });
    expect(byName(ended)).toMatchObject({
      settings: { status: 'rolled_back' },
      web: { status: 'failed', message: null, error: { reason: 'NOT_READY' } },
    });
    const events = await world.sql<{ kind: string; metadata: Json }>(
      `SELECT category || '.' || action AS kind, metadata FROM event WHERE acted_upon = $1 ORDER BY sequence`,
      [deployment],
    );
    const progress = events.filter(({ kind }) => kind === 'deployment.progress');
    expect(progress.length).toBeGreaterThan(0);
    expect(progress.at(-1)?.metadata).toMatchObject({
      done: 1,
      total: 2,
      waiting: [{ kind: 'Deployment', name: 'web', message: expect.any(String) }],
    });
    expect(events.at(-1)?.kind).toBe('deployment.failure');
  }, 60_000);

  it('waits no longer when a container crashes again and again, or a pod can be put on no node', async () => {
    const crashing = await scene(`${workload('web', 'crash')}\n`);
    const crashed = await world.admin.post('/api/pattern/deploy', { ...crashing, wait: true, timeout: 300 });
    expect(crashed).toMatchObject({ status: 422, body: { code: 'DEPLOYMENT_FAILED' } });
    expect(crashed.body.errors[0]).toMatchObject({
      keyword: 'NOT_READY',
      detail: expect.stringMatching(/^Deployment .+\/web: .+; pod web-.+, container app: CrashLoopBackOff: /),
    });

    const huge = JSON.parse(workload('web')) as { spec: { template: { spec: { containers: object[] } } } };
    Object.assign(huge.spec.template.spec.containers[0] ?? {}, { resources: { requests: { cpu: '4000' } } });
    const homeless = await scene(`${JSON.stringify(huge)}\n`);
    const unscheduled = await world.admin.post('/api/pattern/deploy', { ...homeless, wait: true, timeout: 300 });
    expect(unscheduled.status).toBe(422);
    expect(unscheduled.body.errors[0].detail).toMatch(/pod web-.+, Unschedulable: .*Insufficient cpu/);
  }, 120_000);

  it('replaces pods that crash by pods that do not', async () => {
    const { id, namespace } = await scene(`${workload('web', 'crash')}\n`);
    await done(world.admin.post('/api/pattern/deploy', { id, namespace }));
    const mended = workload('web', 'mended');
    await done(world.admin.put('/api/pattern/kubernetes', { id, pattern_data: { pattern_file: mended } }));
    const deployed = await done(world.admin.post('/api/pattern/deploy', { id, namespace, wait: true }));
    expect(deployed).toMatchObject({ status: 'succeeded', resources: [{ name: 'web', status: 'ready' }] });
    await done(world.admin.delete('/api/pattern/deploy', { body: { id } }));
  }, 60_000);

  it('runs a job once that is deleted after its end, and neither plans it again nor calls it drift', async () => {
    const { admin } = world;
    const job = (image: string): string =>
      JSON.stringify({
        ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate' } },
        spec: {
          ttlSecondsAfterFinished: 0,
          template: {
            spec: {
              restartPolicy: 'Never',
              containers: [{ name: 'app', image }],
              tolerations: [{ operator: 'Exists' }],
            },
          },
        },
      });
    const { id, namespace } = await scene(settings, `${job('app:1')}\n`);
    const jobs = (): Promise<string> => kubectl(cluster, 'get', 'jobs', '-n', namespace, '-o', 'name');
    const plan = async (): Promise<Json> => byName(await done(admin.post('/api/pattern/deploy/plan', { id })));
    await done(admin.post('/api/pattern/deploy', { id, namespace, wait: true }));
    await until(async () => (await jobs()) === '');
    expect((await plan())['migrate']).toMatchObject({ action: 'unchanged', diff: [] });
    const { status, resources } = await done(admin.get(`/api/pattern/${id}/drift`));
    expect([status, byName({ resources })['migrate'].status]).toEqual(['in_sync', 'in_sync']);
    const again = await done(admin.post('/api/pattern/deploy', { id, wait: true, timeout: 5 }));
    expect(byName(again)['migrate']).toMatchObject({ action: 'unchanged', status: 'unchanged' });
    expect(await jobs()).toBe('');
    const changed = `${settings}---\n${job('app:2')}\n`;
    await done(admin.put('/api/pattern/kubernetes', { id, pattern_data: { pattern_file: changed } }));
    expect((await plan())['migrate']).toMatchObject({ action: 'create' });
    await done(admin.delete('/api/pattern/deploy', { body: { id } }));
  }, 90_000);

  it('waits for a claim that should bind, and only warns of an address that comes from elsewhere', async () => {
    const claim = {
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'none' },
    };
    const balancer = {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } },
      spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
    };
    const unbound = await scene(`${JSON.stringify(claim)}\n`);
    const refused = await world.admin.post('/api/pattern/deploy', { ...unbound, wait: true, timeout: 3 });
    expect(refused).toMatchObject({ status: 422, body: { code: 'DEPLOYMENT_FAILED' } });
    expect(refused.body.errors[0]).toMatchObject({
      keyword: 'NOT_READY',
      detail: expect.stringMatching(/\/data: It is not bound to a volume$/),
    });

    const waiting = await scene(`${JSON.stringify(balancer)}\n`);
    const deployed = await done(world.admin.post('/api/pattern/deploy', { ...waiting, wait: true, timeout: 60 }));
    const message = 'No load balancer has given it an address yet';
    expect(byName(deployed)['web']).toMatchObject({ status: 'ready', message });
    await done(world.admin.delete('/api/pattern/deploy', { body: { id: waiting.id } }));
  }, 60_000);

  it('refuses to wait for anything but a bounded number of seconds', async () => {
    const { id, namespace } = await scene(settings);
    for (const timeout of [0, 3_601, 1.5, 'soon'])
      expect(await world.admin.post('/api/pattern/deploy', { id, namespace, timeout })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/timeout', detail: 'must be a whole number from 1 to 3600' }] },
      });
  });

  it('refuses what cannot be the name of a namespace', async () => {
    const { id } = await scene(settings);
    for (const namespace of ['../kube-system', 'Shop', 'a.b', '-'])
      expect(await world.admin.post('/api/pattern/deploy', { id, namespace, create_namespace: true })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/namespace' }] },
      });
  });

  it('remembers its namespace, and changes it only when that is meant', async () => {
    const { admin } = world;
    const { id, namespace } = await scene(settings);
    const other = `${namespace}-other`;
    const deploy = (fields: object) => admin.post('/api/pattern/deploy', { id, ...fields });
    const has = (name: string) => kubectl(cluster, 'get', 'cm', '-n', name, '-l', 'armature.dev/design', '-o', 'name');
    await done(deploy({ namespace }));
    expect((await done(deploy({}))).resources).toMatchObject([{ namespace, status: 'unchanged' }]);

    const refusal = {
      status: 409,
      body: {
        code: 'NAMESPACE_CHANGED',
        detail: `the design is deployed there in namespace ${namespace}, and the call names ${other}`,
        errors: [{ pointer: '/namespace' }],
        deployed_namespace: namespace,
        requested_namespace: other,
      },
    };
    expect(await deploy({ namespace: other, create_namespace: true })).toMatchObject(refusal);
    expect(await admin.post('/api/pattern/deploy/plan', { id, namespace: other })).toMatchObject(refusal);
    expect((await done(admin.get(`/api/pattern/${id}/deployments`))).total_count).toBe(2);

    const moved = await done(deploy({ namespace: other, create_namespace: true, move: true }));
    expect(moved.resources.map(({ kind, name, action }: Json) => `${kind} ${name} ${action}`).sort()).toEqual([
      'ConfigMap settings create',
      'ConfigMap settings prune',
      `Namespace ${other} create`,
    ]);
    expect([await has(namespace), await has(other)]).toEqual(['', 'configmap/settings']);
    expect((await done(deploy({}))).resources).toContainEqual(
      expect.objectContaining({ namespace: other, status: 'unchanged' }),
    );
    const changed = settings.replace('blue', 'red');
    await done(admin.put('/api/pattern/kubernetes', { id, pattern_data: { pattern_file: changed } }));
    await done(deploy({}));
    await done(admin.delete('/api/pattern/deploy', { body: { id } }));
    expect(await kubectl(cluster, 'get', 'ns', other, '--ignore-not-found', '-o', 'name')).toBe('');
  }, 120_000);

  it('keeps volume claims when it is undeployed, and deletes them when that is asked for, in the query too', async () => {
    const { admin } = world;
    const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Mi}}}
`;
    const { id, namespace } = await scene(settings, claim);
    await done(admin.post('/api/pattern/deploy', { id, namespace }));
    const undeployed = await done(admin.delete('/api/pattern/deploy', { body: { id } }));
    expect(undeployed.status).toBe('undeployed');
    expect(byName(undeployed)).toMatchObject({
      settings: { status: 'deleted' },
      data: { status: 'kept', error: null, message: expect.stringContaining('delete_volumes: true') },
    });
    expect(byName(await done(admin.post('/api/pattern/deploy', { id, namespace })))).toMatchObject({
      data: { action: 'unchanged' },
    });
    const whole = await done(admin.delete(`/api/pattern/deploy?id=${id}&delete_volumes=true`));
    expect(byName(whole)).toMatchObject({ data: { status: 'deleted' } });
    expect((await admin.delete(`/api/pattern/deploy?id=${id}&delete_volumes=maybe`)).status).toBe(400);
  }, 120_000);

  it('names what it left, in its record and in every later plan, until that is gone', async () => {
    const { admin } = world;
    const set = JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: {
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
          },
        ],
      },
    });
    const { id, namespace } = await scene(settings, `${set}\n`);
    await done(admin.post('/api/pattern/deploy', { id, namespace }));
    const claims = (): Promise<string> => kubectl(cluster, 'get', 'pvc', '-n', namespace, '-o', 'name');
    await until(async () => (await claims()) !== '');
    const kept = [
      {
        resource: {
          ...{ api_version: 'v1', kind: 'PersistentVolumeClaim', namespace, name: 'data-db-0' },
          connection_id: expect.any(String),
        },
        reason: expect.stringContaining('delete_volumes: true'),
      },
    ];
    const plan = (fields = {}): Promise<Json> =>
      done(admin.post('/api/pattern/deploy/plan', { id, namespace, ...fields }));
    expect((await plan()).kept).toEqual([]);
    const pattern_data = { pattern_file: settings };
    await done(admin.put('/api/pattern/kubernetes', { id, pattern_data }));
    const without = await done(admin.post('/api/pattern/deploy', { id }));
    expect(without.kept).toEqual(kept);
    expect(await plan()).toMatchObject({ kept, deployable: true, summary: { prune: 0, create: 0, update: 0 } });
    const undeployed = await done(admin.delete('/api/pattern/deploy', { body: { id } }));
    expect(undeployed).toMatchObject({ status: 'undeployed', kept });
    expect((await admin.get(`/api/deployments/${undeployed.id}`)).body.kept).toEqual(kept);
    expect(await plan()).toMatchObject({ kept, summary: { create: 1 } });
    expect(await plan({ delete_volumes: true })).toMatchObject({ kept: [], summary: { create: 1, prune: 1 } });
    // Another design with a StatefulSet of that name uses the claim, and never deletes it.
    const fields = { workspace_id: workspace.id as string, name: 'another' };
    const another = await done(admin.upload('/api/pattern/import', 'app.yaml', `${set}\n`, fields));
    await done(admin.post('/api/pattern/deploy', { id: another.id, namespace }));
    const taken = await done(admin.delete(`/api/pattern/deploy?id=${another.id}&delete_volumes=true`));
    expect(taken).toMatchObject({ status: 'undeployed', kept: [], resources: [{ kind: 'StatefulSet' }] });
    expect(await claims()).not.toBe('');
    expect((await done(admin.post('/api/pattern/deploy', { id, namespace }))).kept).toEqual(kept);
    const whole = await done(admin.delete(`/api/pattern/deploy?id=${id}&delete_volumes=true`));
    expect(byName(whole)).toMatchObject({ 'data-db-0': { status: 'deleted' } });
    expect(whole.kept).toEqual([]);
    expect(await claims()).toBe('');
    expect((await plan()).kept).toEqual([]);
  }, 120_000);

  it('undeploys within its timeout, in the query too, and says what is being deleted', async () => {
    const { admin } = world;
    const { id, namespace } = await scene(settings);
    await done(admin.post('/api/pattern/deploy', { id, namespace }));
    const hold = (finalizers: string): Promise<string> =>
      kubectl(cluster, 'patch', 'cm', 'settings', '-n', namespace, '--type=merge', '-p', `{"metadata":{"finalizers":[${finalizers}]}}`); // prettier-ignore
    await hold('"example.com/hold"');
    const { status, body } = await admin.delete(`/api/pattern/deploy?id=${id}&timeout=2`);
    expect([status, body.code]).toEqual([504, 'CLUSTER_TIMEOUT']);
    expect(byName(body.deployment)).toMatchObject({
      settings: { error: { reason: 'STUCK', detail: expect.stringContaining('example.com/hold') } },
    });
    for (const timeout of ['0', '3601', 'x'])
      expect((await admin.delete(`/api/pattern/deploy?id=${id}&timeout=${timeout}`)).status).toBe(400);
    expect((await admin.delete('/api/pattern/deploy', { body: { id, timeout: 0 } })).status).toBe(400);
    const again = await done(admin.delete('/api/pattern/deploy?async=true', { body: { id, timeout: 60 } }));
    await until(async () => {
      const { body: now } = await admin.get(`/api/deployments/${again.id}`);
      return byName(now)['settings']?.status === 'deleting';
    });
    await hold('');
    await until(async () => (await admin.get(`/api/deployments/${again.id}`)).body.status === 'undeployed');
  }, 120_000);

  it('is restored when its undeployment is cancelled, unless that is not atomic', async () => {
    const { admin } = world;
    const { id, namespace } = await scene(settings, `${workload('web')}\n`);
    await done(admin.post('/api/pattern/deploy', { id, namespace }));
    const hold = (finalizers: string[]): Promise<string> =>
      kubectl(cluster, 'patch', 'cm', 'settings', '-n', namespace, '--type=merge', '-p', JSON.stringify({ metadata: { finalizers } })); // prettier-ignore
    const cancel = async (query = ''): Promise<Json> => {
      await hold(['example.com/hold']);
      const { body: asked } = await admin.delete(`/api/pattern/deploy?id=${id}&async=true${query}`);
      const record = async (): Promise<Json> => (await admin.get(`/api/deployments/${asked.id}`)).body;
      await until(async () => byName(await record())['settings']?.status === 'deleting');
      await done(admin.post(`/api/deployments/${asked.id}/cancel`));
      await hold([]);
      await until(async () => (await record()).finished_at !== null);
      return record();
    };
    const stands = (): Promise<string> =>
      kubectl(cluster, 'get', 'cm,deploy', '-n', namespace, '-l', 'armature.dev/design', '-o', 'name');

    const restored = await cancel();
    expect(restored).toMatchObject({ status: 'cancelled', clusters: [{ outcome: 'unchanged' }] });
    expect(byName(restored)).toMatchObject({
      web: { action: 'delete', status: 'rolled_back', error: null },
      settings: { action: 'delete', status: 'rolled_back', error: null, message: null },
    });
    expect(await stands()).toBe('configmap/settings\ndeployment.apps/web');
    const plan = await done(admin.post('/api/pattern/deploy/plan', { id }));
    expect(plan.summary).toMatchObject({ create: 0, update: 0, unchanged: 2 });

    const left = await cancel('&atomic=false');
    expect(left).toMatchObject({ status: 'cancelled', clusters: [{ outcome: 'partial' }] });
    expect(byName(left)).toMatchObject({ web: { status: 'deleted' } });
    expect(await stands()).toBe('');
    expect((await admin.delete(`/api/pattern/deploy?id=${id}&atomic=perhaps`)).status).toBe(400);
    await done(admin.delete('/api/pattern/deploy', { body: { id } }));
  }, 120_000);

  it('replaces what is immutable only when that is asked for, and says so before', async () => {
    const { admin } = world;
    const immutable = `${settings}immutable: true\n`;
    const { id, namespace } = await scene(immutable);
    await done(admin.post('/api/pattern/deploy', { id, namespace }));
    const changed = immutable.replace('blue', 'red');
    await done(admin.put('/api/pattern/kubernetes', { id, pattern_data: { pattern_file: changed } }));
    const refused = await admin.post('/api/pattern/deploy', { id });
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: [{ keyword: 'IMMUTABLE', remedy: expect.stringContaining('replace: true') }] },
    });
    const plan = await done(admin.post('/api/pattern/deploy/plan', { id, replace: true }));
    expect(plan).toMatchObject({ deployable: true, resources: [{ action: 'update', replaces: true }] });
    const replaced = await done(admin.post('/api/pattern/deploy', { id, plan_id: plan.plan_id }));
    expect(replaced).toMatchObject({ status: 'succeeded', resources: [{ action: 'update', status: 'applied' }] });
    const back = await done(admin.post(`/api/deployments/${replaced.id}/rollback`));
    expect(back).toMatchObject({ status: 'succeeded', design_version: 1 });
    await done(admin.delete('/api/pattern/deploy', { body: { id } }));
  }, 120_000);

  it('takes over what kubectl applied, so that it leaves with the design', async () => {
    const { admin } = world;
    const before = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {key: value, legacy: unused}\n';
    const { id, namespace } = await scene(before);
    const data = async (): Promise<Json> =>
      JSON.parse(await kubectl(cluster, 'get', 'configmap', 'settings', '-n', namespace, '-o', 'jsonpath={.data}'));
    await kubectl(cluster, 'create', 'configmap', 'settings', '-n', namespace, '--save-config', '--from-literal=key=value', '--from-literal=legacy=unused'); // prettier-ignore
    const plan = await done(admin.post('/api/pattern/deploy/plan', { id, namespace, adopt: true }));
    expect(plan).toMatchObject({ deployable: true, resources: [{ action: 'unchanged', adopts: true, diff: [] }] });
    const adopted = await done(admin.post('/api/pattern/deploy', { id, namespace, adopt: true }));
    expect(adopted.resources).toMatchObject([{ action: 'unchanged', status: 'unchanged' }]);
    const after = before.replace(', legacy: unused', '');
    await done(admin.put('/api/pattern/kubernetes', { id, pattern_data: { pattern_file: after } }));
    const renewed = await done(admin.post('/api/pattern/deploy', { id }));
    expect(await data()).toEqual({ key: 'value' });

    // After a change by hand a rollback is refused, unless it takes the field over.
    await kubectl(cluster, 'patch', 'configmap', 'settings', '-n', namespace, '--type=merge', '-p', '{"data":{"key":"theirs"}}'); // prettier-ignore
    const rollback = (fields: object) => admin.post(`/api/deployments/${renewed.id}/rollback`, fields);
    expect(await rollback({})).toMatchObject({ status: 422, body: { errors: [{ keyword: 'FIELD_CONFLICT' }] } });
    expect(await done(rollback({ force: true }))).toMatchObject({ status: 'succeeded', design_version: 1 });
    expect(await data()).toEqual({ key: 'value', legacy: 'unused' });
    await done(admin.delete('/api/pattern/deploy', { body: { id } }));
  }, 120_000);
});
