import { type Cluster, sharedCluster } from '../../../test/support/cluster.js';
import {
  configMap,
  customKind,
  deployment,
  DeploymentScene,
  outcomes,
} from '../../../test/support/deployment-scene.js';
import { requires } from '../../../test/support/requirements.js';
import { until } from '../../../test/support/until.js';
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';
import { type KeptObject } from './kept-objects.js';
import { type Plan, plannedResources } from './plan.js';

requires('KUBEBUILDER_ASSETS', 'A deletion', () => {
  let cluster: Cluster;
  let scene: DeploymentScene;

  beforeAll(async () => {
    cluster = await sharedCluster();
  }, 60_000);
  beforeEach(async () => {
    scene = await DeploymentScene.open(cluster.kubeconfig);
  });
  afterEach(() => scene.close());

  const summary = (plan: Plan) =>
    plannedResources(plan)
      .map(({ kind, name, action, kept, error }) =>
        [kind, name, action, kept ?? error?.reason].filter(Boolean).join(' '),
      )
      .sort();
  const ownedBy = (object: KubernetesObject, { apiVersion, kind, metadata }: KubernetesObject): KubernetesObject => ({
    ...object,
    metadata: {
      ...object.metadata,
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '' }],
    },
  });
  const isGone = async (apiVersion: string, kind: string, name: string) =>
    (await scene.live(apiVersion, kind, name))?.metadata.deletionTimestamp !== undefined ||
    (await scene.live(apiVersion, kind, name)) === undefined;

  describe('of a definition', () => {
    it('leaves it while an owner of a custom resource of others stays', async () => {
      const { definition, object } = customKind();
      const { name } = definition.metadata;
      await scene.deploy([definition, configMap('a')]);
      const foreign = await scene.others(ownedBy(object('precious'), await scene.others(configMap('owner'))));
      const reason = `The definition is used by objects that this deployment does not own: Gadget ${scene.namespace}/precious`;
      expect(summary(await scene.plan([configMap('a')]))).toEqual([
        'ConfigMap a unchanged',
        `CustomResourceDefinition ${name} unchanged ${reason}`,
      ]);
      expect(outcomes(await scene.deploy([configMap('a')]))).toContain(`CustomResourceDefinition/${name}: kept`);
      expect(outcomes(await scene.undeploy())).toContain(`CustomResourceDefinition/${name}: skipped FOREIGN_CONTENT`);
      expect((await scene.live(foreign.apiVersion, 'Gadget', 'precious'))?.metadata.uid).toBe(foreign.metadata.uid);
    });

    it('deletes it with the resources whose owners are deleted by the same operation, or are gone', async () => {
      const { definition, object } = customKind();
      const owner = deployment('web', 0);
      await scene.deploy([definition, owner]);
      const live = await scene.live('apps/v1', 'Deployment', 'web');
      await scene.others(ownedBy(object('dependent'), live ?? owner));
      const { name } = definition.metadata;
      expect(summary(await scene.plan([]))).toEqual([`CustomResourceDefinition ${name} prune`, 'Deployment web prune']);
      expect(outcomes(await scene.undeploy())).toEqual([
        'Deployment/web: deleted',
        `CustomResourceDefinition/${name}: deleted`,
      ]);
    });
  });

  describe('of a volume', () => {
    const volume = (name: string, path = '/tmp/data'): KubernetesObject => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: name,
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path },
      },
    });
    const claim = (name: string): KubernetesObject => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: name, resources: { requests: { storage: '1Gi' } } },
    });
    const bound = async () => {
      const name = `volume-${scene.namespace}`;
      await scene.deploy([volume(name), claim(name)]);
      await until(
        async () =>
          ((await scene.live('v1', 'PersistentVolumeClaim', 'data'))?.status as { phase?: string } | undefined)?.phase === 'Bound', // prettier-ignore
        20_000,
      );
      return name;
    };

    it('keeps it with the claim that is bound to it, by undeploy and prune', async () => {
      const name = await bound();
      const reason = `It is kept because the volume claim ${scene.namespace}/data is bound to it`;
      expect(summary(await scene.plan([]))).toEqual([
        `PersistentVolume ${name} unchanged ${reason}`,
        expect.stringMatching('PersistentVolumeClaim data unchanged It is kept with the data') as string,
      ]);
      expect(summary(await scene.plan([claim(name)], { deleteVolumes: true }))).toContain(
        `PersistentVolume ${name} unchanged ${reason}`,
      );
      const undeployed = await scene.undeploy();
      expect(undeployed.status).toBe('undeployed');
      expect(outcomes(undeployed)).toEqual(['PersistentVolumeClaim/data: kept', `PersistentVolume/${name}: kept`]);
      expect(await isGone('v1', 'PersistentVolume', name)).toBe(false);
    }, 40_000);

    it('deletes the claim first when volumes are deleted', async () => {
      const name = await bound();
      expect(summary(await scene.plan([], { deleteVolumes: true }))).toEqual([
        `PersistentVolume ${name} prune`,
        'PersistentVolumeClaim data prune',
      ]);
      expect(outcomes(await scene.undeploy({ deleteVolumes: true }))).toEqual([
        'PersistentVolumeClaim/data: deleted',
        `PersistentVolume/${name}: deleted`,
      ]);
    }, 40_000);

    it('does not replace it while a claim is bound to it, and does not take it back then', async () => {
      const name = await bound();
      const [planned] = plannedResources(
        await scene.plan([volume(name, '/tmp/other'), claim(name)], { replace: true }),
      );
      expect(planned?.error).toMatchObject({
        reason: 'IMMUTABLE',
        detail: expect.stringContaining('It is not replaced: It is kept because the volume claim') as string,
      });
      await scene.undeploy({ deleteVolumes: true });

      const service = {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'last' },
        spec: { ports: [{ port: 80 }] },
      };
      const plan = await scene.plan([volume(name), service]);
      const last = plan.items[1];
      if (last?.desired) last.desired = { ...last.desired, spec: { ports: [{ port: 'x' }] } };
      const result = await scene.apply(plan, {
        onProgress: async (resource) => {
          if (resource.name !== name || resource.status !== 'applied') return;
          await scene.others(claim(name));
          await until(async () => JSON.stringify(await scene.live('v1', 'PersistentVolume', name)).includes('"Bound"'));
        },
      });
      expect(result.resources[0]).toMatchObject({
        error: { reason: 'NOT_TAKEN_BACK', detail: expect.stringContaining('is bound to it') as string },
      });
      expect(await isGone('v1', 'PersistentVolume', name)).toBe(false);
    }, 60_000);

    it('keeps a claim that a pod of others uses, also when volumes are deleted', async () => {
      const name = await bound();
      await scene.others({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'reader' },
        spec: {
          containers: [{ name: 'app', image: 'app:1' }],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
        },
      });
      const undeployed = await scene.undeploy({ deleteVolumes: true });
      expect(outcomes(undeployed)).toEqual(['PersistentVolumeClaim/data: kept', `PersistentVolume/${name}: kept`]);
      expect(undeployed.resources[0]?.message).toBe('It is kept because the pod reader uses it');
    }, 40_000);
  });

  describe('of the claims of a StatefulSet', () => {
    const set = (retention?: object): KubernetesObject => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db' },
      spec: {
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: { metadata: { labels: { app: 'db' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
          },
        ],
        ...retention,
      },
    });
    const claimed = async (wanted = set()): Promise<KeptObject> => {
      await scene.deploy([wanted]);
      let uid: string | undefined;
      await until(async () => {
        uid = (await scene.live('v1', 'PersistentVolumeClaim', 'data-db-0'))?.metadata.uid;
        return uid !== undefined;
      }, 20_000);
      const { namespace } = scene;
      return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: 'data-db-0', uid, isGenerated: true };
    };

    it('names them as long as they are there, after the set has left, and deletes them when that is asked for', async () => {
      const kept = [await claimed()];
      const pruned = await scene.deploy([]);
      expect(outcomes(pruned)).toEqual(['StatefulSet/db: deleted', 'PersistentVolumeClaim/data-db-0: kept']);
      expect(summary(await scene.plan([configMap('a')], { kept }))).toEqual([
        'ConfigMap a create',
        expect.stringContaining('PersistentVolumeClaim data-db-0 unchanged It is kept with the data') as string,
      ]);
      expect(outcomes(await scene.undeploy({ kept }))).toEqual(['PersistentVolumeClaim/data-db-0: kept']);
      const deleted = await scene.undeploy({ kept, deleteVolumes: true });
      expect(outcomes(deleted)).toEqual(['PersistentVolumeClaim/data-db-0: deleted']);
      expect(summary(await scene.plan([], { kept }))).toEqual([]);
    }, 40_000);

    it('never deletes those that the set in the design uses again', async () => {
      const kept = [await claimed()];
      await scene.deploy([]);
      expect(summary(await scene.plan([set()], { kept, deleteVolumes: true }))).toEqual(['StatefulSet db create']);
      const another = [{ ...kept[0], uid: '00000000-0000-4000-8000-000000000000' } as KeptObject];
      expect(summary(await scene.plan([], { kept: another, deleteVolumes: true }))).toEqual([]);
    }, 40_000);

    it('leaves those that were there before to whoever had them, recorded or not', async () => {
      const kept = [await claimed()];
      await scene.undeploy();
      const uid = kept[0]?.uid ?? '';
      const createdAt = (await scene.live('v1', 'PersistentVolumeClaim', 'data-db-0'))?.metadata.creationTimestamp;
      await until(() => Date.now() > Date.parse(createdAt ?? '') + 1_000);
      const findOthers = (uids: string[]) => Promise.resolve(new Set(uids.filter((one) => one === uid)));
      for (const records of [{ findOthers }, {}]) {
        const another = scene.another();
        await another.deploy([set()], { ...records, deleteVolumes: true });
        expect((await another.plan([set()], records)).unlabelled).toEqual([]);
        expect(summary(await another.plan([], { ...records, deleteVolumes: true }))).toEqual(['StatefulSet db prune']);
        // Its owner deletes it as little while a set of others is there for it.
        expect(outcomes(await scene.undeploy({ kept, deleteVolumes: true }))).toEqual([
          'PersistentVolumeClaim/data-db-0: kept',
        ]);
        const undeployed = await another.undeploy({ ...records, deleteVolumes: true });
        expect(outcomes(undeployed)).toEqual(['StatefulSet/db: deleted']);
      }
      expect((await scene.live('v1', 'PersistentVolumeClaim', 'data-db-0'))?.metadata).toMatchObject({ uid });
      expect(outcomes(await scene.undeploy({ kept, deleteVolumes: true }))).toEqual([
        'PersistentVolumeClaim/data-db-0: deleted',
      ]);
    }, 60_000);

    it('knows those of a set that is made anew', async () => {
      const kept = [await claimed()];
      expect((await scene.plan([set()])).unlabelled).toEqual(kept);
      await scene.deploy([]);
      await until(async () => (await scene.live('apps/v1', 'StatefulSet', 'db')) === undefined);
      const { uid } = kept[0] ?? {};
      const createdAt = (await scene.live('v1', 'PersistentVolumeClaim', 'data-db-0'))?.metadata.creationTimestamp;
      await until(() => Date.now() > Date.parse(createdAt ?? '') + 1_000);
      await scene.deploy([set()], { kept });
      expect((await scene.plan([set()], { kept })).unlabelled).toEqual([expect.objectContaining({ uid })]);
      expect(summary(await scene.plan([], { kept, deleteVolumes: true }))).toEqual([
        'PersistentVolumeClaim data-db-0 prune',
        'StatefulSet db prune',
      ]);
    }, 40_000);

    it('says of those that go with the set that they are deleted', async () => {
      await claimed(set({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' } }));
      await until(async () =>
        JSON.stringify(await scene.live('v1', 'PersistentVolumeClaim', 'data-db-0')).includes('ownerReferences'),
      );
      expect(outcomes(await scene.undeploy())).toEqual([
        'StatefulSet/db: deleted',
        'PersistentVolumeClaim/data-db-0: deleted',
      ]);
    }, 40_000);
  });

  describe('that the cluster forbids', () => {
    it('makes the plan undeployable, for prune and replace', async () => {
      await scene.deploy([configMap('a'), { ...configMap('fixed'), immutable: true }]);
      const name = `no-deletion-${scene.namespace}`;
      const policy: KubernetesObject = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name },
        spec: {
          matchConstraints: {
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': scene.namespace } },
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] },
            ],
          },
          validations: [{ expression: 'false', message: 'nothing is deleted here' }],
        },
      };
      const binding: KubernetesObject = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name },
        spec: { policyName: name, validationActions: ['Deny'] },
      };
      for (const object of [policy, binding]) await scene.others(object);
      try {
        const changed = { ...configMap('fixed', { a: '2' }), immutable: true };
        let planned: ReturnType<typeof plannedResources> = [];
        await until(async () => {
          planned = plannedResources(await scene.plan([changed], { replace: true }));
          return planned.every(({ error }) => error !== undefined);
        }, 20_000);
        expect(planned).toMatchObject([
          {
            name: 'fixed',
            action: 'update',
            error: { detail: expect.stringContaining('nothing is deleted here') as string },
          },
          {
            name: 'a',
            action: 'prune',
            error: { detail: expect.stringContaining('nothing is deleted here') as string },
          },
        ]);
        const result = await scene.deploy([configMap('new')]);
        expect(result.status).toBe('failed');
        expect(await scene.live('v1', 'ConfigMap', 'new')).toBeUndefined();
      } finally {
        for (const { apiVersion, kind } of [binding, policy]) {
          const served = await scene.client.findKind(apiVersion, kind);
          if (served) await scene.client.delete(served, name, undefined);
        }
      }
    }, 40_000);
  });

  describe('of a definition from crds/ of a chart', () => {
    it('never happens: it is made where it is missing, used as it is elsewhere, and kept', async () => {
      const { definition, object } = customKind();
      const { name } = definition.metadata;
      const chartDefinitions = () =>
        Promise.resolve([{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name }]);
      const first = await scene.plan([definition, configMap('a')], {}, [definition]);
      expect(summary(first)).toEqual(['ConfigMap a create', `CustomResourceDefinition ${name} create`]);
      expect(outcomes(await scene.apply(first))).toEqual([
        `CustomResourceDefinition/${name}: applied`,
        'ConfigMap/a: applied',
      ]);
      const made = await scene.live('apiextensions.k8s.io/v1', 'CustomResourceDefinition', name);
      expect(made?.metadata.labels).toBeUndefined();

      const other = await DeploymentScene.open(cluster.kubeconfig);
      const newer = structuredClone(definition);
      const { versions } = newer['spec'] as { versions: object[] };
      versions.push({ ...versions[0], name: 'v2', storage: false });
      const second = await other.plan([newer, object('two')], {}, [newer]);
      expect(plannedResources(second)[0]).toMatchObject({
        action: 'unchanged',
        warnings: ['The definition is on the cluster already, and is used as it is; it does not serve v2, as that of the chart does'], // prettier-ignore
      });
      expect(outcomes(await other.apply(second))).toEqual([
        `CustomResourceDefinition/${name}: unchanged`,
        'Gadget/two: applied',
      ]);
      const v2 = { ...object('three'), apiVersion: object('x').apiVersion.replace('v1', 'v2') };
      const [, refused] = plannedResources(await other.plan([newer, v2], {}, [newer]));
      expect(refused?.error?.reason).toBe('UNKNOWN_KIND');

      const { namespace } = scene;
      const previous = [...(await chartDefinitions()), { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' }];
      const left = await scene.plan([], { previous, chartDefinitions });
      expect(summary(left)).toEqual([
        'ConfigMap a prune',
        `CustomResourceDefinition ${name} unchanged It is kept because definitions from crds/ of a chart belong to no release`,
      ]);
      const undeployed = await scene.undeploy({ previous, chartDefinitions: await chartDefinitions() });
      expect(outcomes(undeployed)).toEqual(['ConfigMap/a: deleted', `CustomResourceDefinition/${name}: kept`]);
      const now = await scene.live('apiextensions.k8s.io/v1', 'CustomResourceDefinition', name);
      expect(now?.metadata).toMatchObject({ uid: made?.metadata.uid, generation: 1 });
      await other.close();
    }, 40_000);

    it('does not happen when its deployment is taken back', async () => {
      const { definition } = customKind();
      const { name } = definition.metadata;
      const plan = await scene.plan([definition, configMap('last')], {}, [definition]);
      const last = plan.items[1];
      if (last?.desired) last.desired = { ...last.desired, data: { a: 1 } };
      const result = await scene.apply(plan);
      expect(result.status).toBe('rolled_back');
      expect(result.resources[0]).toMatchObject({
        name,
        status: 'kept',
        message: expect.stringContaining('crds/') as string,
      });
      expect(await isGone('apiextensions.k8s.io/v1', 'CustomResourceDefinition', name)).toBe(false);
    });
  });
});
