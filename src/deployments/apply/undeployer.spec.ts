import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import {
  configMap,
  customKind,
  deployment,
  DeploymentScene,
  MemoryJournal,
  outcomes,
} from '../../../test/support/deployment-scene.js';
import { requires } from '../../../test/support/requirements.js';
import type { ResourceResult } from './resource-result.js';
import { Undeployer } from './undeployer.js';

requires('KUBEBUILDER_ASSETS', 'An undeployment', () => {
  let cluster: Cluster;
  let scene: DeploymentScene;

  beforeAll(async () => {
    cluster = await sharedCluster();
  }, 60_000);

  beforeEach(async () => {
    scene = await DeploymentScene.open(cluster.kubeconfig);
  });

  afterEach(() => scene.close());

  it('deletes all owned objects in reverse order, and nothing else', async () => {
    await scene.others(configMap('foreign'));
    await scene.deploy([
      configMap('a'),
      deployment('web', 1),
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } },
    ]);
    expect(
      (await new Undeployer(scene.client, new MemoryJournal()).plan(scene.owner)).map(
        ({ kind, action }) => `${kind} ${action}`,
      ),
    ).toEqual(['Deployment delete', 'ConfigMap delete', 'ServiceAccount delete']);
    const result = await scene.undeploy({ previous: undefined });
    expect(result.status).toBe('undeployed');
    expect(outcomes(result)).toEqual(['Deployment/web: deleted', 'ConfigMap/a: deleted', 'ServiceAccount/sa: deleted']);
    expect(await scene.live('v1', 'ConfigMap', 'a')).toBeUndefined();
    expect(await scene.live('apps/v1', 'Deployment', 'web')).toBeUndefined();
    expect((await scene.live('v1', 'ConfigMap', 'foreign'))?.data).toEqual({ a: '1' });
    expect((await scene.undeploy()).resources).toEqual([]);
  });

  it('sends one request for an unchanged object, and leaves one that has another owner since', async () => {
    await scene.deploy([configMap('still'), configMap('taken')]);
    const { client } = scene;
    const [lookup, remove] = [jest.spyOn(client, 'lookup'), client.delete.bind(client)];
    client.delete = async (kind, name, ...rest) => {
      if (name === 'taken') {
        client.delete = remove;
        await scene.others(configMap('taken', {}, { labels: { 'armature.dev/design': scene.owner.connection } }));
      }
      return remove(kind, name, ...rest);
    };
    const result = await scene.undeploy();
    expect(outcomes(result)).toEqual(['ConfigMap/still: deleted', 'ConfigMap/taken: skipped NOT_OWNED']);
    expect(lookup.mock.calls.map(([, name]) => name)).toEqual(['taken']);
    expect(await scene.live('v1', 'ConfigMap', 'still')).toBeUndefined();
    expect(await scene.live('v1', 'ConfigMap', 'taken')).toBeDefined();
  });

  it('deletes a namespace without contents of others', async () => {
    const name = `${scene.namespace}-own`;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await scene.deploy([namespace, configMap('a', {}, { namespace: name }), deployment('web', 1)]);
    expect(await scene.undeploy()).toMatchObject({ status: 'undeployed' });
    expect(await scene.live('v1', 'Namespace', name)).toBeUndefined();
  });

  it('leaves a namespace that others use, and names its contents', async () => {
    const name = `${scene.namespace}-shared`;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await scene.deploy([namespace, configMap('a', {}, { namespace: name })]);
    await scene.others(configMap('foreign', {}, { namespace: name }));
    const result = await scene.undeploy();
    expect(result.status).toBe('undeployed');
    expect(outcomes(result)).toEqual(['ConfigMap/a: deleted', `Namespace/${name}: skipped FOREIGN_CONTENT`]);
    expect(result.resources[1]?.error?.detail).toContain(`ConfigMap ${name}/foreign`);
    expect((await scene.live('v1', 'Namespace', name))?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('leaves a definition that others use', async () => {
    const { definition, object } = customKind();
    await scene.deploy([definition]);
    await scene.others(object('foreign'));
    expect(outcomes(await scene.undeploy())).toEqual([
      `CustomResourceDefinition/${definition.metadata.name}: skipped FOREIGN_CONTENT`,
    ]);
    expect(await scene.live(object('x').apiVersion, 'Gadget', 'foreign')).toBeDefined();
  });

  it('reports what blocks the deletion of an object after its timeout', async () => {
    await scene.deploy([configMap('held'), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } }]);
    const kind = await scene.client.findKind('v1', 'ConfigMap');
    if (!kind) throw new Error('no ConfigMap');
    const hold = (finalizers: string[]) =>
      scene.client.patch(kind, 'held', scene.namespace, { type: 'merge', body: { metadata: { finalizers } } });
    await hold(['example.com/hold']);
    const waited: unknown[] = [];
    const onProgress = ({ name, status, message }: ResourceResult) => {
      if (status === 'deleting') waited.push([name, message]);
    };
    const result = await scene.undeploy({ timeoutMs: 1_500, onProgress });
    expect(waited).toEqual([['held', expect.stringContaining('it waits for example.com/hold')]]);
    expect(result).toMatchObject({ status: 'failed', failure: { status: 504 } });
    expect(outcomes(result)).toEqual(['ConfigMap/held: failed STUCK', 'ServiceAccount/sa: skipped']);
    expect(result.resources[0]?.error?.detail).toContain('example.com/hold');
    const [resource] = (await scene.plan([configMap('held')])).items;
    expect(resource?.planned.error?.reason).toBe('TERMINATING');
    await hold([]);
    expect((await scene.undeploy()).status).toBe('undeployed');
  });

  it('stops when it is cancelled', async () => {
    await scene.deploy([configMap('a'), { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } }]);
    const abort = new AbortController();
    const result = await scene.undeploy({ signal: abort.signal, onProgress: () => abort.abort() });
    expect(result.status).toBe('cancelled');
    expect(outcomes(result)).toEqual(['ConfigMap/a: deleted', 'ServiceAccount/sa: skipped']);
  });
});
