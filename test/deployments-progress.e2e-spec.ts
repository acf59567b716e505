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

requires('KUBEBUILDER_ASSETS', 'a deployment that runs', () => {
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

  it('tells of each object what it waits for, in its record and by events, and ends when its time is over', async () => {
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

  it('refuses to wait for anything but a bounded number of seconds', async () => {
    const { id, namespace } = await scene(settings);
    for (const timeout of [0, 3_601, 1.5, 'soon'])
      expect(await world.admin.post('/api/pattern/deploy', { id, namespace, timeout })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/timeout', detail: 'must be a whole number from 1 to 3600' }] },
      });
  });
});
