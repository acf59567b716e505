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
import { type KubernetesObject } from '../../kubernetes/clusters/kubernetes-object.js';

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

  /** The number of objects of a kind that are applied concurrently. */
  const AT_ONCE = 6;
  const MANY = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

  const data = async (name: string) => (await scene.live('v1', 'ConfigMap', name))?.data;
  const version = async (name: string) => (await scene.live('v1', 'ConfigMap', name))?.metadata.resourceVersion;

  const job = (name: string): KubernetesObject => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'app', image: 'app:1' }],
          tolerations: [{ operator: 'Exists' }],
        },
      },
    },
  });

  const noMoreJobs = () => scene.setQuota({ 'count/jobs.batch': '0' }, job('refused'));

  it('applies the plan, and labels objects with their owner', async () => {
    const result = await scene.deploy([configMap('a'), configMap('b')]);
    expect(result).toMatchObject({ status: 'succeeded' });
    expect(outcomes(result)).toEqual(['ConfigMap/a: applied', 'ConfigMap/b: applied']);
    expect((await scene.live('v1', 'ConfigMap', 'a'))?.metadata.labels).toEqual({
      'armature.dev/installation': scene.owner.installation,
      'armature.dev/design': scene.owner.design,
      'armature.dev/environment': scene.owner.environment,
      'armature.dev/connection': scene.owner.connection,
    });
  });

  it('does not change the resourceVersion when it is repeated', async () => {
    const objects = [
      configMap('a'),
      configMap('b'),
      { ...configMap('c'), kind: 'Secret', data: undefined, stringData: { k: 'v' } },
    ];
    await scene.deploy(objects);
    const before = await Promise.all(['a', 'b'].map(version));
    const result = await scene.deploy(objects);
    expect(outcomes(result)).toEqual(['ConfigMap/a: unchanged', 'ConfigMap/b: unchanged', 'Secret/c: unchanged']);
    expect(await Promise.all(['a', 'b'].map(version))).toEqual(before);
  });

  it('updates, and prunes what left the design', async () => {
    await scene.deploy([configMap('a'), configMap('b')]);
    await scene.others(configMap('foreign'));
    const result = await scene.deploy([configMap('a', { a: '2' })]);
    expect(outcomes(result)).toEqual(['ConfigMap/a: applied', 'ConfigMap/b: deleted']);
    expect([await data('a'), await data('b'), await data('foreign')]).toEqual([{ a: '2' }, undefined, { a: '1' }]);
  });

  it('leaves the fields of other managers alone', async () => {
    await scene.deploy([configMap('a', { ours: '1' })]);
    await scene.others(configMap('a', { theirs: '1' }));
    await scene.deploy([configMap('a', { ours: '2' })]);
    expect(await data('a')).toEqual({ ours: '2', theirs: '1' });
  });

  it('applies a namespace and a definition before their contents, regardless of their order in the design', async () => {
    const { definition, object } = customKind();
    const namespace = `${scene.namespace}-new`;
    const objects = [
      object('gadget'),
      configMap('inside', {}, { namespace }),
      definition,
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    ];
    const order: string[] = [];
    const result = await scene.deploy(objects, { onProgress: ({ kind }) => void order.push(kind) });
    expect(result).toMatchObject({ status: 'succeeded' });
    expect([...new Set(order)]).toEqual(['CustomResourceDefinition', 'Namespace', 'ConfigMap', 'Gadget']);
    expect(outcomes(await scene.deploy(objects))).toEqual([
      'Gadget/gadget: unchanged',
      'ConfigMap/inside: unchanged',
      `CustomResourceDefinition/${definition.metadata.name}: unchanged`,
      `Namespace/${namespace}: unchanged`,
    ]);
  });

  it('applies objects by the new version of a definition that changes with them', async () => {
    const { definition, object } = customKind();
    await scene.deploy([definition, object('gadget')]);
    const [version] = (
      definition.spec as {
        versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: object } } } } }[];
      }
    ).versions;
    Object.assign(version?.schema.openAPIV3Schema.properties.spec.properties ?? {}, { weight: { type: 'integer' } });
    const result = await scene.deploy([definition, object('gadget', { size: 1, weight: 7 })]);
    expect(result.status).toBe('succeeded');
    expect((await scene.live(object('x').apiVersion, 'Gadget', 'gadget'))?.spec).toEqual({ size: 1, weight: 7 });
  });

  it('does not start when an atomic plan has errors', async () => {
    const objects = [configMap('a'), configMap('b', { wrong: 1 })];
    const result = await scene.deploy(objects);
    expect(result).toMatchObject({ status: 'failed', failure: { status: 422 } });
    expect(outcomes(result)).toEqual(['ConfigMap/a: skipped', 'ConfigMap/b: failed INVALID']);
    expect(await data('a')).toBeUndefined();
  });

  it('applies what it can when it is not atomic, and then prunes nothing', async () => {
    await scene.deploy([configMap('old')]);
    const result = await scene.deploy([configMap('a'), configMap('b', { wrong: 1 })], { atomic: false });
    expect(result).toMatchObject({ status: 'failed', failure: { status: 422 } });
    expect(outcomes(result)).toEqual(['ConfigMap/a: applied', 'ConfigMap/b: failed INVALID', 'ConfigMap/old: skipped']);
    expect(await data('old')).toEqual({ a: '1' });
  });

  it('rolls everything back when something fails', async () => {
    await scene.deploy([configMap('changes', { keep: '1', drop: '1' }), configMap('stays')]);
    await scene.others(configMap('changes', { theirs: '1' }));
    const before = await version('stays');
    const wanted = [
      configMap('new'),
      configMap('changes', { keep: '2', more: '1' }),
      configMap('stays'),
      job('first'),
      job('second'),
    ];
    const hard = { 'count/jobs.batch': '1', 'count/secrets': '0' };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'refused' } };
    const result = await scene.deploy(wanted, {}, () => scene.setQuota(hard, secret));
    expect(result).toMatchObject({
      status: 'rolled_back',
      failure: { status: 422, detail: expect.stringContaining('exceeded quota') as string },
    });
    expect(outcomes(result).slice(0, 3)).toEqual([
      'ConfigMap/new: rolled_back',
      'ConfigMap/changes: rolled_back',
      'ConfigMap/stays: unchanged',
    ]);
    const jobs = result.resources.slice(3);
    expect(jobs.map(({ status }) => status).sort()).toEqual(['failed', 'rolled_back']);
    expect(jobs.find(({ error }) => error)).toMatchObject({ kind: 'Job', error: { reason: 'QUOTA_EXCEEDED' } });
    expect(await data('new')).toBeUndefined();
    expect(await data('changes')).toEqual({ keep: '1', drop: '1', theirs: '1' });
    expect(await version('stays')).toBe(before);
    for (const name of ['first', 'second']) expect(await scene.live('batch/v1', 'Job', name)).toBeUndefined();
    expect(outcomes(await scene.deploy([configMap('changes', { keep: '1', drop: '1' }), configMap('stays')]))).toEqual([
      'ConfigMap/changes: unchanged',
      'ConfigMap/stays: unchanged',
    ]);
  });

  it('restores the fields of other managers with their values', async () => {
    await scene.deploy([configMap('shared', { ours: '1', both: '1' })]);
    const kind = await scene.client.findKind('v1', 'ConfigMap');
    if (!kind) throw new Error('no ConfigMap');
    const edit = (body: Record<string, unknown>) =>
      scene.client.patch(kind, 'shared', scene.namespace, { type: 'merge', body }, { fieldManager: 'kubectl-edit' });
    await edit({ data: { both: 'theirs', alone: 'theirs' } });
    const wanted = [configMap('shared', { ours: '2', both: '2', alone: 'theirs', new: '2' }), job('one')];
    const result = await scene.deploy(wanted, { force: true }, noMoreJobs);
    expect(result.status).toBe('rolled_back');
    const live = await scene.live('v1', 'ConfigMap', 'shared');
    expect(live?.data).toEqual({ ours: '1', both: 'theirs', alone: 'theirs' });
    const fieldsOf = (manager: string) =>
      live?.metadata.managedFields?.find((one) => one.manager === manager)?.fieldsV1;
    expect(fieldsOf('armature')?.['f:data']).toEqual({ 'f:ours': {} });
    // Fields that their manager owned all the time get no other owner.
    expect(fieldsOf('kubectl-edit')?.['f:data']).toEqual({ 'f:alone': {} });
    expect(fieldsOf('armature-take-back')?.['f:data']).toEqual({ 'f:both': {} });
  });

  it('restores an adopted object', async () => {
    await scene.others(configMap('theirs', { a: 'theirs', b: 'theirs' }));
    const wanted = [configMap('theirs', { a: 'ours', c: 'ours' }), job('too-many')];
    const result = await scene.deploy(wanted, { adopt: true, force: true }, noMoreJobs);
    expect(result.status).toBe('rolled_back');
    const live = await scene.live('v1', 'ConfigMap', 'theirs');
    expect(live?.data).toEqual({ a: 'theirs', b: 'theirs' });
    expect(live?.metadata.labels).toBeUndefined();
    expect(live?.metadata.managedFields?.map(({ manager }) => manager)).not.toContain('armature');
  });

  it('restores pruned objects', async () => {
    await scene.deploy([configMap('kept'), configMap('pruned', { precious: '1' })]);
    const plan = await scene.plan([configMap('kept')]);
    const [, prune] = plan.items;
    if (!prune) throw new Error('nothing to prune');
    plan.items.push({
      ...prune,
      planned: { ...prune.planned, kind: 'Secret', name: 'other' },
      kind: { ...prune.kind, plural: 'nonsense' } as typeof prune.kind,
    });
    plan.items.reverse();
    const abort = new AbortController();
    const result = await scene.apply(plan, {
      signal: abort.signal,
      onProgress: ({ status }) => (status === 'deleted' ? abort.abort() : undefined),
    });
    expect(result.status).toBe('cancelled');
    expect(await data('pruned')).toEqual({ precious: '1' });
    expect(outcomes(await scene.deploy([configMap('kept'), configMap('pruned', { precious: '1' })]))).toEqual([
      'ConfigMap/kept: unchanged',
      'ConfigMap/pruned: unchanged',
    ]);
  });

  it('rolls back six objects of one kind concurrently, and kinds in reverse order', async () => {
    const { client } = scene;
    const remove = client.delete.bind(client);
    const order: string[] = [];
    let [running, most] = [0, 0];
    let release: () => void = () => undefined;
    const six = new Promise<void>((resolve) => (release = resolve));
    jest.spyOn(client, 'delete').mockImplementation(async (kind, name, ...rest) => {
      most = Math.max(most, ++running);
      if (running === 6) release();
      if (kind.kind === 'ConfigMap') await six;
      order.push(kind.kind);
      return remove(kind, name, ...rest).finally(() => running--);
    });
    const maps = Array.from({ length: 9 }, (_, index) => configMap(`many-${index}`));
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } };
    const journal = new MemoryJournal();
    await scene.apply(await scene.plan([account, ...maps]), {}, journal);
    await scene.undo({ status: 'failed', resources: [] }, journal);
    expect(most).toBe(6);
    expect(order).toEqual([...maps.map(() => 'ConfigMap'), 'ServiceAccount']);
    expect(await scene.live('v1', 'ConfigMap', 'many-8')).toBeUndefined();
  });

  it('stops when it is cancelled, and rolls back its changes', async () => {
    expect((await scene.deploy(MANY.map((name) => configMap(name)))).status).toBe('succeeded');
    const again = await scene.plan(MANY.map((name) => configMap(name, { a: '2' })));
    const stopped = new AbortController();
    const cancelled = await scene.apply(again, {
      signal: stopped.signal,
      onProgress: ({ status }) => (status === 'applied' ? stopped.abort() : undefined),
    });
    expect(cancelled.status).toBe('cancelled');
    expect(outcomes(cancelled)).toEqual(
      MANY.map((name, index) => `ConfigMap/${name}: ${index < AT_ONCE ? 'rolled_back' : 'skipped'}`),
    );
    for (const name of MANY) expect(await data(name)).toEqual({ a: '1' });
  });

  it('ends after its timeout', async () => {
    const plan = await scene.plan(MANY.map((name) => configMap(name)));
    const result = await scene.apply(plan, {
      timeoutMs: 3_000,
      onProgress: () => new Promise((done) => setTimeout(done, 3_100)),
    });
    expect(result).toMatchObject({ status: 'rolled_back', failure: { status: 504 } });
    for (const name of MANY) expect(await data(name)).toBeUndefined();
  });

  it('applies to the planned resource version, and compares again when it has changed', async () => {
    await scene.deploy([configMap('still'), configMap('moving')]);
    const plan = await scene.plan([configMap('still', { a: '2' }), configMap('moving', { a: '2' })]);
    await scene.others(configMap('moving', { theirs: '1' }));
    const asked: string[] = [];
    const { client } = scene;
    const [lookup, apply] = [client.lookup.bind(client), client.apply.bind(client)];
    client.lookup = async (kind, name, ...rest) => {
      asked.push(`read ${name}`);
      return lookup(kind, name, ...rest);
    };
    client.apply = async (kind, object, options) => {
      asked.push(`${options.dryRun ? 'try' : 'apply'} ${object.metadata.name}`);
      return apply(kind, object, options);
    };
    expect(outcomes(await scene.apply(plan))).toEqual(['ConfigMap/still: applied', 'ConfigMap/moving: applied']);
    expect([await data('still'), await data('moving')]).toEqual([{ a: '2' }, { a: '2', theirs: '1' }]);
    const of = (name: string) => asked.filter((one) => one.endsWith(name) && !one.startsWith('read still'));
    expect(of('still')).toEqual(['apply still']);
    expect(of('moving').slice(0, 4)).toEqual(['apply moving', 'read moving', 'try moving', 'apply moving']);
  });

  it('reads many objects by one list request, and runs one dry run for each existing one', async () => {
    await scene.deploy(MANY.map((name) => configMap(name)));
    const { client } = scene;
    const lookup = jest.spyOn(client, 'lookup');
    const apply = jest.spyOn(client, 'apply');
    const result = await scene.deploy(MANY.map((name) => configMap(name, { a: name === 'a' ? '2' : '1' })));
    expect(result.resources.filter(({ status }) => status === 'applied').map(({ name }) => name)).toEqual(['a']);
    expect(lookup).not.toHaveBeenCalled();
    expect(apply.mock.calls.filter(([, , { dryRun }]) => dryRun)).toHaveLength(MANY.length);
    expect(apply).toHaveBeenCalledTimes(MANY.length + 1);
  });

  it('creates each object by a dry run, a read and an apply, and records all of them in one write', async () => {
    const { client } = scene;
    const journal = new MemoryJournal();
    const [lookup, apply, record] = [
      jest.spyOn(client, 'lookup'),
      jest.spyOn(client, 'apply'),
      jest.spyOn(journal, 'record'),
    ];
    const plan = await scene.plan([...MANY.map((name) => configMap(name)), deployment('web')]);
    expect(lookup).not.toHaveBeenCalled();
    const result = await scene.apply(plan, {}, journal);
    expect(result.resources.filter(({ status }) => status === 'applied')).toHaveLength(MANY.length + 1);
    expect(lookup).toHaveBeenCalledTimes(MANY.length + 1);
    expect(apply).toHaveBeenCalledTimes(2 * (MANY.length + 1));
    expect(record).toHaveBeenCalledTimes(1);
    expect(journal.changes.map(({ name }) => name)).toEqual([...MANY, 'web']);
  });

  it('withdraws the records of what it did not come to', async () => {
    const { spec } = job('c');
    const later = { ...job('c'), kind: 'CronJob', spec: { schedule: '0 0 1 1 *', jobTemplate: { spec } } };
    const plan = await scene.plan([configMap('a'), job('b'), later]);
    await noMoreJobs();
    const journal = new MemoryJournal();
    const result = await scene.apply(plan, {}, journal);
    expect(outcomes(result)).toEqual([
      'ConfigMap/a: rolled_back',
      'Job/b: failed QUOTA_EXCEEDED',
      'CronJob/c: skipped',
    ]);
    expect(journal.changes.map(({ name }) => name)).toEqual(['a']);
  });

  it.each([false, true])(
    'leaves an object that another user created after the plan as it is, with force: %s',
    async (force) => {
      const plan = await scene.plan([configMap('a', { mine: '1' }), configMap('b', { both: 'ours' })], { force });
      await scene.others(configMap('a', { theirs: '1' }));
      await scene.others(configMap('b', { both: 'theirs' }));
      const result = await scene.apply(plan, { atomic: false });
      expect(outcomes(result)).toEqual(['ConfigMap/a: failed NOT_OWNED', 'ConfigMap/b: failed NOT_OWNED']);
      expect([await data('a'), await data('b')]).toEqual([{ theirs: '1' }, { both: 'theirs' }]);
      const { labels, managedFields } = (await scene.live('v1', 'ConfigMap', 'a'))?.metadata ?? {};
      expect([labels, managedFields?.map(({ manager }) => manager)]).toEqual([undefined, ['another-manager']]);
    },
  );

  it.each([false, true])(
    'leaves an object that another deployment created after the plan to it, with force: %s',
    async (force) => {
      const neighbour = scene.another();
      const plan = await scene.plan([configMap('a', { mine: '1' }), configMap('b')], { force });
      await neighbour.deploy([configMap('a', { theirs: '1' })]);
      const before = await scene.live('v1', 'ConfigMap', 'a');
      const result = await scene.apply(plan);
      expect(outcomes(result)).toContain('ConfigMap/a: failed NOT_OWNED');
      expect(await scene.live('v1', 'ConfigMap', 'a')).toEqual(before);
      expect(await data('b')).toBeUndefined();
    },
  );

  it('keeps two owners in one namespace apart', async () => {
    const neighbour = await DeploymentScene.open(cluster.kubeconfig);
    await scene.deploy([configMap('a')]);
    await neighbour.deploy([configMap('b')], { namespace: scene.namespace });
    await neighbour.deploy([], { namespace: scene.namespace, previous: undefined });
    expect([await data('a'), await data('b')]).toEqual([{ a: '1' }, undefined]);
    await neighbour.close();
  });

  describe('that waits', () => {
    it('succeeds when its workloads are ready', async () => {
      const result = await scene.deploy([deployment('web', 2), job('once')], { wait: true, waitTimeoutMs: 20_000 });
      expect(outcomes(result)).toEqual(['Deployment/web: ready', 'Job/once: ready']);
      expect(await scene.live('apps/v1', 'Deployment', 'web')).toMatchObject({ status: { availableReplicas: 2 } });
    });

    it('reports why they are not, and rolls them back', async () => {
      const result = await scene.deploy([deployment('web', 1, 'crash'), configMap('a')], {
        wait: true,
        waitTimeoutMs: 3_000,
      });
      expect(result).toMatchObject({ status: 'rolled_back', failure: { status: 422 } });
      expect(outcomes(result)).toEqual(['Deployment/web: failed NOT_READY', 'ConfigMap/a: rolled_back']);
      expect(result.resources[0]?.error?.detail).toMatch(
        /0 of 1 replicas are available; pod web-.*container app: CrashLoopBackOff/,
      );
      expect(await scene.live('apps/v1', 'Deployment', 'web')).toBeUndefined();
    });

    it('does not wait for a job that has failed', async () => {
      const failing = job('fails');
      Object.assign(failing.spec as object, { backoffLimit: 0 });
      Object.assign((failing.spec as { template: object }).template, {
        metadata: { labels: { 'test-pods': 'crash' } },
      });
      const started = performance.now();
      const result = await scene.deploy([failing], { wait: true, waitTimeoutMs: 25_000, atomic: false });
      expect(result.resources[0]).toMatchObject({
        status: 'failed',
        error: { reason: 'NOT_READY', detail: expect.stringContaining('BackoffLimitExceeded') as string },
      });
      expect(performance.now() - started).toBeLessThan(20_000);
    });

    const wait = { wait: true, waitTimeoutMs: 4_000 };

    it('does not succeed with a custom object at Ready=False, and does once it is True', async () => {
      const { definition, object } = customKind();
      const gadget = object('one');
      const statusOf = (status: string) => ({
        ...gadget,
        status: { conditions: [{ type: 'Ready', status, reason: 'Broken', message: 'no wheels' }] },
      });
      const [version] = (definition['spec'] as { versions: { schema: { openAPIV3Schema: { properties: object } } }[] })
        .versions;
      Object.assign(version?.schema.openAPIV3Schema.properties ?? {}, {
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      });
      await scene.deploy([definition, gadget]);
      await scene.others(statusOf('False'));
      const result = await scene.deploy([definition, gadget], { ...wait, atomic: false });
      expect(outcomes(result)).toEqual([
        expect.stringMatching(/^CustomResourceDefinition/),
        'Gadget/one: failed NOT_READY',
      ]);
      expect(result.resources[1]?.error?.detail).toBe('Broken: no wheels');
      await scene.others(statusOf('True'));
      expect(await scene.deploy([definition, gadget], wait)).toMatchObject({ status: 'succeeded' });
    });

    it('tells a claim that should bind from one that waits for a pod, and warns of what comes from elsewhere', async () => {
      const storageClass = (name: string, volumeBindingMode: string): KubernetesObject => ({
        ...{ apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' },
        metadata: { name: `${name}-${scene.namespace}` },
        ...{ provisioner: 'example.com/none', volumeBindingMode },
      });
      const claim = (name: string): KubernetesObject => ({
        ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name } },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName: `${name}-${scene.namespace}`,
        },
      });
      await scene.others(storageClass('at-once', 'Immediate'));
      await scene.others(storageClass('later', 'WaitForFirstConsumer'));
      const bound = await scene.deploy([claim('at-once')], wait);
      expect(bound).toMatchObject({ status: 'rolled_back' });
      expect(bound.resources[0]?.error).toEqual({ reason: 'NOT_READY', detail: 'It is not bound to a volume' });

      const balancer: KubernetesObject = {
        ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } },
        spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
      };
      const backend = { service: { name: 'web', port: { number: 80 } } };
      const ingress: KubernetesObject = {
        ...{ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web' } },
        spec: { defaultBackend: backend },
      };
      const design = [claim('later'), balancer, ingress];
      const result = await scene.deploy(design, { ...wait, waitTimeoutMs: 20_000 });
      expect(result).toMatchObject({ status: 'succeeded' });
      expect(result.resources.map(({ kind, status, message }) => [kind, status, message])).toEqual([
        ['PersistentVolumeClaim', 'ready', 'No pod uses it, so that its class does not bind it yet'],
        ['Service', 'ready', 'No load balancer has given it an address yet'],
        ['Ingress', 'ready', 'No controller has given it an address yet'],
      ]);

      await scene.others({
        ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'user', labels: { 'test-pods': 'never-ready' } } },
        spec: {
          nodeName: 'nowhere',
          containers: [{ name: 'app', image: 'app:1' }],
          volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'later' } }],
        },
      });
      const used = await scene.deploy(design, { ...wait, atomic: false });
      expect(outcomes(used)).toEqual([
        'PersistentVolumeClaim/later: failed NOT_READY',
        'Service/web: unchanged',
        'Ingress/web: unchanged',
      ]);
    });

    it('takes what is suspended for done', async () => {
      const suspended = job('later');
      Object.assign(suspended['spec'] as object, { suspend: true });
      expect(outcomes(await scene.deploy([suspended], wait))).toEqual(['Job/later: ready']);
    });
  });
});
