import { isDeepStrictEqual } from 'node:util';
import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import { customKind, deployment, DeploymentScene, outcomes } from '../../../test/support/deployment-scene.js';
import { kubectl } from '../../../test/support/kubectl.js';
import { requires } from '../../../test/support/requirements.js';
import { until } from '../../../test/support/until.js';
import type { DriftMode } from '../../environments/environment.entity.js';
import type { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import type { KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { DriftComparison, type DriftedObject, type DriftResource } from './drift-comparison.js';
import { SEALED_VALUE } from '../../formats/design-file/secret-values.js';
import { applyAgain } from './self-healing.service.js';

const service = (port = 80, more: object = { name: 'http', targetPort: 8080 }): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web' },
  spec: { selector: { app: 'web' }, ports: [{ port, ...more }] },
});

/** A workload without replicas, of which the first container has this name. */
function workload(name = 'web', container: object = {}, spec: object = {}): KubernetesObject {
  const object = structuredClone(deployment('web', 0));
  const { template } = object['spec'] as { template: { spec: { containers: object[] } } };
  template.spec = { ...template.spec, ...spec, containers: [{ name, image: 'app:1', ...container }] };
  return object;
}

requires('KUBEBUILDER_ASSETS', 'What people change by hand', () => {
  let cluster: Cluster;
  let scene: DeploymentScene;

  beforeAll(async () => {
    cluster = await sharedCluster();
  }, 60_000);
  beforeEach(async () => {
    scene = await DeploymentScene.open(cluster.kubeconfig);
  });
  afterEach(() => scene.close());

  const patch = (kind: string, ...operations: object[]): Promise<string> =>
    kubectl(cluster, '-n', scene.namespace, 'patch', kind, 'web', '--type=json', '-p', JSON.stringify(operations));
  const drift = async (
    object: KubernetesObject,
    mode: DriftMode = 'fields',
  ): Promise<{ resource: DriftResource; drifted: DriftedObject[] }> => {
    const { client, owner, namespace, recorded: objects } = scene;
    const comparison = new DriftComparison(client, { owner, namespace, objects, mode });
    const { resources, drifted } = await comparison.compare([{ component: 'one', object }]);
    return { resource: resources[0] as DriftResource, drifted };
  };
  const heal = async (object: KubernetesObject, mode?: DriftMode): Promise<void> => {
    for (const one of (await drift(object, mode)).drifted) {
      expect(one.isHealable).toBe(true);
      await applyAgain(scene.client, one, AbortSignal.timeout(10_000)).catch((error: ClusterError) => {
        if (error.kind !== 'conflict') throw error;
        return heal(object, mode);
      });
    }
  };
  const ports = async (): Promise<unknown> =>
    ((await scene.live('v1', 'Service', 'web'))?.['spec'] as { ports: { port: number }[] }).ports.map(
      (one) => one.port,
    );
  const template = async (): Promise<{ containers: { name: string }[] } & Record<string, unknown>> => {
    const spec = (await scene.live('apps/v1', 'Deployment', 'web'))?.['spec'];
    return (spec as { template: { spec: { containers: { name: string }[] } } }).template.spec;
  };
  const containers = async (): Promise<string[]> => (await template()).containers.map(({ name }) => name);
  const errors = async (object: KubernetesObject, options = {}) =>
    (await scene.plan([object], options)).items.map(({ planned }) => planned.error?.reason ?? planned.action);
  const by = (manager: string) => ({ manager, at: expect.any(String) as string });

  it('in the key of an item is drift, is refused without force, and is set right by it and by healing', async () => {
    await scene.deploy([service()]);
    await patch('service', { op: 'replace', path: '/spec/ports/0/port', value: 83 });
    const { resource } = await drift(service());
    expect(resource).toMatchObject({
      ...{ status: 'changed', extra: [], detail: null },
      changes: [{ pointer: '/spec/ports/0/port', desired: 80, live: 83, ...by('kubectl-patch') }],
    });
    const [refused] = (await scene.plan([service()])).items;
    expect(refused?.planned).toMatchObject({
      action: 'update',
      error: {
        reason: 'FIELD_CONFLICT',
        field: 'spec.ports[0]',
        detail: expect.stringContaining('kubectl-patch') as string,
      },
    });
    const [forced] = (await scene.plan([service()], { force: true })).items;
    expect(forced?.planned).toMatchObject({
      ...{ action: 'update', verified: false, diff: [{ path: '/spec/ports/0/port', from: 83, to: 80 }] },
    });
    expect(forced?.planned.error).toBeUndefined();

    const failing = { ...workload(), metadata: { name: 'Not_A_Name' } };
    expect(await scene.deploy([service()], { force: true })).toMatchObject({ status: 'succeeded' });
    await patch('service', { op: 'replace', path: '/spec/ports/0/port', value: 83 });
    const before = await scene.live('v1', 'Service', 'web');
    const plan = await scene.plan([service(), failing], { force: true });
    for (const { planned } of plan.items) if (planned.name !== 'web') Object.assign(planned, { error: undefined });
    expect(await scene.apply(plan)).toMatchObject({ status: 'rolled_back' });
    const after = await scene.live('v1', 'Service', 'web');
    expect(after?.['spec']).toEqual(before?.['spec']);
    expect((await drift(service())).resource.changes).toMatchObject([
      { desired: 80, live: 83, ...by('kubectl-patch') },
    ]);

    await heal(service());
    expect(await ports()).toEqual([80]);
    expect((await drift(service())).resource).toMatchObject({ status: 'in_sync', changes: [] });
    expect(await errors(service())).toEqual(['unchanged']);

    for (const more of [{ name: 'http' }, {}]) {
      await scene.deploy([service(80, more)], { force: true });
      await patch('service', { op: 'replace', path: '/spec/ports/0/port', value: 84 });
      expect((await drift(service(80, more))).resource.changes).toMatchObject([{ desired: 80, live: 84 }]);
      expect(outcomes(await scene.deploy([service(80, more)], { force: true }))).toEqual(['Service/web: applied']);
      expect(await ports()).toEqual([80]);
      // Nothing of the other manager is left that would keep the port when it leaves the design.
      await scene.deploy([service(90, more)]);
      expect(await ports()).toEqual([90]);
    }
  }, 60_000);

  it('in the port of a container, or in its name, leaves no second one behind', async () => {
    const named = workload('web', { ports: [{ name: 'http', containerPort: 8080 }] });
    await scene.deploy([named]);
    await patch('deployment', {
      op: 'replace',
      path: '/spec/template/spec/containers/0/ports/0/containerPort',
      value: 81,
    });
    expect((await drift(named)).resource.changes).toMatchObject([
      { pointer: '/spec/template/spec/containers/0/ports/0/containerPort', desired: 8080, live: 81 },
    ]);
    expect(await errors(named)).toEqual(['FIELD_CONFLICT']);
    await heal(named);
    expect(await errors(named)).toEqual(['unchanged']);

    await patch('deployment', { op: 'replace', path: '/spec/template/spec/containers/0/name', value: 'renamed' });
    expect((await drift(named)).resource.changes).toMatchObject([
      { pointer: '/spec/template/spec/containers/0/name', desired: 'web', live: 'renamed', ...by('kubectl-patch') },
    ]);
    expect(await errors(named)).toEqual(['FIELD_CONFLICT']);
    expect(await scene.deploy([named], { force: true })).toMatchObject({ status: 'succeeded' });
    expect(await containers()).toEqual(['web']);
    expect(await errors(named)).toEqual(['unchanged']);
  }, 60_000);

  it('in an item that leaves the design later does not keep it', async () => {
    await scene.deploy([workload('old')]);
    await kubectl(cluster, '-n', scene.namespace, 'set', 'image', 'deployment/web', 'old=app:2');
    expect(await errors(workload('new'))).toEqual(['FIELD_CONFLICT']);
    expect(await scene.deploy([workload('new')])).toMatchObject({ status: 'failed' });
    expect(await containers()).toEqual(['old']);
    expect(await scene.deploy([workload('new')], { force: true })).toMatchObject({ status: 'succeeded' });
    expect(await containers()).toEqual(['new']);
  }, 60_000);

  it('is not taken for the place of an item that others may have beside it', async () => {
    const mounted = workload('web', { env: [{ name: 'A', value: '1' }] });
    await scene.deploy([mounted]);
    const spec = '/spec/template/spec/containers';
    await patch('deployment', { op: 'add', path: `${spec}/0/env/-`, value: { name: 'B', value: '1' } });
    await patch('deployment', { op: 'add', path: `${spec}/-`, value: { name: 'proxy', image: 'app:1' } });
    const more = workload('web', {
      env: [
        { name: 'A', value: '1' },
        { name: 'C', value: '1' },
      ],
    });
    expect(await scene.deploy([more])).toMatchObject({ status: 'succeeded' });
    expect(await containers()).toEqual(['web', 'proxy']);
  }, 60_000);

  it('is compared without the consent of the API server', async () => {
    const limited = workload('web', { resources: { limits: { cpu: '1000m' } } }, { hostNetwork: false });
    await scene.deploy([limited]);
    const { client } = scene;
    client.apply = async (kind, object, options) =>
      client.patch(kind, object.metadata.name, 'nowhere', { type: 'json', body: [] }, options);
    expect((await drift(limited)).resource).toMatchObject({ status: 'in_sync', changes: [] });
    await patch('deployment', { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'app:2' });
    expect((await drift(limited)).resource).toMatchObject({
      status: 'changed',
      changes: [
        { pointer: '/spec/template/spec/containers/0/image', desired: 'app:1', live: 'app:2', ...by('kubectl-patch') },
      ],
      detail: expect.any(String) as string,
    });
  }, 60_000);

  it('adds to an object is listed, and is drift and healed where that is asked for', async () => {
    await scene.deploy([workload()]);
    const spec = '/spec/template/spec';
    await patch(
      'deployment',
      {
        op: 'add',
        path: `${spec}/containers/-`,
        value: { name: 'debug', image: 'sh', securityContext: { privileged: true } },
      },
      { op: 'add', path: `${spec}/hostNetwork`, value: true },
      { op: 'add', path: `${spec}/volumes`, value: [{ name: 'host', hostPath: { path: '/' } }] },
      { op: 'add', path: `${spec}/containers/0/env`, value: [{ name: 'TOKEN', value: 'a-canary' }] },
      { op: 'replace', path: `${spec}/terminationGracePeriodSeconds`, value: 5 },
    );
    await kubectl(cluster, '-n', scene.namespace, 'rollout', 'restart', 'deployment/web');
    await kubectl(cluster, '-n', scene.namespace, 'annotate', 'deployment/web', 'mine=too');
    const { resource, drifted } = await drift(workload());
    expect(resource).toMatchObject({ status: 'in_sync', changes: [] });
    expect(drifted).toEqual([]);
    expect(resource.extra.map(({ pointer }) => pointer).sort()).toEqual([
      `${spec}/containers/0/env`,
      `${spec}/containers/1`,
      `${spec}/hostNetwork`,
      `${spec}/terminationGracePeriodSeconds`,
      `${spec}/volumes`,
    ]);
    expect(resource.extra).toContainEqual({ pointer: `${spec}/hostNetwork`, live: true, ...by('kubectl-patch') });
    expect(JSON.stringify(resource)).not.toContain('a-canary');

    expect((await drift(workload(), 'strict')).resource.status).toBe('changed');
    await heal(workload(), 'strict');
    expect((await drift(workload(), 'strict')).resource).toMatchObject({ status: 'in_sync', extra: [] });
    const healed = await template();
    expect(healed).toMatchObject({ containers: [{ name: 'web' }], terminationGracePeriodSeconds: 30 });
    for (const removed of ['hostNetwork', 'volumes']) expect(healed).not.toHaveProperty(removed);
    expect(healed.containers[0]).not.toHaveProperty('env');
  }, 60_000);

  it('in a sealed value of a Secret stays, also when it happens while other fields are healed or deployed', async () => {
    const secret = (password: string, user = 'app') => ({
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web' } },
      data: { password, user: encode(user) },
    });
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    const replace = (key: string, value: string) =>
      patch('secret', { op: 'replace', path: `/data/${key}`, value: encode(value) });
    const stored = async () => (await scene.live('v1', 'Secret', 'web'))?.['data'];
    const sealed = secret(SEALED_VALUE);
    await scene.deploy([secret(encode('first'))]);
    await replace('user', 'somebody');
    const [found] = (await drift(sealed)).drifted;
    await replace('password', 'second');
    const healing = applyAgain(scene.client, found as DriftedObject, AbortSignal.timeout(10_000));
    await expect(healing).rejects.toMatchObject({ kind: 'conflict' });
    await heal(sealed);
    expect(await stored()).toEqual({ password: encode('second'), user: encode('app') });

    const rotate = async () => void (await replace('password', 'third'));
    const options = { force: true };
    const moved = await scene.deploy([secret(SEALED_VALUE, 'other')], options, rotate);
    expect(moved.resources.map(({ error }) => error?.reason)).toEqual(['CONFLICT']);
    expect(await stored()).toEqual({ password: encode('third'), user: encode('app') });
    expect(await scene.deploy([secret(SEALED_VALUE, 'other')], options)).toMatchObject({ status: 'succeeded' });
    expect(await stored()).toEqual({ password: encode('third'), user: encode('other') });
  }, 60_000);

  it('deletes is missing, also with the definition of its kind, which a plan names', async () => {
    const { definition, object } = customKind();
    const { apiVersion } = object('a');
    const deployAndUndefine = async () => {
      await scene.others(definition);
      await until(async () => (await scene.client.findKind(apiVersion, 'Gadget', 0)) !== undefined);
      expect(await scene.deploy([object('a')])).toMatchObject({ status: 'succeeded' });
      expect((await drift(object('a'))).resource.status).toBe('in_sync');
      await kubectl(cluster, 'delete', 'crd', definition.metadata.name);
    };
    await deployAndUndefine();
    const { resource, drifted } = await drift(object('a'));
    expect(resource).toMatchObject({ status: 'missing', detail: 'The cluster does not serve the kind any more' });
    expect(drifted).toEqual([]);

    await deployAndUndefine();
    expect(await errors(object('a'))).toEqual(['UNKNOWN_KIND']);

    await deployAndUndefine();
    const { items } = await scene.plan([definition, object('a'), object('b', { colour: 'green' })]);
    expect(items.map(({ planned }) => planned.error?.reason ?? planned.action)).toEqual([
      'create',
      'create',
      'INVALID',
    ]);
  }, 120_000);

  it('leaves the rules of an aggregated role to the cluster', async () => {
    const label = `${scene.namespace}.example.com/aggregate`;
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const rule = { apiGroups: [''], resources: ['services'], verbs: ['get'] };
    const roles: KubernetesObject[] = [
      {
        ...{ apiVersion, kind: 'ClusterRole', metadata: { name: scene.namespace } },
        ...{ aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [label]: 'true' } }] }, rules: [] },
      },
      {
        ...{ apiVersion, kind: 'ClusterRole', metadata: { name: `${scene.namespace}-1`, labels: { [label]: 'true' } } },
        rules: [rule],
      },
    ];
    expect(await scene.deploy(roles)).toMatchObject({ status: 'succeeded' });
    const rules = async () => (await scene.live(apiVersion, 'ClusterRole', scene.namespace))?.['rules'];
    await until(async () => isDeepStrictEqual(await rules(), [rule]), 60_000);
    const plan = await scene.plan(roles);
    expect(plan.items.map(({ planned }) => planned.error ?? planned.action)).toEqual(['unchanged', 'unchanged']);
    expect((await drift(roles[0] as KubernetesObject)).resource).toMatchObject({ status: 'in_sync', changes: [] });
    await scene.deploy(roles, { force: true });
    expect(await rules()).toEqual([rule]);
    await scene.undeploy();
  }, 120_000);
});
