import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { DatabaseUrl } from '../src/core/database/database-url.js';
import { JobHandlerRegistry } from '../src/jobs/job-handler.registry.js';
import { JobSettings } from '../src/jobs/job-settings.js';
import { until } from './jobs-replica.js';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { ClusterProxy, type WriteHook } from './support/cluster-proxy.js';
import { kubectl } from './support/kubectl.js';
import type { Json } from './support/person.js';
import { compiledProgram } from './support/programs.js';
import { requires } from './support/requirements.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

const LEASE_MS = 1_500;

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {value: "${value}"}\n`;
const secret = (name: string, value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}}\nstringData: {value: "${value}"}\n`;
const OLD = [configMap('changed', 'old'), secret('leaves', 'canary-of-old')].join('---\n');
const NEW = [configMap('changed', 'new'), configMap('comes', 'new'), secret('keys', 'canary-of-new')].join('---\n');
const STANDS = {
  old: ['changed=old', 'leaves=canary-of-old'],
  new: ['changed=new', 'comes=new', 'keys=canary-of-new'],
};

requires('KUBEBUILDER_ASSETS', 'a deployment whose server is killed', () => {
  let world: World;
  let cluster: Cluster;
  let proxy: ClusterProxy;
  let environment: Json;
  let workspace: Json;
  let next: Promise<ChildProcess>;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    [world, cluster] = await Promise.all([World.start({ CLUSTER_INSECURE_TLS: 'true' }), sharedCluster()]);
    Object.assign(world.get(JobSettings), { heartbeatMs: 100 });
    next = startServer();
    proxy = await ClusterProxy.start(cluster);
    environment = await environmentOf('dev', proxy);
    workspace = await done(world.admin.post('/api/workspaces', { name: 'shop', organization_id: world.organization }));
    await done(world.admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`));
  }, 60_000);
  afterAll(async () => {
    await next;
    for (const child of children) child.kill('SIGKILL');
    await proxy.stop();
    await world.stop();
  });

  const environmentOf = async (name: string, ...proxies: ClusterProxy[]): Promise<Json> => {
    const { admin, organization } = world;
    const made = await done(admin.post('/api/environments', { name, organization_id: organization }));
    for (const { kubeconfig } of proxies) {
      const { body } = await admin.post(`/api/system/kubernetes?orgID=${organization}`, { kubeconfig });
      await done(admin.post(`/api/environments/${made.id}/connections/${body.connected[0].connection_id}`));
    }
    return made;
  };

  /** A server that is loaded and waits for the word to begin. */
  const startServer = async (): Promise<ChildProcess> => {
    const child = spawn(
      process.execPath,
      [await compiledProgram('test/deployments-replica.ts'), world.get(DatabaseUrl).href, String(LEASE_MS)],
      { env: {}, stdio: ['pipe', 'pipe', 'inherit'] },
    );
    children.push(child);
    await said(child, 'ready');
    return child;
  };

  /** Does something in a server of its own, which is killed as the hooks say; this one takes over when its lease has run out. */
  const kill = async (
    hooks: (die: () => 'hang up') => { before?: WriteHook; after?: WriteHook },
    ask: () => Promise<Json>,
    whileDead: (asked: Json) => Promise<unknown> = () => Promise.resolve(),
  ): Promise<Json> => {
    const places = jest.spyOn(world.get(JobHandlerRegistry), 'list').mockReturnValue([]);
    const child = await next;
    next = startServer();
    const exit = once(child, 'exit');
    proxy.arm(
      hooks(() => {
        child.kill('SIGKILL');
        proxy.arm();
        return 'hang up';
      }),
    );
    child.stdin?.write('begin\n');
    await said(child, 'begun');
    const asked = await ask();
    await exit;
    await whileDead(asked);
    places.mockRestore();
    let ended: Json;
    await until(async () => {
      ended = (await world.admin.get(`/api/deployments/${asked.id}`)).body;
      return ended.finished_at !== null;
    });
    expect(await world.sql('SELECT 1 FROM deployment_change')).toEqual([]);
    return ended;
  };

  const scene = async (content: string): Promise<{ id: string; namespace: string }> => {
    const namespace = `k${randomUUID().slice(0, 8)}`;
    await kubectl(cluster, 'create', 'namespace', namespace);
    const upload = world.admin.upload('/api/pattern/import', 'app.yaml', content, { workspace_id: workspace.id });
    return { id: (await done(upload)).id, namespace };
  };
  const deploy = async (fields: object): Promise<Json> =>
    (await world.admin.post('/api/pattern/deploy?async=true', { environment_id: environment.id, ...fields })).body;
  /** Version 1 stands, and version 2 is there to be deployed. */
  const standing = async (): Promise<{ id: string; namespace: string }> => {
    const { id, namespace } = await scene(OLD);
    await done(world.admin.post('/api/pattern/deploy', { id, namespace, environment_id: environment.id }));
    await world.admin.put('/api/pattern/yaml', { id, pattern_data: { pattern_file: NEW } });
    return { id, namespace };
  };
  const stands = async (namespace: string): Promise<string[]> => {
    const template = '{{range .items}}{{.metadata.name}}={{if eq .kind "Secret"}}{{.data.value | base64decode}}{{else}}{{.data.value}}{{end}} {{end}}'; // prettier-ignore
    const owned = ['get', 'configmap,secret', '-n', namespace, '-l', 'armature.dev/design'];
    const listed = await kubectl(cluster, ...owned, '-o', `go-template=${template}`);
    return listed.split(' ').filter(Boolean).sort();
  };
  const actions = ({ resources }: Json): string[] =>
    (resources as Json[]).map(({ name, action, status }) => `${name} ${action} ${status}`).sort();
  const versionOf = async (id: string): Promise<unknown> =>
    (await world.sql('SELECT design_version, previous FROM deployed_design WHERE design_id = $1', [id]))[0];

  it('before an object is written: it is completed, and reported as what it was', async () => {
    const { id, namespace } = await scene(NEW);
    const ended = await kill(
      (die) => ({ before: ({ number }) => (number === 2 ? die() : 'pass') }),
      () => deploy({ id, namespace }),
    );
    expect(ended.status).toBe('succeeded');
    expect(actions(ended)).toEqual(['changed create applied', 'comes create applied', 'keys create applied']);
    expect(await stands(namespace)).toEqual(STANDS.new);
  }, 60_000);

  it('after an object was pruned: it is completed, and reported as what it was', async () => {
    const { id, namespace } = await standing();
    const ended = await kill(
      (die) => ({ after: ({ method }) => (method === 'DELETE' ? die() : 'pass') }),
      () => deploy({ id, namespace }),
    );
    expect(ended.status).toBe('succeeded');
    expect(actions(ended)).toEqual([
      'changed update applied',
      'comes create applied',
      'keys create applied',
      'leaves prune deleted',
    ]);
    expect(await stands(namespace)).toEqual(STANDS.new);
    expect(await versionOf(id)).toEqual({ design_version: 2, previous: null });
  }, 60_000);

  it('and which is cancelled then: all is as it was, secrets that were kept for that included', async () => {
    const { id, namespace } = await standing();
    const ended = await kill(
      (die) => ({ after: ({ method }) => (method === 'DELETE' ? die() : 'pass') }),
      () => deploy({ id, namespace }),
      async (asked) => {
        const kept = await world.sql('SELECT content FROM deployment_change');
        expect(kept.length).toBe(4);
        expect(JSON.stringify(kept.map(({ content }) => String(content)))).not.toContain('canary');
        expect((await world.admin.post(`/api/deployments/${asked.id}/cancel`)).status).toBe(200);
      },
    );
    expect(ended.status).toBe('cancelled');
    expect(await stands(namespace)).toEqual(STANDS.old);
    expect(await versionOf(id)).toEqual({ design_version: 1, previous: null });
    const jobs = await world.sql(`SELECT status FROM job WHERE payload->>'deployment' = $1`, [ended.id]);
    expect(jobs.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  }, 60_000);

  it('while it undoes what has failed: all is as it was, and the failure is what it was', async () => {
    const { id, namespace } = await standing();
    const ended = await kill(
      (die) => ({ before: ({ number, path }) => (path.includes('/comes') ? 'refuse' : number > 3 ? die() : 'pass') }),
      () => deploy({ id, namespace }),
    );
    expect(ended).toMatchObject({ status: 'rolled_back', error: { status: 422, code: 'DEPLOYMENT_FAILED' } });
    expect(ended.resources.find(({ name }: Json) => name === 'comes')).toMatchObject({
      status: 'failed',
      error: { reason: 'FORBIDDEN' },
    });
    expect(await stands(namespace)).toEqual(STANDS.old);
    const operation = await world.sql('SELECT status, error FROM job WHERE id = (SELECT job_id FROM deployment WHERE id = $1)', [ended.id]); // prettier-ignore
    expect(operation).toMatchObject([{ status: 'failed', error: { code: 'DEPLOYMENT_FAILED' } }]);
  }, 60_000);

  it('while it undeploys: it is undeployed, and everything is reported', async () => {
    const { id, namespace } = await standing();
    const ended = await kill(
      (die) => ({ after: ({ number }) => (number === 1 ? die() : 'pass') }),
      async () => (await world.admin.delete(`/api/pattern/deploy?id=${id}&async=true`)).body,
    );
    expect(ended.status).toBe('undeployed');
    expect(actions(ended)).toEqual(['changed delete deleted', 'leaves delete deleted']);
    expect(await stands(namespace)).toEqual([]);
    expect(await versionOf(id)).toBeUndefined();
  }, 60_000);

  it('takes back what it did on one cluster when another refuses it', async () => {
    const second = await ClusterProxy.start(cluster, 'second');
    proxy.arm();
    const { id, namespace } = await scene(NEW);
    // Both connections lead to one cluster, so that for one connection the objects of the other have another owner.
    const both = await environmentOf('both', proxy, second);
    await done(world.admin.post(`/api/workspaces/${workspace.id}/environments/${both.id}`));
    const failed = await world.admin.post('/api/pattern/deploy', { id, namespace, environment_id: both.id });
    expect(failed).toMatchObject({ status: 422, body: { deployment: { status: 'rolled_back' } } });
    expect(actions(failed.body.deployment).filter((action) => action.endsWith('rolled_back'))).toHaveLength(3);
    expect(await stands(namespace)).toEqual([]);
    expect(await versionOf(id)).toBeUndefined();
    const operation = await world.admin.get(`/api/operations/${await jobOf(failed.body.deployment.id)}`);
    expect(operation.body).toMatchObject({ status: 'failed', error: { status: 422, code: 'DEPLOYMENT_FAILED' } });
    await second.stop();
  }, 60_000);

  const jobOf = async (deployment: string): Promise<string> => {
    const [row] = await world.sql<{ job_id: string }>('SELECT job_id FROM deployment WHERE id = $1', [deployment]);
    return row?.job_id ?? '';
  };
});

/** Waits for a line on the output of a child. */
async function said(child: ChildProcess, line: string): Promise<void> {
  if (!child.stdout) throw new Error('the child has no output');
  for await (const each of createInterface(child.stdout)) if (each === line) return;
  throw new Error(`the child never said ${line}`);
}
