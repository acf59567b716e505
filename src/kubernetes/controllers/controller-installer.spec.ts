import { randomUUID } from 'node:crypto';
import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import { configMap, customKind, DeploymentScene } from '../../../test/support/deployment-scene.js';
import { requires } from '../../../test/support/requirements.js';
import { until } from '../../../test/support/until.js';
import { ControllerInstaller } from './controller-installer.js';
import type { KubernetesObject } from '../clusters/kubernetes-object.js';
import { type ControllerOwner, toReference } from './controller-owner.js';
import { ControllerRemoval } from './controller-removal.js';

requires('KUBEBUILDER_ASSETS', 'Installing a controller', () => {
  let cluster: Cluster;
  let scene: DeploymentScene;

  beforeAll(async () => {
    cluster = await sharedCluster({ bare: true });
    scene = await DeploymentScene.open(cluster.kubeconfig);
  }, 60_000);
  afterAll(() => scene.close());

  it('waits until a definition that is being deleted is gone, and no longer than it may', async () => {
    const { definition, object } = customKind();
    const held = object('held');
    await scene.others(definition);
    await until(async () => (await scene.client.findKind(held.apiVersion, held.kind, 0)) !== undefined);
    await scene.others({ ...held, metadata: { name: 'held', finalizers: ['example.org/never'] } });
    const definitions = await scene.client.findKind(definition.apiVersion, definition.kind);
    if (!definitions) throw new Error('no definitions');
    const { name } = definition.metadata;
    const before = await scene.client.get(definitions, name);
    await scene.client.delete(definitions, name, undefined);

    const owner: ControllerOwner = { connectionId: randomUUID(), name: 'operator' };
    const wanted = [definition, { ...object('ours'), metadata: { name: 'ours', namespace: scene.namespace } }];
    const install = (goneTimeoutMs?: number): Promise<void> =>
      new ControllerInstaller(scene.client, owner, new AbortController().signal, goneTimeoutMs).apply(wanted);
    await expect(install(300)).rejects.toMatchObject({
      code: 'CONTROLLER_NOT_REMOVED',
      message: expect.stringContaining('customresourcecleanup.apiextensions.k8s.io') as string,
    });
    const installing = install();
    const kind = await scene.client.findKind(held.apiVersion, held.kind);
    if (!kind) throw new Error('no such kind');
    const body = { metadata: { finalizers: null } };
    await scene.client.patch(kind, 'held', scene.namespace, { type: 'merge', body });
    await installing;
    const now = await scene.client.get(definitions, name);
    expect(now.metadata.uid).not.toBe(before.metadata.uid);
    expect(now.metadata.deletionTimestamp).toBeUndefined();
    expect(await scene.live(held.apiVersion, held.kind, 'ours')).toBeDefined();
    expect(await scene.live(held.apiVersion, held.kind, 'held')).toBeUndefined();
    await scene.client.delete(definitions, name, undefined);
  }, 60_000);

  it('leaves a definition and a namespace when it is removed while they hold what belongs to an object that stays', async () => {
    const { definition, object } = customKind();
    const name = `${scene.namespace}-controllers`;
    const namespace: KubernetesObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    const owner: ControllerOwner = { connectionId: randomUUID(), name: 'operator' };
    const { signal } = new AbortController();
    await new ControllerInstaller(scene.client, owner, signal).apply([namespace, definition]);
    const root = await scene.others(configMap('root', {}, { namespace: name }));
    const { uid = '' } = root.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'root', uid }];
    const { apiVersion, kind } = await scene.others({
      ...object('theirs'),
      metadata: { name: 'theirs', namespace: name, ownerReferences },
    });
    const removal = new ControllerRemoval(scene.client, owner, signal);
    await removal.remove([namespace, definition].map(toReference));
    expect(await scene.live(apiVersion, kind, 'theirs', name)).toBeDefined();
    expect((await scene.live('v1', 'Namespace', name))?.metadata.deletionTimestamp).toBeUndefined();
    const maps = await scene.client.findKind('v1', 'ConfigMap');
    if (maps) await scene.client.delete(maps, 'root', name);
    // Its owner is gone, so that it goes with its definition.
    await removal.remove([toReference(definition)]);
    expect(await scene.live(definition.apiVersion, definition.kind, definition.metadata.name)).toBeUndefined();
  }, 60_000);

  it('does not wait for workloads that are no longer wanted', async () => {
    const labels = { app: 'never-ready' };
    const workload = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'never-ready', namespace: scene.namespace },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example.org/main' }] } },
      },
    };
    const owner: ControllerOwner = { connectionId: randomUUID(), name: 'operator' };
    const installer = new ControllerInstaller(scene.client, owner, new AbortController().signal);
    await installer.apply([workload]);
    let asked = 0;
    await installer.waitUntilReady([workload], () => Promise.resolve((asked += 1) < 3));
    expect(asked).toBe(3);
  }, 60_000);
});
