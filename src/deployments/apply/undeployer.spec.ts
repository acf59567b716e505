import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import {
  configMap,
  customKind,
  deployment,
  DeploymentScene,
  MemoryJournal,
  outcomes,
} from '../../../test/support/deployment-scene.js';
import { ClusterError } from '../../kubernetes/clusters/cluster-error.js';
import { requires } from '../../../test/support/requirements.js';
import { until } from '../../../test/support/until.js';
import type { KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import type { AppliedChange } from './applied-change.js';
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

  it('reads no object by itself before it deletes it, also when it may be taken back', async () => {
    await scene.deploy([
      configMap('a'),
      configMap('b'),
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } },
    ]);
    const lookup = jest.spyOn(scene.client, 'lookup');
    const journal = new MemoryJournal();
    const result = await scene.undeploy({ undoable: true }, journal);
    // The cluster returns a service account that it has deleted, so that only reading it tells whether it is gone.
    expect(lookup.mock.calls.map(([, name]) => name)).toEqual(['sa']);
    const undone = await scene.undo({ ...result, status: 'failed' }, journal);
    expect(outcomes(undone).sort()).toEqual([
      'ConfigMap/a: rolled_back',
      'ConfigMap/b: rolled_back',
      'ServiceAccount/sa: rolled_back',
    ]);
    expect((await scene.live('v1', 'ConfigMap', 'a'))?.['data']).toEqual({ a: '1' });
  });

  it.each([true, false])(
    'waits for many objects, and reads each that is not listed; may list them: %s',
    async (may) => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      await scene.deploy(names.map((name) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } })));
      const { client } = scene;
      const [lookup, list] = [jest.spyOn(client, 'lookup'), client.listMetadata.bind(client)];
      const lists: string[] = [];
      client.listMetadata = (kind, options) => {
        if (options?.namespace === undefined) return list(kind, options);
        lists.push(kind.kind);
        const refusal = new ClusterError('forbidden', 'serviceaccounts is forbidden', { answered: 403 });
        return may ? list(kind, options) : Promise.reject(refusal);
      };
      expect(outcomes(await scene.undeploy())).toEqual(names.map((name) => `ServiceAccount/${name}: deleted`));
      expect(lists).toEqual(['ServiceAccount']);
      // The cluster returns a service account that it has deleted, so that only reading it tells whether it is gone.
      expect(lookup.mock.calls.map(([, name]) => name).sort()).toEqual(names);
      for (const name of names) expect(await scene.live('v1', 'ServiceAccount', name)).toBeUndefined();
    },
  );

  it.each([true, false])(
    'deletes workloads, and their pods before what these use; pods may be listed: %s',
    async (mayList) => {
      const names = ['a', 'b'];
      await scene.deploy([configMap('settings'), ...names.map((name) => deployment(name, 2))], { wait: true });
      const { client } = scene;
      const pod = await client.findKind('v1', 'Pod');
      if (!pod) throw new Error('no Pod');
      const pods = async () => (await client.list(pod, { namespace: scene.namespace })).length;
      expect(await pods()).toBe(4);
      const [remove, list] = [client.delete.bind(client), client.listMetadata.bind(client)];
      const deleted: string[] = [];
      let left: number | undefined;
      client.delete = async (kind, name, namespace, options) => {
        if (kind.kind === 'ConfigMap') left = await pods();
        deleted.push(`${name} ${options?.propagation}`);
        return remove(kind, name, namespace, options);
      };
      client.listMetadata = (kind, options) =>
        kind.kind === 'Pod' && !mayList
          ? Promise.reject(new ClusterError('forbidden', 'pods is forbidden', { answered: 403 }))
          : list(kind, options);
      expect(outcomes(await scene.undeploy())).toEqual([
        ...names.map((name) => `Deployment/${name}: deleted`),
        'ConfigMap/settings: deleted',
      ]);
      expect(left).toBe(0);
      const propagation = mayList ? 'Background' : 'Foreground';
      expect(deleted).toEqual([...names.map((name) => `${name} ${propagation}`), 'settings Background']);
    },
  );

  describe('of a workload whose pods remain', () => {
    const HELD = ['example.com/hold'];
    const ofKind = async (kind: string) => {
      const found = await scene.client.findKind(kind === 'Pod' ? 'v1' : 'apps/v1', kind);
      if (!found) throw new Error(`no ${kind}`);
      return found;
    };
    const release = async (kind: string, name: string) =>
      scene.client.patch(await ofKind(kind), name, scene.namespace, {
        ...{ type: 'merge', body: { metadata: { finalizers: null } } },
      });
    const ownedBy = ({ apiVersion, kind, metadata: { name, uid = '' } }: KubernetesObject) => ({
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    });

    it('waits for a ReplicaSet without pods, also for one that is created meanwhile', async () => {
      const web = deployment('web', 0);
      await scene.deploy([web]);
      const live = await scene.live('apps/v1', 'Deployment', 'web');
      if (!live) throw new Error('no Deployment');
      const { client } = scene;
      const remove = client.delete.bind(client);
      client.delete = async (...of) => {
        client.delete = remove;
        const metadata = { name: 'late', labels: { app: 'web' }, finalizers: HELD, ...ownedBy(live) };
        await scene.others({ ...web, kind: 'ReplicaSet', metadata });
        return remove(...of);
      };
      const stuck = await scene.undeploy({ timeoutMs: 1_500 });
      expect(outcomes(stuck)).toEqual(['Deployment/web: failed STUCK']);
      expect(stuck.resources[0]?.error?.detail).toContain('its ReplicaSet late is not gone');
      expect(await scene.live('apps/v1', 'Deployment', 'web')).toBeUndefined();
      await release('ReplicaSet', 'late');
    });

    it('waits for them also in another replica, when the workload and its ReplicaSet are gone', async () => {
      await scene.deploy([configMap('settings'), deployment('web', 0)]);
      const sets = await ofKind('ReplicaSet');
      const findSet = async () => (await scene.client.list(sets, { namespace: scene.namespace }))[0];
      await until(async () => (await findSet()) !== undefined);
      const set = await findSet();
      if (!set) throw new Error('no ReplicaSet');
      const { labels } = set.metadata;
      const metadata = { name: 'slow', labels, finalizers: HELD, ...ownedBy(set) };
      const spec = { schedulerName: 'none', containers: [{ name: 'app', image: 'app:1' }] };
      await scene.others({ apiVersion: 'v1', kind: 'Pod', metadata, spec });
      const journal = new MemoryJournal();
      await scene.undeploy({ timeoutMs: 1_500 }, journal);
      await until(async () => (await findSet()) === undefined);
      journal.changes = JSON.parse(JSON.stringify(journal.changes)) as AppliedChange[];
      const stuck = await scene.undeploy({ timeoutMs: 1_500 }, journal);
      expect(stuck.resources.map(({ name, error }) => [name, error?.detail])).toContainEqual([
        ...['web', 'The object is being deleted but not gone yet; its pod slow is not gone'],
      ]);
      await release('Pod', 'slow');
      expect(outcomes(await scene.undeploy({}, journal)).sort()).toEqual([
        'ConfigMap/settings: deleted',
        'Deployment/web: deleted',
      ]);
    });
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
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${scene.namespace}-own` } };
    await scene.deploy([configMap('held'), namespace]);
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
    expect(waited).toEqual([
      ['held', 'The object is being deleted but not gone yet'],
      ['held', 'The object is being deleted but not gone yet; it waits for example.com/hold'],
    ]);
    expect(result).toMatchObject({ status: 'failed', failure: { status: 504 } });
    expect(outcomes(result)).toEqual(['ConfigMap/held: failed STUCK', `Namespace/${scene.namespace}-own: skipped`]);
    expect(result.resources[0]?.error?.detail).toContain('example.com/hold');
    const [resource] = (await scene.plan([configMap('held')])).items;
    expect(resource?.planned.error?.reason).toBe('TERMINATING');
    await hold([]);
    expect((await scene.undeploy()).status).toBe('undeployed');
  });

  it('stops when it is cancelled', async () => {
    await scene.deploy([deployment('web', 1), configMap('a')]);
    const abort = new AbortController();
    const result = await scene.undeploy({ signal: abort.signal, onProgress: () => abort.abort() });
    expect(result.status).toBe('cancelled');
    expect(outcomes(result)).toEqual(['Deployment/web: deleting', 'ConfigMap/a: skipped']);
  });

  it.each(['a namespace', 'a definition'])(
    'is taken back with what it has deleted: %s and its contents',
    async (what) => {
      const namespace = `${scene.namespace}-own`;
      const { definition, object } = customKind();
      const objects =
        what === 'a namespace'
          ? [
              { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
              configMap('a', { a: 'kept' }, { namespace }),
            ]
          : [definition, object('gadget', { size: 3 }), deployment('web', 1)];
      expect(await scene.deploy(objects)).toMatchObject({ status: 'succeeded' });
      const journal = new MemoryJournal();
      const undeployed = await scene.undeploy({ undoable: true, timeoutMs: 60_000 }, journal);
      expect(undeployed.status).toBe('undeployed');
      expect(outcomes(await scene.undo(undeployed, journal)).sort()).toEqual(
        objects.map(({ kind, metadata }) => `${kind}/${metadata.name}: rolled_back`).sort(),
      );
      expect((await scene.plan(objects)).items.map(({ planned }) => planned.error ?? planned.action)).toEqual(
        objects.map(() => 'unchanged'),
      );
    },
    120_000,
  );

  it('is taken back where it was stopped, and says what cannot be', async () => {
    const claim = {
      ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' } },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
    };
    const name = `${scene.namespace}-own`;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await scene.deploy([configMap('a'), configMap('taken'), claim, namespace]);
    const uid = (await scene.live('v1', 'Namespace', name))?.metadata.uid;
    const journal = new MemoryJournal();
    const abort = new AbortController();
    const onProgress = ({ name, status }: ResourceResult) => {
      if (name === 'taken' && status === 'deleted') abort.abort();
    };
    const options = { undoable: true, deleteVolumes: true, signal: abort.signal, onProgress };
    const stopped = await scene.undeploy(options, journal);
    expect(stopped.status).toBe('cancelled');
    const others = await scene.others(configMap('taken', { a: 'theirs' }));
    const undone = await scene.undo(stopped, journal);
    expect(outcomes(undone).sort()).toEqual([
      'ConfigMap/a: rolled_back',
      'ConfigMap/taken: deleted NOT_TAKEN_BACK',
      `Namespace/${name}: skipped`,
      'PersistentVolumeClaim/data: deleted NOT_TAKEN_BACK',
    ]);
    expect((await scene.live('v1', 'ConfigMap', 'a'))?.['data']).toEqual({ a: '1' });
    expect(await scene.live('v1', 'ConfigMap', 'taken')).toEqual(others);
    expect((await scene.live('v1', 'Namespace', name))?.metadata.uid).toBe(uid);
    expect(await scene.live('v1', 'PersistentVolumeClaim', 'data')).toBeDefined();
    await scene.undeploy({ deleteVolumes: true });
  }, 60_000);
});
