import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { tarOf } from '../src/formats/tar.fixture.js';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import type { Json } from './support/person.js';
import { requires } from './support/requirements.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

const EVENTS = ['test', 'test-success', 'pre-install', 'post-install', 'pre-upgrade', 'post-upgrade', 'pre-delete', 'post-delete', 'pre-rollback', 'post-rollback']; // prettier-ignore
const INSTALLING = ['pre-install', 'post-install', 'pre-upgrade', 'post-upgrade'];

const configMap = (name: string, hook?: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${hook ? `  annotations: {helm.sh/hook: "${hook}"}\n` : ''}data: {a: b}\n`;

/** A chart of config maps by name; the value is the events of which it is a hook. */
async function chartOf(maps: Record<string, string | undefined>): Promise<Buffer> {
  const templates = Object.entries(maps).map(([name, hook]) => [`shop/templates/${name}.yaml`, configMap(name, hook)]);
  const head = { 'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n' };
  return gzipSync(await tarOf({ ...head, ...Object.fromEntries(templates) }));
}

requires('HELM_BIN', 'hooks of a chart', (helm) => {
  let world: World;
  beforeAll(async () => (world = await World.start({ HELM_BIN: helm })));
  afterAll(() => world.stop());

  const imported = (chart: Buffer, fields: Record<string, string> = {}): Promise<Json> =>
    done(world.admin.upload('/api/pattern/import', 'shop.tgz', chart, fields));

  it('are no reason why a design could be deployed, or could not, unless they are for installing', async () => {
    expect(await imported(await chartOf({ check: 'test', tidy: 'post-delete' }))).toMatchObject({
      canSupport: false,
      errmsg: 'nothing in this design can be deployed',
    });
    const gadget = 'apiVersion: example.org/v1\nkind: Gadget\nmetadata:\n  name: mine\n  annotations: {helm.sh/hook: HOOK}\n'; // prettier-ignore
    const withGadget = async (hook: string): Promise<Json> =>
      imported(
        gzipSync(
          await tarOf({
            'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n',
            'shop/templates/map.yaml': configMap('settings'),
            'shop/templates/gadget.yaml': gadget.replace('HOOK', hook),
          }),
        ),
      );
    expect(await withGadget('test')).toMatchObject({ canSupport: true, errmsg: '' });
    expect(await withGadget('pre-install')).toMatchObject({
      canSupport: false,
      errmsg: expect.stringContaining('Gadget of example.org/v1'),
    });
  });

  it('are judged with the rest of the design', async () => {
    const { id } = await imported(await chartOf({ settings: undefined, check: 'test' }));
    expect((await world.admin.get(`/api/pattern/${id}/validate`)).body).toMatchObject({
      valid: true,
      counts: { components: 2, unknown: 0 },
    });
  });

  requires('KUBEBUILDER_ASSETS', 'on a real API server', () => {
    let cluster: Cluster;
    let workspace: Json;
    beforeAll(async () => {
      cluster = await sharedCluster();
      const { admin, organization } = world;
      const { body } = await admin.post(`/api/system/kubernetes?orgID=${organization}`, {
        kubeconfig: cluster.kubeconfig,
      });
      const environment = await done(admin.post('/api/environments', { name: 'dev', organization_id: organization }));
      await done(admin.post(`/api/environments/${environment.id}/connections/${body.connected[0].connection_id}`));
      workspace = await done(admin.post('/api/workspaces', { name: 'shop', organization_id: organization }));
      await done(admin.post(`/api/workspaces/${workspace.id}/environments/${environment.id}`));
    }, 120_000);

    const installed = async (namespace: string): Promise<string[]> => {
      const names = await kubectl(cluster, 'get', 'cm', '-n', namespace, '-l', 'armature.dev/design', '-o', 'name');
      return names
        .split('\n')
        .filter(Boolean)
        .map((name) => name.replace('configmap/', ''))
        .sort();
    };

    it('are planned and applied when they are for installing or upgrading, and left out otherwise', async () => {
      const namespace = `h${randomUUID().slice(0, 8)}`;
      await kubectl(cluster, 'create', 'namespace', namespace);
      const maps = { settings: undefined, both: 'post-delete, pre-install', ...Object.fromEntries(EVENTS.map((event) => [event, event])) }; // prettier-ignore
      const { id } = await imported(await chartOf(maps), { workspace_id: workspace.id as string });
      const wanted = ['settings', 'both', ...INSTALLING].sort();

      const plan = await done(world.admin.post('/api/pattern/deploy/plan', { id, namespace }));
      expect(plan.resources.map(({ name, action }: Json) => `${name} ${action}`).sort()).toEqual(
        wanted.map((name) => `${name} create`),
      );
      const deployed = await done(world.admin.post('/api/pattern/deploy', { id, plan_id: plan.plan_id }));
      expect(deployed).toMatchObject({ status: 'succeeded' });
      expect(deployed.resources.map(({ name }: Json) => name as string).sort()).toEqual(wanted);
      expect(await installed(namespace)).toEqual(wanted);
      const again = await done(world.admin.post('/api/pattern/deploy/plan', { id, namespace }));
      expect(again.summary).toMatchObject({ create: 0, update: 0, prune: 0, unchanged: wanted.length });
      await done(world.admin.delete('/api/pattern/deploy', { body: { id } }));
      expect(await installed(namespace)).toEqual([]);
    }, 120_000);

    it('are pruned when what was deployed before becomes one that is left out', async () => {
      const namespace = `h${randomUUID().slice(0, 8)}`;
      await kubectl(cluster, 'create', 'namespace', namespace);
      const before = await chartOf({ settings: undefined, check: undefined });
      const { id } = await imported(before, { workspace_id: workspace.id as string });
      await done(world.admin.post('/api/pattern/deploy', { id, namespace }));
      expect(await installed(namespace)).toEqual(['check', 'settings']);

      const after = (await chartOf({ settings: undefined, check: 'test' })).toString('base64');
      await done(world.admin.put('/api/pattern/helm', { id, pattern_data: { pattern_file: after } }));
      const plan = await done(world.admin.post('/api/pattern/deploy/plan', { id, namespace }));
      expect(plan.summary).toMatchObject({ create: 0, update: 0, prune: 1, unchanged: 1 });
      expect(plan.resources).toContainEqual(expect.objectContaining({ name: 'check', action: 'prune' }));
      await done(world.admin.post('/api/pattern/deploy', { id, plan_id: plan.plan_id }));
      expect(await installed(namespace)).toEqual(['settings']);
      await done(world.admin.delete('/api/pattern/deploy', { body: { id } }));
    }, 120_000);
  });
});
