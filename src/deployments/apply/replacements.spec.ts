import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import { configMap, DeploymentScene, MemoryJournal, outcomes } from '../../../test/support/deployment-scene.js';
import { requires } from '../../../test/support/requirements.js';
import { until } from '../../../test/support/until.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { plannedResources } from '../plan/plan.js';

requires('KUBEBUILDER_ASSETS', 'A deployment', () => {
  let cluster: Cluster;
  let scene: DeploymentScene;

  beforeAll(async () => {
    cluster = await sharedCluster();
  }, 60_000);

  beforeEach(async () => {
    scene = await DeploymentScene.open(cluster.kubeconfig);
  });

  afterEach(() => scene.close());

  const live = (kind: string, name: string) => scene.live(kind === 'StatefulSet' ? 'apps/v1' : 'v1', kind, name);
  const uidOf = async (kind: string, name: string) => (await live(kind, name))?.metadata.uid;

  const settings = (colour: string): KubernetesObject => ({ ...configMap('settings', { colour }), immutable: true });
  const claim = (size: string, annotations = {}): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', annotations },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
  });
  const set = (name: string): KubernetesObject => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name },
    spec: {
      serviceName: name,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
        },
      ],
    },
  });
  const claimsExist = (name: string) =>
    until(async () => (await live('PersistentVolumeClaim', name)) !== undefined, 20_000);

  describe('that may replace', () => {
    it('recreates only what cannot be updated in place, as planned', async () => {
      await scene.deploy([settings('blue')]);
      const before = await uidOf('ConfigMap', 'settings');
      expect(outcomes(await scene.deploy([settings('red')]))).toEqual(['ConfigMap/settings: failed IMMUTABLE']);
      expect(await uidOf('ConfigMap', 'settings')).toBe(before);

      const [planned] = plannedResources(await scene.plan([settings('red')], { replace: true }));
      expect(planned).toMatchObject({
        action: 'update',
        replaces: true,
        verified: false,
        diff: [{ path: '/data/colour', from: 'blue', to: 'red' }],
      });
      const result = await scene.deploy([settings('red')], { replace: true });
      expect(outcomes(result)).toEqual(['ConfigMap/settings: applied']);
      expect((await live('ConfigMap', 'settings'))?.data).toEqual({ colour: 'red' });
      expect(await uidOf('ConfigMap', 'settings')).not.toBe(before);
      const kept = await uidOf('ConfigMap', 'settings');
      await scene.deploy([settings('red')], { replace: true });
      expect(await uidOf('ConfigMap', 'settings')).toBe(kept);
    });

    it('restores the previous object when something fails later', async () => {
      await scene.deploy([settings('blue')]);
      const service = (name: string): KubernetesObject => ({
        ...{ apiVersion: 'v1', kind: 'Service', metadata: { name } },
        spec: { ports: [{ port: 80 }] },
      });
      const noMoreServices = () => scene.setQuota({ 'count/services': '0' }, service('refused'));
      const result = await scene.deploy([settings('red'), service('one')], { replace: true }, noMoreServices);
      expect(outcomes(result)).toEqual(['ConfigMap/settings: rolled_back', 'Service/one: failed QUOTA_EXCEEDED']);
      expect((await live('ConfigMap', 'settings'))?.data).toEqual({ colour: 'blue' });
      expect(outcomes(await scene.deploy([settings('blue')]))).toEqual(['ConfigMap/settings: unchanged']);
    });

    it('never recreates a volume claim, or an object to be kept', async () => {
      await scene.deploy([claim('2Mi')]);
      const before = await uidOf('PersistentVolumeClaim', 'data');
      const refused = await scene.deploy([claim('1Mi')], { replace: true });
      expect(refused.resources[0]?.error?.detail).toContain('It is not replaced: It is kept with the data');
      expect(await uidOf('PersistentVolumeClaim', 'data')).toBe(before);
    });

    it('reports what blocks the deletion of the object, and restores everything', async () => {
      const held = settings('blue');
      await scene.deploy([held]);
      const kind = await scene.client.findKind('v1', 'ConfigMap');
      if (!kind) throw new Error('no ConfigMap');
      const finalizers = (names: string[]) =>
        scene.client.patch(kind, 'settings', scene.namespace, {
          type: 'merge',
          body: { metadata: { finalizers: names } },
        });
      await finalizers(['example.com/never']);
      const plan = await scene.plan([settings('red')], { replace: true });
      const result = await scene.apply(plan, { timeoutMs: 2_000, undoTimeoutMs: 2_000 });
      expect(result).toMatchObject({ status: 'failed' });
      expect(JSON.stringify(result.resources)).toMatch(/example\.com\/never/);
      await finalizers([]);
    }, 30_000);
  });

  describe('that removes', () => {
    it('keeps volume claims and objects that are marked to be kept, and reports them', async () => {
      const keep = (name: string, annotation: string, value: string) =>
        configMap(name, {}, { annotations: { [annotation]: value } });
      const kept = [
        keep('helm', 'helm.sh/resource-policy', 'keep'),
        keep('argo', 'argocd.argoproj.io/sync-options', 'Validate=false, Prune=false'),
        keep('own', 'armature.dev/keep', 'true'),
        claim('1Mi'),
      ];
      await scene.deploy([...kept, configMap('plain')]);
      const pruned = await scene.deploy([]);
      expect(outcomes(pruned).sort()).toEqual([
        'ConfigMap/argo: kept',
        'ConfigMap/helm: kept',
        'ConfigMap/own: kept',
        'ConfigMap/plain: deleted',
        'PersistentVolumeClaim/data: kept',
      ]);
      expect(pruned.resources.find(({ name }) => name === 'argo')).toMatchObject({
        action: 'unchanged',
        message: 'It is kept because of its annotation argocd.argoproj.io/sync-options',
      });
      const undeployed = await scene.undeploy();
      expect(undeployed.status).toBe('undeployed');
      expect(outcomes(undeployed).sort()).toEqual([
        'ConfigMap/argo: kept',
        'ConfigMap/helm: kept',
        'ConfigMap/own: kept',
        'PersistentVolumeClaim/data: kept',
      ]);
      expect(outcomes(await scene.deploy(kept))).toEqual(
        kept.map(({ kind, metadata }) => `${kind}/${metadata.name}: unchanged`),
      );
      const whole = await scene.undeploy({ deleteVolumes: true });
      expect(outcomes(whole)).toContain('PersistentVolumeClaim/data: deleted');
      expect(outcomes(whole)).toContain('ConfigMap/helm: kept');
    }, 30_000);

    it('keeps the claims of a StatefulSet with their namespace, unless volumes are deleted', async () => {
      const name = `${scene.namespace}-data`;
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      const placed = { ...set('db'), metadata: { name: 'db', namespace: name } };
      await scene.deploy([namespace, placed]);
      await until(
        async () => (await scene.live('v1', 'PersistentVolumeClaim', 'data-db-0', name)) !== undefined,
        20_000,
      );
      const first = await scene.undeploy();
      expect(first.status).toBe('undeployed');
      expect(outcomes(first)).toEqual([
        'StatefulSet/db: deleted',
        'PersistentVolumeClaim/data-db-0: kept',
        `Namespace/${name}: kept`,
      ]);
      await scene.deploy([namespace, placed]);
      const second = await scene.undeploy({ deleteVolumes: true });
      expect(outcomes(second)).toContain('PersistentVolumeClaim/data-db-0: deleted');
      expect(await scene.live('v1', 'Namespace', name)).toBeUndefined();
    }, 60_000);

    it('leaves what others have made by the name of an object that it has pruned, when it is taken back', async () => {
      await scene.deploy([configMap('a'), configMap('b')]);
      const journal = new MemoryJournal();
      const pruned = await scene.apply(await scene.plan([configMap('b')]), {}, journal);
      await scene.others(configMap('a', { a: 'theirs' }));
      const undone = await scene.undo({ ...pruned, status: 'failed' }, journal);
      expect(outcomes(undone)).toContain('ConfigMap/a: deleted NOT_TAKEN_BACK');
      expect((await live('ConfigMap', 'a'))?.['data']).toEqual({ a: 'theirs' });
    });

    it('deletes an object as it was read, and reads it again when it has changed', async () => {
      await scene.deploy([configMap('a')]);
      const { client } = scene;
      const remove = client.delete.bind(client);
      client.delete = async (kind, name, namespace, options) => {
        if (options?.dryRun) return remove(kind, name, namespace, options);
        client.delete = remove;
        await scene.others(configMap('a', { b: '2' }, { annotations: { 'armature.dev/keep': 'true' } }));
        return remove(kind, name, namespace, options);
      };
      expect(outcomes(await scene.deploy([]))).toEqual(['ConfigMap/a: kept']);
      expect((await live('ConfigMap', 'a'))?.['data']).toEqual({ a: '1', b: '2' });
    });

    it('deletes the claims of a StatefulSet of a failed deployment', async () => {
      const last: KubernetesObject = {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'last' },
        spec: { defaultBackend: { service: { name: 'web', port: { number: 80 } } } },
      };
      const plan = await scene.plan([set('web'), last]);
      const abort = new AbortController();
      const result = await scene.apply(plan, {
        signal: abort.signal,
        onProgress: async ({ name }) => {
          if (name !== 'web') return;
          await claimsExist('data-web-0');
          abort.abort();
        },
      });
      expect(result.status).toBe('cancelled');
      await until(async () => (await live('PersistentVolumeClaim', 'data-web-0')) === undefined, 20_000);
    }, 60_000);

    it('keeps a namespace that left the design while it contains its objects', async () => {
      const name = `${scene.namespace}-inner`;
      const inside = configMap('inside', {}, { namespace: name });
      await scene.deploy([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, inside]);
      expect(outcomes(await scene.deploy([inside]))).toEqual([
        'ConfigMap/inside: unchanged',
        `Namespace/${name}: kept`,
      ]);
      expect(outcomes(await scene.deploy([]))).toEqual(['ConfigMap/inside: deleted', `Namespace/${name}: deleted`]);
    });
  });

  describe('into a namespace', () => {
    it('creates and owns a missing namespace, and leaves that of others', async () => {
      const namespace = `${scene.namespace}-made`;
      expect(outcomes(await scene.deploy([configMap('a')], { namespace }))).toEqual([
        'ConfigMap/a: failed NAMESPACE_NOT_FOUND',
      ]);
      expect(outcomes(await scene.deploy([configMap('a')], { namespace, createNamespace: true }))).toEqual([
        'ConfigMap/a: applied',
        `Namespace/${namespace}: applied`,
      ]);
      expect(outcomes(await scene.deploy([configMap('a')], { namespace }))).toEqual([
        'ConfigMap/a: unchanged',
        `Namespace/${namespace}: kept`,
      ]);
      expect(outcomes(await scene.undeploy())).toEqual(['ConfigMap/a: deleted', `Namespace/${namespace}: deleted`]);
      const named = configMap('a', {}, { namespace });
      expect(outcomes(await scene.deploy([named], { namespace, createNamespace: true }))).toEqual([
        'ConfigMap/a: applied',
        `Namespace/${namespace}: applied`,
      ]);
      expect(outcomes(await scene.deploy([named]))).toEqual(['ConfigMap/a: unchanged', `Namespace/${namespace}: kept`]);
      expect(outcomes(await scene.undeploy())).toEqual(['ConfigMap/a: deleted', `Namespace/${namespace}: deleted`]);
      const theirs = await scene.deploy([configMap('a')], { createNamespace: true });
      expect(outcomes(theirs)).toEqual(['ConfigMap/a: applied']);
    });
  });
});
