import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { tarOf } from '../src/formats/archives/tar.fixture.js';
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

requires('HELM_BIN', 'a design of a chart', (helm) => {
  let world: World;
  beforeAll(async () => (world = await World.start({ HELM_BIN: helm })));
  afterAll(() => world.stop());

  const imported = (chart: Buffer, fields: Record<string, string> = {}): Promise<Json> =>
    done(world.admin.upload('/api/pattern/import', 'shop.tgz', chart, fields));

  it('is deployable or not whatever its hooks are, unless those are for installing', async () => {
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

  it('has its hooks judged with the rest', async () => {
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

    it('has those hooks planned and applied that are for installing or upgrading, and the others left out', async () => {
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

    it('has what was deployed before pruned when it becomes a hook that is left out', async () => {
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

    const CHART = {
      'shop/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\n',
      'shop/values.yaml': 'colour: blue\nsize: {width: 1, height: 1}\n',
      'shop/templates/settings.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {{ dict "colour" .Values.colour "size" (printf "%vx%v" .Values.size.width .Values.size.height) | toJson }}\n',
    };

    it('is deployed with values over its own, and stays what it is', async () => {
      const { admin } = world;
      const namespace = `v${randomUUID().slice(0, 8)}`;
      await kubectl(cluster, 'create', 'namespace', namespace);
      const data = async (): Promise<Json> =>
        JSON.parse(await kubectl(cluster, 'get', 'cm', 'settings', '-n', namespace, '-o', 'jsonpath={.data}'));
      const chart = gzipSync(await tarOf(CHART));
      const { id } = await imported(chart, { workspace_id: workspace.id as string, values: 'size: {width: 2}' });
      const deploy = (fields: object) => admin.post('/api/pattern/deploy', { id, namespace, ...fields });
      expect(await done(deploy({}))).toMatchObject({ status: 'succeeded', design_version: 1 });
      expect(await data()).toEqual({ colour: 'blue', size: '2x1' });

      expect(await done(deploy({ values: { colour: 'red' } }))).toMatchObject({
        status: 'succeeded',
        design_version: 2,
      });
      expect(await data()).toEqual({ colour: 'red', size: '2x1' });
      expect((await done(deploy({ values: 'colour: red' }))).design_version).toBe(2);
      expect((await done(deploy({ values: { colour: 'blue' } }))).design_version).toBe(3);
      expect((await done(deploy({ values: { colour: 'red' } }))).design_version).toBe(2);
      expect((await done(deploy({ values: {} }))).design_version).toBe(1);
      expect(await data()).toEqual({ colour: 'blue', size: '2x1' });
      expect(await done(admin.get(`/api/pattern/${id}`))).toMatchObject({ version_number: 1, version: '0.0.1' });
      const { versions } = await done(admin.get(`/api/pattern/${id}/versions`));
      expect(versions).toMatchObject([
        { number: 3, variant_of: 1, current: false },
        { number: 2, variant_of: 1, message: 'Version 1 with the values of a deployment' },
        { number: 1, variant_of: null, current: true },
      ]);

      const plan = await done(
        admin.post('/api/pattern/deploy/plan', { id, namespace, values: { size: { height: 9 } } }),
      );
      expect(plan.resources).toMatchObject([
        { name: 'settings', action: 'update', diff: [{ path: '/data/size', from: '2x1', to: '2x9' }] },
      ]);
      expect(await deploy({ plan_id: plan.plan_id, values: {} })).toMatchObject({
        status: 400,
        body: { errors: [{ pointer: '/values' }] },
      });
      const planned = await done(deploy({ plan_id: plan.plan_id }));
      expect(planned).toMatchObject({ status: 'succeeded', design_version: 4 });
      expect(await data()).toEqual({ colour: 'blue', size: '2x9' });

      const back = await done(admin.post(`/api/deployments/${planned.id}/rollback`, { version: 2 }));
      expect(back).toMatchObject({ status: 'succeeded', design_version: 2 });
      expect(await data()).toEqual({ colour: 'red', size: '2x1' });
      const changed = await done(admin.put('/api/pattern/helm', { id, pattern_data: { values: { colour: 'green' } } }));
      expect(changed).toMatchObject({ version_number: 5, version: '0.0.5' });
      expect(await done(admin.get(`/api/pattern/${id}/diff`))).toMatchObject({ from: 1, to: 5 });
      const racing = await Promise.all([
        ...[1, 2, 3].map((width) =>
          admin.post('/api/pattern/deploy/plan', { id, namespace, values: { size: { width } } }),
        ),
        admin.put('/api/pattern/helm', { id, pattern_data: { values: { colour: 'black' } } }),
      ]);
      expect(racing.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      await done(admin.delete('/api/pattern/deploy', { body: { id } }));
    }, 120_000);

    it('says what is wrong with values, and changes nothing', async () => {
      const { admin } = world;
      const { id } = await imported(gzipSync(await tarOf(CHART)), { workspace_id: workspace.id as string });
      const plan = (fields: object) => admin.post('/api/pattern/deploy/plan', { id, ...fields });
      expect((await plan({ values: 'a: [' })).body).toMatchObject({
        status: 400,
        errors: [{ file: 'values', line: 1 }],
      });
      expect((await plan({ values: [1] })).body).toMatchObject({ status: 400, errors: [{ pointer: '/values' }] });
      expect((await plan({ values: { size: 7 } })).status).toBe(400);
      expect((await plan({ version: 2 })).status).toBe(404);
      expect((await done(admin.get(`/api/pattern/${id}/versions`))).total_count).toBe(1);
      const plain = await done(
        admin.post('/api/pattern', {
          name: 'plain',
          pattern_data: { pattern_file: configMap('a') },
          workspace_id: workspace.id,
        }),
      );
      expect((await admin.post('/api/pattern/deploy/plan', { id: plain.id, values: { a: 1 } })).body).toMatchObject({
        status: 400,
        errors: [{ pointer: '/values', detail: 'are for designs of a Helm chart' }],
      });
    });
  });
});
