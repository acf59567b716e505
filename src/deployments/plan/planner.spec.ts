import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import {
  clusterClient,
  configMap,
  customKind,
  deployment,
  DeploymentScene,
  schemaValidator,
} from '../../../test/support/deployment-scene.js';
import { requires } from '../../../test/support/requirements.js';
import { until } from '../../../test/support/until.js';
import type { KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { DriftComparison } from '../drift/drift-comparison.js';
import { plannedResources } from './plan.js';
import { Planner, type PlanOptions } from './planner.js';

requires('KUBEBUILDER_ASSETS', 'A plan', () => {
  let cluster: Cluster;
  let scene: DeploymentScene;

  beforeAll(async () => {
    cluster = await sharedCluster();
  }, 60_000);

  beforeEach(async () => {
    scene = await DeploymentScene.open(cluster.kubeconfig);
  });

  afterEach(() => scene.close());

  const planned = async (objects: Record<string, unknown>[], options?: PlanOptions) =>
    plannedResources(await scene.plan(objects, options));
  const actions = async (objects: Record<string, unknown>[], options?: PlanOptions) =>
    (await planned(objects, options)).map(({ name, action, error }) => `${name}: ${error?.reason ?? action}`);

  it('says of an object whose definition is being deleted that it is, and plans the rest', async () => {
    const { definition, object } = customKind();
    const { name } = definition.metadata;
    await scene.others(definition);
    const { apiVersion, kind } = object('held');
    await until(async () => (await scene.client.findKind(apiVersion, kind, 0)) !== undefined);
    await scene.others({ ...object('held'), metadata: { name: 'held', finalizers: ['example.org/never'] } });
    const definitions = await scene.client.findKind(definition.apiVersion, definition.kind);
    const gadgets = await scene.client.findKind(apiVersion, kind);
    if (!definitions || !gadgets) throw new Error('no such kind');
    await scene.client.delete(definitions, name, undefined);
    await until(async () => (await actions([object('new')]))[0] !== 'new: create');
    expect(await actions([configMap('a'), object('new')])).toEqual(['a: create', 'new: TERMINATING']);
    const body = { metadata: { finalizers: null } };
    await scene.client.patch(gadgets, 'held', scene.namespace, { type: 'merge', body });
  });

  it('creates what does not exist, and changes nothing', async () => {
    const [resource] = await planned([configMap('a')]);
    expect(resource).toEqual({
      component: 'component-0',
      api_version: 'v1',
      kind: 'ConfigMap',
      namespace: scene.namespace,
      name: 'a',
      action: 'create',
      diff: [],
      verified: true,
      warnings: [],
    });
    expect(await scene.live('v1', 'ConfigMap', 'a')).toBeUndefined();
  });

  it('shows what an update changes, field by field', async () => {
    await scene.deploy([configMap('a', { same: 'x', changed: 'old', gone: 'x' }), configMap('b')]);
    const plan = await planned([
      configMap('a', { same: 'x', changed: 'new' }, { annotations: { 'a/b': 'x' } }),
      configMap('b'),
    ]);
    expect(plan.map(({ action }) => action)).toEqual(['update', 'unchanged']);
    expect(plan[0]?.diff).toEqual(
      expect.arrayContaining([
        { path: '/data/changed', from: 'old', to: 'new' },
        { path: '/data/gone', from: 'x', to: null },
        { path: '/metadata/annotations', from: null, to: { 'a/b': 'x' } },
      ]),
    );
    expect(plan[0]?.diff).toHaveLength(3);
  });

  it('names the version to write in place of one that the cluster does not serve', async () => {
    const spec = { minAvailable: 1 };
    const pdb = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', metadata: { name: 'a' }, spec };
    const [resource] = await planned([pdb]);
    expect(resource?.error).toMatchObject({
      ...{ reason: 'UNKNOWN_KIND', remedy: expect.stringContaining('Write apiVersion policy/v1,') as string },
    });
  });

  it('names the items of a list that have one key', async () => {
    const object = deployment('twice', 0);
    const { template } = object['spec'] as { template: { spec: { containers: object[] } } };
    const [container] = template.spec.containers;
    template.spec.containers = [{ ...container, env: ['1', '2'].map((value) => ({ name: 'A', value })) }];
    const [resource] = await planned([object]);
    expect(resource?.error).toEqual({
      ...{ reason: 'DUPLICATE', field: '.spec.template.spec.containers[name="app"].env' },
      detail: 'spec.template.spec.containers[name="app"].env has two items with the key [name="A"]',
    });
  });

  it('does not report defaults of the cluster as changes', async () => {
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { ports: [{ port: 80 }] } };
    const objects = [deployment('web', 0), service];
    await scene.deploy(objects);
    expect(await actions(objects)).toEqual(['web: unchanged', 'web: unchanged']);
  });

  it('reports of Secrets only that they changed', async () => {
    const secret = (values: Record<string, string>, more = {}) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'keys' },
      stringData: values,
      ...more,
    });
    const workload = (value: string) => {
      const object = deployment('web', 0);
      const { containers } = (object.spec as { template: { spec: { containers: object[] } } }).template.spec;
      Object.assign(containers[0] ?? {}, { env: [{ name: 'KEY', value }] });
      return object;
    };
    await scene.deploy([secret({ a: 'first-value', gone: 'x' }), workload('first-value')]);
    const plan = await planned([secret({ a: 'second-value' }), workload('second-value')]);
    expect(plan[0]?.diff).toEqual([
      { path: '/data/a', from: '(hidden)', to: '(hidden)' },
      { path: '/data/gone', from: '(hidden)', to: null },
    ]);
    expect(plan[1]?.diff).toEqual([
      { path: '/spec/template/spec/containers/0/env/0/value', from: '(hidden)', to: '(hidden)' },
    ]);
    const [refused] = await planned([secret({}, { data: { a: 'hush hush!' }, stringData: { b: 98765 } })]);
    expect(refused?.error?.reason).toBe('INVALID');
    expect(JSON.stringify(refused)).not.toMatch(/hush|98765/);
  });

  it('shows no value of a Secret that is a hook, and nor does drift', async () => {
    const url = 'db://admin:correct-horse@db';
    const hook = { events: ['pre-install'], weight: 0, delete_policies: [] };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { a: 'correct-horse' } };
    const annotations = { 'helm.sh/hook': 'pre-install' };
    await scene.deploy([configMap('settings', { url: 'none' })]);
    const resources = [
      { component: 'one', object: configMap('settings', { url }) },
      { component: 'two', object: { ...secret, metadata: { ...secret.metadata, annotations } }, hook },
    ];
    const { client, owner, namespace, recorded } = scene;
    const { items } = await new Planner(client, schemaValidator).plan(resources, owner, { namespace });
    expect(items[0]?.planned.diff).toEqual([{ path: '/data/url', from: 'none', to: '(hidden)' }]);
    const drift = new DriftComparison(client, { owner, namespace, objects: recorded, mode: 'fields' });
    const [found] = (await drift.compare(resources)).resources;
    expect(found?.changes).toMatchObject([{ pointer: '/data/url', desired: '(hidden)', live: 'none' }]);
  });

  it('places objects in their own namespace, else in that of the deployment', async () => {
    const other = await DeploymentScene.open(cluster.kubeconfig);
    const objects = [configMap('a'), configMap('b', {}, { namespace: other.namespace })];
    expect((await planned(objects)).map(({ namespace }) => namespace)).toEqual([scene.namespace, other.namespace]);
    const resources = objects.slice(0, 1).map((object) => ({ component: 'a', object }));
    const [nowhere] = plannedResources(
      await new Planner(scene.client, schemaValidator).plan(resources, scene.owner, { previous: [] }),
    );
    expect(nowhere?.namespace).toBe('default');
    const [role] = await planned([
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'r', namespace: 'x' } },
    ]);
    expect(role).toMatchObject({ namespace: null, action: 'create', verified: true });
    await other.close();
  });

  it('refuses objects of others, unless they are adopted', async () => {
    await scene.others(configMap('a'));
    const neighbour = new DeploymentScene(clusterClient(cluster.kubeconfig));
    await neighbour.deploy([configMap('b')], { namespace: scene.namespace });
    const objects = [configMap('a'), configMap('b')];
    expect(await actions(objects)).toEqual(['a: NOT_OWNED', 'b: NOT_OWNED']);
    const [, b] = await planned(objects);
    expect(b?.error?.detail).toContain(neighbour.owner.design);
    expect(await actions(objects, { adopt: true })).toEqual(['a: unchanged', 'b: unchanged']);
    await neighbour.close();
  });

  it('does not own objects to which controllers copied its labels', async () => {
    const labels = (await scene.plan([configMap('a')])).items[0]?.desired?.metadata.labels ?? {};
    await scene.others(configMap('copy', {}, { labels }));
    expect(await actions([configMap('a')], { previous: undefined })).toEqual(['a: create']);
    expect(await actions([configMap('copy')])).toEqual(['copy: NOT_OWNED']);
  });

  it('refuses fields of another manager, unless forced', async () => {
    await scene.deploy([configMap('a', { shared: 'ours' })]);
    await scene.others(configMap('a', { shared: 'theirs' }));
    const [conflict] = await planned([configMap('a', { shared: 'ours' })]);
    expect(conflict?.error).toMatchObject({ reason: 'FIELD_CONFLICT', field: '.data.shared' });
    expect(conflict?.error?.detail).toContain('another-manager');
    expect(await actions([configMap('a', { shared: 'ours' })], { force: true })).toEqual(['a: update']);
  });

  it('releases a field that another manager owns too', async () => {
    await scene.deploy([configMap('a', { shared: 'x', own: 'x' })]);
    await scene.others(configMap('a', { shared: 'x' }));
    const [resource] = await planned([configMap('a', { own: 'x' })]);
    expect(resource).toMatchObject({ action: 'update', diff: [{ path: '/metadata/managedFields' }] });
    await scene.deploy([configMap('a', { own: 'x' })]);
    expect(await actions([configMap('a', { own: 'x' })])).toEqual(['a: unchanged']);
    expect((await scene.live('v1', 'ConfigMap', 'a'))?.data).toEqual({ shared: 'x', own: 'x' });
  });

  it('prunes owned objects that left the design', async () => {
    await scene.deploy([configMap('stays'), configMap('goes'), deployment('goes-too', 0)]);
    await scene.others(configMap('foreign'));
    expect((await actions([configMap('stays')])).sort()).toEqual([
      'goes-too: prune',
      'goes: prune',
      'stays: unchanged',
    ]);
    expect((await actions([configMap('stays')], { previous: undefined })).sort()).toEqual([
      'goes-too: prune',
      'goes: prune',
      'stays: unchanged',
    ]);
  });

  it('reports every error', async () => {
    await scene.deploy([deployment('immutable', 0)]);
    const immutable = deployment('immutable', 0);
    Object.assign(immutable.spec as object, { selector: { matchLabels: { app: 'other' } } });
    const bad = deployment('invalid', 0);
    Object.assign(bad.spec as object, { replicas: 'many', bogus: 1 });
    const errors = (
      await planned([
        bad,
        immutable,
        { apiVersion: 'v1', kind: 'Nonsense', metadata: { name: 'a' } },
        { apiVersion: 'extensions/v1beta1', kind: 'Deployment', metadata: { name: 'old' } },
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'a-' } },
        { kind: 'ConfigMap' },
        configMap('twice'),
        configMap('twice'),
        configMap('lost', {}, { namespace: 'no-such-namespace' }),
        configMap('Bad_Name'),
        configMap('../../etc'),
      ])
    ).map(({ error }) => error);
    expect(errors.map((error) => error?.reason)).toEqual([
      'INVALID',
      'IMMUTABLE',
      'UNKNOWN_KIND',
      'UNKNOWN_KIND',
      'GENERATED_NAME',
      'INVALID',
      undefined,
      'DUPLICATE',
      'NAMESPACE_NOT_FOUND',
      'INVALID',
      'INVALID',
    ]);
    expect(errors[0]?.field).toMatch(/spec/);
    expect(errors[1]).toMatchObject({ field: expect.stringContaining('spec.selector') as string });
    expect(errors[3]?.detail).toContain('apps/v1');
    expect(errors[8]?.detail).toContain('no-such-namespace');
  });

  it('plans a namespace and a definition with their contents, as far as these are known', async () => {
    const { definition, object } = customKind();
    const namespace = `${scene.namespace}-new`;
    const inside = { namespace };
    const plan = await planned([
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      definition,
      configMap('a', {}, inside),
      object('good'),
      object('bad', { colour: 'green' }),
      configMap('wrong', { a: 1 }, inside),
    ]);
    expect(
      plan.map(({ name, action, verified, error }) => [name, action, verified, error?.reason, error?.field]),
    ).toEqual([
      [namespace, 'create', true, undefined, undefined],
      [definition.metadata.name, 'create', true, undefined, undefined],
      ['a', 'create', false, undefined, undefined],
      ['good', 'create', false, undefined, undefined],
      ['bad', 'create', false, 'INVALID', 'spec.size, spec.colour'],
      ['wrong', 'create', true, 'INVALID', '.data.a'],
    ]);
    expect(plan[4]?.error?.detail).toBe(
      'spec.size: Required value; spec.colour: Unsupported value: "green": supported values: "red", "blue"',
    );
  });

  it('has a fingerprint that changes only with the design and the cluster', async () => {
    await scene.deploy([deployment('web', 1), configMap('a')]);
    const objects = [deployment('web', 2), configMap('a')];
    const { fingerprint } = await scene.plan(objects);
    expect((await scene.plan(objects)).fingerprint).toBe(fingerprint);
    await scene.others({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } });
    expect((await scene.plan(objects)).fingerprint).toBe(fingerprint);
    expect((await scene.plan([deployment('web', 3), configMap('a')])).fingerprint).not.toBe(fingerprint);
    await scene.others(deployment('web', 5));
    expect((await scene.plan(objects)).fingerprint).not.toBe(fingerprint);
  });

  it('does not run again what the cluster deleted after its end, unless it has changed or the deployment failed', async () => {
    const spec = { restartPolicy: 'Never', containers: [{ name: 'app', image: 'app:1' }] };
    const job = (more: object = { ttlSecondsAfterFinished: 0 }): KubernetesObject => ({
      ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'once' } },
      spec: { ...more, suspend: true, template: { spec } },
    });
    const standing = () => Promise.resolve([{ component: 'another', object: job() }]);
    await scene.deploy([job()]);
    const before = await scene.plan([job()], { standing });
    const kind = await scene.client.findKind('batch/v1', 'Job');
    if (!kind) throw new Error('no Job');
    await scene.client.delete(kind, 'once', scene.namespace, { propagation: 'Background' });
    const { items, fingerprint } = await scene.plan([job()], { standing });
    expect(items.map(({ planned }) => planned)).toMatchObject([{ action: 'unchanged', verified: true, diff: [] }]);
    expect(fingerprint).toBe(before.fingerprint);
    expect(await actions([job({ ttlSecondsAfterFinished: 60 })], { standing })).toEqual(['once: create']);
    expect(await actions([job({})], { standing: () => Promise.resolve([{ component: '', object: job({}) }]) })).toEqual(
      ['once: create'],
    );
    expect(await actions([job()])).toEqual(['once: create']);
    expect(await actions([job()], { standing, previous: [] })).toEqual(['once: create']);
    const result = await scene.deploy([job()], { standing, wait: true, waitTimeoutMs: 2_000 });
    expect(result).toMatchObject({ status: 'succeeded', resources: [{ status: 'unchanged' }] });
    expect(await scene.live('batch/v1', 'Job', 'once')).toBeUndefined();
  });

  it('reports missing permissions for each resource', async () => {
    const nobody = clusterClient(cluster.kubeconfigNobody);
    const resources = [{ component: 'a', object: configMap('a') }];
    const { items, unlistable } = await new Planner(nobody, schemaValidator).plan(resources, scene.owner, {
      namespace: scene.namespace,
      previous: [],
    });
    expect(items[0]?.planned.error).toMatchObject({ reason: 'FORBIDDEN' });
    expect(unlistable).toEqual(['ConfigMap']);
    await nobody.close();
  });

  it('takes a short time for a hundred resources', async () => {
    const objects = Array.from({ length: 100 }, (_, index) => configMap(`one-${index}`));
    const started = performance.now();
    expect((await planned(objects)).every(({ action, verified }) => action === 'create' && verified)).toBe(true);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});
