import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import { configMap, DeploymentScene, outcomes } from '../../../test/support/deployment-scene.js';
import { kubectl } from '../../../test/support/kubectl.js';
import { requires } from '../../../test/support/requirements.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { plannedResources } from '../plan/plan.js';

type Fields = Record<string, unknown>;

const workload = (kind: 'Deployment' | 'StatefulSet', spec: Fields = {}, pod: Fields = {}): KubernetesObject => ({
  ...{ apiVersion: 'apps/v1', kind, metadata: { name: 'web' } },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    ...(kind === 'StatefulSet' && { serviceName: 'web' }),
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'app', image: 'app:1' }], ...pod },
    },
    ...spec,
  },
});

/** Passes its dry run and refuses the Service beside it, so that the whole deployment is taken back. */
const refusal: KubernetesObject[] = [
  { ...{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'quota' } }, spec: { hard: { services: '0' } } },
  {
    ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'last' } },
    spec: { defaultBackend: { service: { name: 'x', port: { number: 80 } } } },
  },
];

requires('KUBEBUILDER_ASSETS', 'A deployment and the fields that nobody owns', () => {
  let cluster: Cluster;
  let scene: DeploymentScene;

  beforeAll(async () => {
    cluster = await sharedCluster({ bare: true });
  }, 60_000);
  beforeEach(async () => {
    scene = await DeploymentScene.open(cluster.kubeconfig);
  });
  afterEach(() => scene.close());

  const specOf = async (kind: string) => (await scene.live('apps/v1', kind, 'web'))?.['spec'] as Fields;
  const podOf = async (kind = 'Deployment') =>
    ((await specOf(kind))['template'] as { spec: Fields & { containers: Fields[]; volumes?: Fields[] } }).spec;
  const managersOf = async (apiVersion: string, kind: string, name: string) =>
    (await scene.live(apiVersion, kind, name))?.metadata.managedFields?.map(
      ({ manager, operation }) => `${manager} ${operation}`,
    );
  const actions = async (objects: KubernetesObject[], options = {}) =>
    plannedResources(await scene.plan(objects, options)).map(({ action, error }) => error?.reason ?? action);
  /** Another program writes an object without server-side apply. */
  const create = async (object: KubernetesObject, fieldManager: string) => {
    const kind = await scene.client.findKind(object.apiVersion, object.kind);
    if (!kind) throw new Error(`no ${object.kind}`);
    const metadata = { ...object.metadata, namespace: scene.namespace };
    return scene.client.create(kind, { ...object, metadata }, { fieldManager });
  };
  const patch = async (kind: string, body: Fields, fieldManager: string) => {
    const found = await scene.client.findKind('apps/v1', kind);
    if (!found) throw new Error(`no ${kind}`);
    await scene.client.patch(found, 'web', scene.namespace, { type: 'merge', body }, { fieldManager });
  };
  /** Deploys, and fails after all objects were applied. */
  const deployInVain = async (object: KubernetesObject, options = {}) => {
    const plan = await scene.plan([object, ...refusal], options);
    const abort = new AbortController();
    return scene.apply(plan, {
      signal: abort.signal,
      onProgress: ({ name, status }) =>
        name === object.metadata.name && status !== 'pending' ? abort.abort() : undefined,
    });
  };

  it.each([
    ['Deployment', 'strategy', { type: 'Recreate' }, { type: 'Recreate' }],
    ['Deployment', 'strategy', { type: 'Recreate', rollingUpdate: null }, { type: 'Recreate' }],
    ['StatefulSet', 'updateStrategy', { type: 'OnDelete' }, { type: 'OnDelete' }],
  ] as const)('changes the strategy of a %s from its default, %s %j', async (kind, field, wanted, expected) => {
    await scene.deploy([workload(kind)]);
    const before = await specOf(kind);
    const changed = workload(kind, { [field]: wanted });
    const [planned] = plannedResources(await scene.plan([changed]));
    expect(planned).toMatchObject({ action: 'update', verified: true });
    expect(planned?.diff.map(({ path }) => path).sort()).toEqual([
      `/spec/${field}/rollingUpdate`,
      `/spec/${field}/type`,
    ]);
    expect(outcomes(await scene.deploy([changed]))).toEqual([`${kind}/web: applied`]);
    expect((await specOf(kind))[field]).toEqual(expected);
    expect(await actions([changed])).toEqual(['unchanged']);
    expect(outcomes(await scene.deploy([workload(kind)]))).toEqual([`${kind}/web: applied`]);
    expect(await specOf(kind)).toEqual(before);
  });

  it('takes back a change from Recreate to RollingUpdate, with the default that came with it', async () => {
    const recreate = workload('Deployment', { strategy: { type: 'Recreate' } });
    await scene.deploy([recreate]);
    const before = await specOf('Deployment');
    const result = await deployInVain(workload('Deployment', { strategy: { type: 'RollingUpdate' } }));
    expect(outcomes(result).at(0)).toBe('Deployment/web: rolled_back');
    expect(await specOf('Deployment')).toEqual(before);
    expect(await actions([recreate])).toEqual(['unchanged']);
  });

  it('changes the member of a union that was a default, in an item of a list too', async () => {
    const probe = { livenessProbe: { httpGet: { port: 80 } } };
    const container = { name: 'app', image: 'app:1', ...probe };
    await scene.deploy([
      workload('Deployment', {}, { containers: [container], volumes: [{ name: 'a' }, { name: 'b' }] }),
    ]);
    const changed = workload(
      'Deployment',
      {},
      {
        containers: [{ ...container, livenessProbe: { tcpSocket: { port: 80 } } }],
        volumes: [{ name: 'a' }, { name: 'b', configMap: { name: 'settings' } }],
      },
    );
    expect(outcomes(await scene.deploy([changed]))).toEqual(['Deployment/web: applied']);
    const { containers, volumes } = await podOf();
    expect(volumes).toEqual([
      { name: 'a', emptyDir: {} },
      { name: 'b', configMap: { name: 'settings', defaultMode: 420 } },
    ]);
    expect(containers[0]?.['livenessProbe']).not.toHaveProperty('httpGet');
    expect(await actions([changed])).toEqual(['unchanged']);
  });

  it('leaves a sibling that somebody set, unless it is forced or replaces the object', async () => {
    await scene.deploy([workload('Deployment')]);
    await patch('Deployment', { spec: { strategy: { rollingUpdate: { maxSurge: 3 } } } }, 'somebody');
    const recreate = workload('Deployment', { strategy: { type: 'Recreate' } });
    expect(await actions([recreate])).toEqual(['IMMUTABLE']);
    const [replaced] = plannedResources(await scene.plan([recreate], { replace: true }));
    expect(replaced).toMatchObject({ action: 'update', replaces: true });
    // An error of the design itself remains one, because a new object would be refused as well.
    const wrong = workload('Deployment', { strategy: { type: 'Recreate', rollingUpdate: { maxUnavailable: 1 } } });
    expect(await actions([wrong], { replace: true })).toEqual(['INVALID']);
    expect(outcomes(await scene.deploy([recreate], { force: true }))).toEqual(['Deployment/web: applied']);
    expect((await specOf('Deployment'))['strategy']).toEqual({ type: 'Recreate' });
  });

  it('removes a field that the cluster copies back from its deprecated twin', async () => {
    const plain = workload('Deployment');
    const named = workload('Deployment', {}, { serviceAccountName: 'robot' });
    await scene.deploy([plain]);
    const before = await specOf('Deployment');
    expect(outcomes(await deployInVain(named)).at(0)).toBe('Deployment/web: rolled_back');
    expect(await specOf('Deployment')).toEqual(before);
    expect(await actions([plain])).toEqual(['unchanged']);

    await scene.deploy([named]);
    expect(await podOf()).toMatchObject({ serviceAccountName: 'robot', serviceAccount: 'robot' });
    const [planned] = plannedResources(await scene.plan([plain]));
    expect(planned?.diff.map(({ path, to }) => [path.split('/').at(-1), to]).sort()).toEqual([
      ['serviceAccount', null],
      ['serviceAccountName', null],
    ]);
    await scene.deploy([plain]);
    expect(await specOf('Deployment')).toEqual(before);
    // A field that becomes its default again is not left behind.
    await scene.deploy([workload('Deployment', { revisionHistoryLimit: 10, progressDeadlineSeconds: 600 })]);
    expect(outcomes(await scene.deploy([plain]))).toEqual(['Deployment/web: applied']);
    expect(await actions([plain])).toEqual(['unchanged']);
  });

  it('leaves the number of replicas to an autoscaler of the design once that has scaled', async () => {
    const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
    const autoscaler: KubernetesObject = {
      ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'web' } },
      spec: { scaleTargetRef, maxReplicas: 9 },
    };
    const objects = [workload('Deployment', { replicas: 2 }), autoscaler];
    await scene.deploy(objects);
    expect(await specOf('Deployment')).toMatchObject({ replicas: 2 });
    expect(await actions(objects)).toEqual(['unchanged', 'unchanged']);
    await kubectl(cluster, '-n', scene.namespace, 'scale', 'deployment/web', '--replicas=7');
    expect(await actions(objects)).toEqual(['unchanged', 'unchanged']);
    const changed = [workload('Deployment', { replicas: 2, minReadySeconds: 1 }), autoscaler];
    await scene.deploy(changed, { force: true });
    expect(await specOf('Deployment')).toMatchObject({ replicas: 7, minReadySeconds: 1 });
    expect(await actions([workload('Deployment', { replicas: 2, minReadySeconds: 1 })])).toEqual([
      'FIELD_CONFLICT',
      'prune',
    ]);
  });

  it('owns nothing that is empty, and shows nothing that the cluster maintains', async () => {
    const set: KubernetesObject = {
      ...{ apiVersion: 'apps/v1', kind: 'DaemonSet' },
      metadata: { name: 'web', annotations: {}, labels: null as never },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' }, annotations: {}, creationTimestamp: null },
          spec: { containers: [{ name: 'app', image: 'app:1', resources: null }], nodeSelector: null },
        },
      },
    };
    await scene.deploy([set]);
    const found = await scene.client.findKind('apps/v1', 'DaemonSet');
    if (!found) throw new Error('no DaemonSet');
    const annotations = { 'deprecated.daemonset.template.generation': '9', 'deployment.kubernetes.io/revision': '4' };
    const body = { metadata: { annotations } };
    await scene.client.patch(found, 'web', scene.namespace, { type: 'merge', body }, { fieldManager: 'controller' });
    expect(await actions([set])).toEqual(['unchanged']);
    const exported = { ...set, metadata: { ...set.metadata, annotations: { ...annotations, own: 'yes' } } };
    const [planned] = plannedResources(await scene.plan([exported]));
    expect(planned?.diff).toEqual([{ path: '/metadata/annotations', from: null, to: { own: 'yes' } }]);
    const image = structuredClone(exported);
    Object.assign((image as KubernetesObject)['spec'] as object, { minReadySeconds: 3 });
    Object.assign(((image as KubernetesObject)['spec'] as { template: { spec: object } }).template.spec, {
      terminationGracePeriodSeconds: 5,
    });
    const paths = plannedResources(await scene.plan([image]))[0]?.diff.map(({ path }) => path);
    expect(paths).not.toContainEqual(expect.stringContaining('deprecated.daemonset'));
    expect(paths).toContain('/spec/minReadySeconds');
  });

  it('of a plan that is to be carried out exactly ends when an object has moved since', async () => {
    const objects = [configMap('a', { value: 'new' }), configMap('b', { value: 'new' })];
    await scene.deploy([configMap('a', { value: 'old' }), configMap('b', { value: 'old' })]);
    const moves: [string, (name: string) => Promise<unknown>][] = [
      ['deleted', (name) => kubectl(cluster, '-n', scene.namespace, 'delete', 'configmap', name)],
      ['changed', (name) => scene.others(configMap(name, { value: 'theirs' }))],
    ];
    for (const [, move] of moves) {
      const plan = await scene.plan(objects, { force: true });
      await move('b');
      const result = await scene.apply(plan, { exact: true });
      expect(result).toMatchObject({ status: 'rolled_back', failure: { status: 409 } });
      expect(outcomes(result)).toEqual(['ConfigMap/a: rolled_back', 'ConfigMap/b: failed PLAN_STALE']);
      expect((await scene.live('v1', 'ConfigMap', 'a'))?.['data']).toEqual({ value: 'old' });
      await scene.deploy([configMap('a', { value: 'old' }), configMap('b', { value: 'old' })], { force: true });
    }
    // A change of a field that the plan does not touch is a move between plan and deployment.
    const { fingerprint } = await scene.plan(objects);
    expect((await scene.plan(objects)).fingerprint).toBe(fingerprint);
    await scene.others(configMap('b', { other: '1' }));
    expect((await scene.plan(objects)).fingerprint).not.toBe(fingerprint);
  });

  describe('that adopts', () => {
    const legacy = configMap('settings', { key: 'value', legacy: 'unused' }, { finalizers: ['example.org/theirs'] });
    const wanted = configMap('settings', { key: 'value', legacy: 'unused' });

    it.each(['kubectl-client-side-apply', 'kubectl-create', 'kubectl-edit', 'kubectl-patch', 'helm'])(
      'takes over the fields of %s, which then leave with the design',
      async (manager) => {
        await create(legacy, manager);
        expect(await actions([wanted])).toEqual(['NOT_OWNED']);
        const before = await scene.live('v1', 'ConfigMap', 'settings');
        const [planned] = plannedResources(await scene.plan([wanted], { adopt: true }));
        expect(planned).toMatchObject({ action: 'unchanged', adopts: true, diff: [] });
        expect(outcomes(await scene.deploy([wanted], { adopt: true }))).toEqual(['ConfigMap/settings: unchanged']);
        const after = await scene.live('v1', 'ConfigMap', 'settings');
        const holders = after?.metadata.managedFields?.filter(({ fieldsV1 }) => fieldsV1?.['f:data'] !== undefined);
        expect(holders?.map((entry) => entry.manager)).toEqual(['armature']);
        expect(after).toMatchObject({ data: before?.['data'], metadata: { finalizers: ['example.org/theirs'] } });
        expect(await actions([wanted], { adopt: true })).toEqual(['unchanged']);
        await scene.deploy([configMap('settings', { key: 'value' })]);
        expect(await scene.live('v1', 'ConfigMap', 'settings')).toMatchObject({ data: { key: 'value' } });
        expect((await scene.live('v1', 'ConfigMap', 'settings'))?.['data']).not.toHaveProperty('legacy');
        await scene.others(configMap('settings', {}, { finalizers: [] }), 'armature-test');
      },
    );

    it('leaves fields that the design never had to a tool that changes single fields', async () => {
      await create(configMap('settings', { key: 'theirs', other: '1' }), 'kubectl-create');
      const ours = configMap('settings', { key: 'ours' });
      expect(await actions([ours], { adopt: true })).toEqual(['update']);
      expect(outcomes(await deployInVain(ours, { adopt: true })).at(0)).toBe('ConfigMap/settings: rolled_back');
      expect(await scene.live('v1', 'ConfigMap', 'settings')).toMatchObject({ data: { key: 'theirs', other: '1' } });
      expect(await managersOf('v1', 'ConfigMap', 'settings')).toEqual(['kubectl-create Update']);
      await scene.deploy([ours], { adopt: true });
      expect(await scene.live('v1', 'ConfigMap', 'settings')).toMatchObject({ data: { key: 'ours', other: '1' } });
      const [again] = plannedResources(await scene.plan([ours], { adopt: true }));
      expect(again).toMatchObject({ action: 'unchanged', diff: [] });
      expect(again).not.toHaveProperty('adopts');
      await scene.deploy([configMap('settings', { new: '1' })]);
      expect((await scene.live('v1', 'ConfigMap', 'settings'))?.['data']).toEqual({ new: '1', other: '1' });
    });

    it('takes over what Helm applied, and changes it without force; the fields of others remain conflicts', async () => {
      await scene.others(workload('Deployment', { replicas: 2 }), 'helm');
      await scene.others(workload('Deployment', { minReadySeconds: 5 }), 'controller');
      const scaled = workload('Deployment', { replicas: 3 });
      expect(await actions([workload('Deployment', { minReadySeconds: 6 })], { adopt: true })).toEqual([
        'FIELD_CONFLICT',
      ]);
      const [planned] = plannedResources(await scene.plan([scaled], { adopt: true }));
      expect(planned).toMatchObject({ action: 'update', adopts: true });
      expect(planned?.diff).toContainEqual({ path: '/spec/replicas', from: 2, to: 3 });
      await scene.deploy([scaled], { adopt: true });
      expect(await specOf('Deployment')).toMatchObject({ replicas: 3, minReadySeconds: 5 });
      expect(await managersOf('apps/v1', 'Deployment', 'web')).not.toContain('helm Apply');
      // Helm upgrades the release once more, and the deployment takes its fields over again.
      await scene.others(workload('Deployment', { replicas: 5 }), 'helm');
      const back = workload('Deployment', { replicas: 2 });
      expect(await actions([back])).toEqual(['FIELD_CONFLICT']);
      await scene.deploy([back], { adopt: true });
      expect(await specOf('Deployment')).toMatchObject({ replicas: 2 });
    });

    it('shows what the design does not have, removes it, and gives everything back when it fails', async () => {
      await create(workload('Deployment', { replicas: 2, paused: true }), 'kubectl-client-side-apply');
      const before = await scene.live('apps/v1', 'Deployment', 'web');
      const plain = workload('Deployment', { replicas: 3, strategy: { type: 'Recreate' } });
      const [planned] = plannedResources(await scene.plan([plain], { adopt: true }));
      expect(planned?.diff.map(({ path }) => path)).toEqual(
        expect.arrayContaining([
          '/spec/paused',
          '/spec/replicas',
          '/spec/strategy/rollingUpdate',
          '/spec/strategy/type',
        ]),
      );
      expect(outcomes(await deployInVain(plain, { adopt: true })).at(0)).toBe('Deployment/web: rolled_back');
      const after = await scene.live('apps/v1', 'Deployment', 'web');
      expect(after?.['spec']).toEqual(before?.['spec']);
      expect(after?.metadata.labels).toBeUndefined();
      expect(await managersOf('apps/v1', 'Deployment', 'web')).toEqual(['kubectl-client-side-apply Update']);
      await scene.deploy([plain], { adopt: true });
      expect(await specOf('Deployment')).toMatchObject({ replicas: 3, strategy: { type: 'Recreate' } });
      expect(await specOf('Deployment')).not.toHaveProperty('paused');
    });
  });
});
