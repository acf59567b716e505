import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { ClusterProxy, type WriteHook } from './support/cluster-proxy.js';
import { clusterClient } from './support/deployment-scene.js';
import type { Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';
import type { ClusterClient } from '../src/kubernetes/clusters/cluster-client.js';

/** Deployments with a fault each; 200 and more are asked for by `FAULT_DEPLOYMENTS=200`. */
const DEPLOYMENTS = Number(process.env['FAULT_DEPLOYMENTS'] ?? 8);

const map = (name: string, value: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {value: "${value}"}\n${more}`;
const secret = (name: string, value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}}\nstringData: {value: "${value}"}\n`;
/** Changes, replacements, what comes and what leaves. */
const CONTENTS = {
  old: [map('changed', 'old'), map('fixed', 'old', 'immutable: true\n'), secret('leaves', 'old'), map('same', 'same')],
  new: [map('changed', 'new'), map('fixed', 'new', 'immutable: true\n'), secret('comes', 'new'), map('same', 'same')],
};
const STANDS = {
  old: ['changed=old', 'fixed=old', 'leaves=b2xk', 'same=same'],
  new: ['changed=new', 'comes=bmV3', 'fixed=new', 'same=same'],
};
/** Writes of a deployment on one cluster: update, delete and create, create, delete. */
const WRITES = 5;

/**
 * A number of objects; the requests that a deployment of them takes at most: some for each, and lists of all kinds for what may be
 * there from before; and its commits.
 */
const MANY = 100;
const REQUESTS: Record<string, number> = { fresh: 3, changed: 2, undeployed: 2 };
const MOST_LISTS = 75;
const MOST_COMMITS = 60;

type Fault = 'refused' | 'cut before' | 'cut after' | 'cancelled';
const FAULTS: Fault[] = ['refused', 'cut before', 'cut after', 'cancelled'];

requires('KUBEBUILDER_ASSETS', 'atomic deployments with a fault each', () => {
  let world: World;
  let proxies: ClusterProxy[];
  let clients: ClusterClient[];
  let workspace: Json;
  let environments: Json[];
  let commits = 0;
  const database = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
  const { query } = database;

  beforeAll(async () => {
    database.query = function (...given) {
      if (given[0] === 'COMMIT') commits++;
      return query.apply(this, given);
    };
    const [started, ...clusters] = await Promise.all([
      World.start({ CLUSTER_INSECURE_TLS: 'true' }),
      sharedCluster(),
      sharedCluster({ bare: true }),
    ]);
    world = started;
    const { admin, organization } = world;
    workspace = await done(admin.post('/api/workspaces', { name: 'shop', organization_id: organization }));
    proxies = await Promise.all(
      clusters.map((cluster: Cluster, index) => ClusterProxy.start(cluster, `cluster-${index}`)),
    );
    clients = clusters.map(({ kubeconfig }) => clusterClient(kubeconfig));
    const connections: string[] = [];
    for (const { kubeconfig } of proxies) {
      const { connected } = await done(admin.post(`/api/system/kubernetes?orgID=${organization}`, { kubeconfig }));
      connections.push(connected[0].connection_id as string);
    }
    environments = [];
    for (const used of [connections.slice(0, 1), connections]) {
      const environment = await done(admin.post('/api/environments', { name: 'env', organization_id: organization }));
      for (const id of used) await done(admin.post(`/api/environments/${environment.id}/connections/${id}`));
      await done(admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`));
      environments.push(environment);
    }
  }, 120_000);
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await Promise.all(proxies.map((proxy) => proxy.stop()));
    await world.stop();
    database.query = query;
  });

  const stands = async (client: ClusterClient, namespace: string): Promise<string[]> => {
    const found: string[] = [];
    for (const name of ['ConfigMap', 'Secret']) {
      const kind = await client.findKind('v1', name);
      if (!kind) throw new Error(`no ${name}`);
      for (const { metadata, data } of await client.list(kind, { namespace, labelSelector: 'armature.dev/design' }))
        found.push(`${metadata.name}=${(data as { value: string }).value}`);
    }
    return found.sort();
  };

  /** Does one thing to the write of that number, counted over all clusters, and nothing to all others. */
  const arm = (fault: Fault, at: number, cancel: () => void): void => {
    let writes = 0;
    const strike =
      (fate: 'refuse' | 'hang up' | 'pass'): WriteHook =>
      () => {
        if (++writes !== at) return 'pass';
        if (fault === 'cancelled') cancel();
        return fate;
      };
    const fates = { refused: 'refuse', 'cut before': 'hang up', 'cut after': 'hang up', cancelled: 'pass' } as const;
    const hook = strike(fates[fault]);
    for (const proxy of proxies) proxy.arm(fault === 'cut after' ? { after: hook } : { before: hook });
  };

  const deploy = async (fields: object, onStart: (id: string) => void = () => undefined): Promise<Json> => {
    const asked = await done(world.admin.post('/api/pattern/deploy?async=true', { ...fields, replace: true }));
    onStart(asked.id as string);
    for (;;) {
      const now = await done(world.admin.get(`/api/deployments/${asked.id}`));
      if (now.finished_at !== null) return now;
      await new Promise((next) => setTimeout(next, 50));
    }
  };

  it.each([1, 2])(
    'are wholly new or wholly old on %s cluster(s)',
    async (width) => {
      const { admin } = world;
      const environment_id = environments[width - 1]?.id as string;
      const namespace = `faults-${randomUUID().slice(0, 8)}`;
      // A control plane without controllers deletes no namespace, so none is made by the deployments.
      for (const client of clients) {
        const kind = await client.findKind('v1', 'Namespace');
        if (!kind) throw new Error('no Namespace');
        await client.create(kind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      }
      const upload = admin.upload('/api/pattern/import', 'app.yaml', CONTENTS.old.join('---\n'), {
        workspace_id: workspace.id as string,
      });
      const { id } = await done(upload);
      const pattern_data = { pattern_file: CONTENTS.new.join('---\n') };
      await done(admin.put('/api/pattern/kubernetes', { id, pattern_data }));
      const at = { id, environment_id, namespace };
      for (const proxy of proxies) proxy.arm();
      expect(await deploy({ ...at, version: 1 })).toMatchObject({ status: 'succeeded' });

      const ends: Record<string, number> = {};
      for (let run = 0; run < Math.ceil(DEPLOYMENTS / 2); run++) {
        const fault = FAULTS[run % FAULTS.length] ?? 'refused';
        const write = 1 + ((run * 3) % (WRITES * width));
        let deployment = '';
        arm(fault, write, () => void admin.post(`/api/deployments/${deployment}/cancel`));
        const ended = await deploy({ ...at, version: 2 }, (asked) => (deployment = asked));
        const is = ended.status === 'succeeded' ? 'new' : 'old';
        const what = { run, fault, write, status: ended.status as string, error: ended.error };
        for (const client of clients.slice(0, width))
          expect({ ...what, stands: await stands(client, namespace) }).toEqual({ ...what, stands: STANDS[is] });
        expect(ended.resources.filter(({ error }: Json) => error?.reason === 'NOT_TAKEN_BACK')).toEqual([]);
        const end = `${fault}: ${ended.status}`;
        ends[end] = (ends[end] ?? 0) + 1;
        for (const proxy of proxies) proxy.arm();
        if (is === 'new') expect(await deploy({ ...at, version: 1 })).toMatchObject({ status: 'succeeded' });
      }
      expect(Object.keys(ends).length).toBeGreaterThan(1);
      if (process.env['FAULT_DEPLOYMENTS']) process.stdout.write(`${width} cluster(s): ${JSON.stringify(ends)}\n`);
      const undeployed = await done(admin.delete('/api/pattern/deploy', { body: { id, environment_id } }));
      expect(undeployed.status).toBe('undeployed');
      for (const client of clients.slice(0, width)) expect(await stands(client, namespace)).toEqual([]);
    },
    60_000 + DEPLOYMENTS * 20_000,
  );

  it('takes three requests an object to make many of them, two to change them, one and lists to delete them, and few commits', async () => {
    const { admin } = world;
    const [proxy, client] = [proxies[0] as ClusterProxy, clients[0] as ClusterClient];
    const namespace = `many-${randomUUID().slice(0, 8)}`;
    const kind = await client.findKind('v1', 'Namespace');
    if (!kind) throw new Error('no Namespace');
    await client.create(kind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const objects = Array.from({ length: MANY }, (_, at) => (at % 2 ? map : secret)(`many-${at}`, 'one'));
    const text = objects.join('---\n');
    const { id } = await done(
      admin.upload('/api/pattern/import', 'many.yaml', text, { workspace_id: workspace.id as string }),
    );
    const costs = async (work: () => Promise<Json>): Promise<{ status: string; requests: number; commits: number }> => {
      proxy.arm();
      commits = 0;
      const { status } = await work();
      return { status: status as string, requests: proxy.requests, commits };
    };
    const at = { id, environment_id: environments[0]?.id as string, namespace };
    const fresh = await costs(() => deploy(at));
    const pattern_data = { pattern_file: text.replaceAll(/value: "?one"?/g, 'value: "two"') };
    await done(admin.put('/api/pattern/kubernetes', { id, pattern_data }));
    const changed = await costs(() => deploy(at));
    const undeployed = await costs(() => done(admin.delete('/api/pattern/deploy', { body: { id } })));
    const all = { fresh, changed, undeployed };
    expect(all).toMatchObject({
      fresh: { status: 'succeeded' },
      changed: { status: 'succeeded' },
      undeployed: { status: 'undeployed' },
    });
    const excessive = Object.entries(all).filter(
      ([what, one]) => one.requests > (REQUESTS[what] ?? 0) * MANY + MOST_LISTS || one.commits > MOST_COMMITS,
    );
    expect(excessive).toEqual([]);
    expect(await stands(client, namespace)).toEqual([]);
  }, 120_000);

  it('names what it could not take back when the token expires midway, and goes on from there with a valid one', async () => {
    const { admin } = world;
    const [proxy, client] = [proxies[0] as ClusterProxy, clients[0] as ClusterClient];
    const namespace = `faults-${randomUUID().slice(0, 8)}`;
    const kind = await client.findKind('v1', 'Namespace');
    if (!kind) throw new Error('no Namespace');
    await client.create(kind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const { id } = await done(
      admin.upload('/api/pattern/import', 'app.yaml', CONTENTS.old.join('---\n'), {
        workspace_id: workspace.id as string,
      }),
    );
    await done(
      admin.put('/api/pattern/kubernetes', { id, pattern_data: { pattern_file: CONTENTS.new.join('---\n') } }),
    );
    const at = { id, environment_id: environments[0]?.id as string, namespace };
    proxy.arm();
    expect(await deploy({ ...at, version: 1 })).toMatchObject({ status: 'succeeded' });

    proxy.arm({
      after: () => {
        proxy.isExpired = true;
        return 'pass';
      },
    });
    const ended = await deploy({ ...at, version: 2 });
    expect(ended).toMatchObject({
      status: 'failed',
      error: { code: 'CLUSTER_UNREACHABLE', remedy: expect.stringContaining('credential') },
      clusters: [{ outcome: 'partial' }],
    });
    const left = ended.resources.filter(({ error }: Json) => error?.reason === 'NOT_TAKEN_BACK');
    expect(left).toMatchObject([{ kind: 'Secret', name: 'comes', status: 'applied' }]);
    expect(await stands(client, namespace)).toEqual([...STANDS.old, 'comes=bmV3'].sort());
    proxy.arm();
    expect(await deploy({ ...at, version: 1 })).toMatchObject({ status: 'succeeded' });
    expect(await stands(client, namespace)).toEqual(STANDS.old);
  }, 120_000);
});
