import { sharedCluster, type Cluster } from '../../../test/support/cluster.js';
import { clusterClient, configMap, customKind, DeploymentScene } from '../../../test/support/deployment-scene.js';
import { requires } from '../../../test/support/requirements.js';
import { Outbound } from '../../core/outbound/outbound.service.js';
import { ClusterClients } from './cluster-clients.js';
import { InlineTaskRunner } from '../../core/workers/task.js';
import { ClusterClient } from './cluster-client.js';
import { type ResourceKind } from './discovery.js';
import { parseKubeconfig } from './parse-kubeconfig.js';

requires('KUBEBUILDER_ASSETS', 'A cluster client', () => {
  let cluster: Cluster;
  let scene: DeploymentScene;
  let client: ClusterClient;
  let configMaps: ResourceKind;

  const access = () => {
    const [context] = parseKubeconfig(cluster.kubeconfig, { insecureTls: false });
    if (!context?.access) throw new Error('no access');
    return context.access;
  };
  const outbound = new Outbound({ allow: [], connections: 'private', production: false });

  beforeAll(async () => {
    cluster = await sharedCluster();
    scene = await DeploymentScene.open(cluster.kubeconfig);
    client = scene.client;
    const found = await client.findKind('v1', 'ConfigMap');
    if (!found) throw new Error('no ConfigMap');
    configMaps = found;
  }, 60_000);

  afterAll(async () => {
    await scene?.close();
    await cluster?.stop();
  });

  it('pings and reports the version', async () => {
    expect((await client.ping()).gitVersion).toMatch(/^v1\.\d+\.\d+/);
  });

  it('discovers kinds with path, scope and subresources', async () => {
    expect(await client.findKind('apps/v1', 'Deployment')).toMatchObject({
      plural: 'deployments',
      namespaced: true,
      preferred: true,
      subresources: expect.arrayContaining(['status', 'scale']) as string[],
    });
    expect(await client.findKind('v1', 'Namespace')).toMatchObject({ namespaced: false, plural: 'namespaces' });
    expect(await client.findKind('apps/v1', 'Nonsense')).toBeUndefined();
  });

  it('keeps fields that it does not know', async () => {
    const { definition, object } = customKind();
    (definition.spec as { preserveUnknownFields?: boolean }).preserveUnknownFields = false;
    await scene.deploy([definition, object('one', { size: 3, colour: 'red' })]);
    expect(await scene.live(object('one').apiVersion, 'Gadget', 'one')).toMatchObject({
      spec: { size: 3, colour: 'red' },
    });
  });

  it('lists page by page, by label', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await scene.others(configMap(name, {}, { labels: { list: 'me' } }));
    const options = { namespace: scene.namespace, labelSelector: 'list=me', pageSize: 2 };
    const pages: number[] = [];
    for await (const page of client.listPages(configMaps, options)) pages.push(page.length);
    expect(pages).toEqual([2, 2, 1]);
    expect(
      (await client.list(configMaps, options)).map((one) => `${one.apiVersion} ${one.kind} ${one.metadata.name}`),
    ).toEqual(['a', 'b', 'c', 'd', 'e'].map((name) => `v1 ConfigMap ${name}`));
    const [metadata] = await client.listMetadata(configMaps, options);
    expect(Object.keys(metadata ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata']);
  });

  it('creates, patches and deletes only what it saw', async () => {
    const { namespace } = scene;
    const wanted = configMap('changing', { a: '1' }, { namespace });
    const { object } = await client.create(configMaps, wanted);
    await expect(client.create(configMaps, wanted)).rejects.toMatchObject({ kind: 'alreadyExists' });
    const patched = await client.patch(configMaps, 'changing', namespace, {
      type: 'merge',
      body: { data: { b: '2' } },
    });
    expect(patched.object.data).toEqual({ a: '1', b: '2' });
    const stale = { uid: object.metadata.uid, resourceVersion: object.metadata.resourceVersion };
    await expect(client.delete(configMaps, 'changing', namespace, stale)).rejects.toMatchObject({ kind: 'conflict' });
    await client.delete(configMaps, 'changing', namespace, { uid: object.metadata.uid });
    expect(await client.lookup(configMaps, 'changing', namespace)).toBeUndefined();
  });

  it('names what the API server says of a field', async () => {
    const deployments = await client.findKind('apps/v1', 'Deployment');
    const wanted = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a', namespace: scene.namespace },
      spec: { replicas: -1 },
    };
    await expect(
      client.apply(deployments as ResourceKind, wanted, { fieldManager: 'x', dryRun: true }),
    ).rejects.toMatchObject({
      kind: 'invalid',
      code: 'CLUSTER_INVALID',
      status: 502,
      answered: 422,
      causes: expect.arrayContaining([expect.objectContaining({ field: 'spec.replicas' })]) as object[],
    });
  });

  it('refuses a field that the definition does not have', async () => {
    const { definition, object } = customKind();
    const apart = await DeploymentScene.open(cluster.kubeconfig);
    await apart.deploy([definition, object('x')]);
    const { resources } = await apart.deploy([definition, object('x', { size: 1, unknown: true })]);
    expect(resources[1]?.error).toMatchObject({ reason: 'INVALID', field: '.spec.unknown' });
    await apart.close();
  });

  it.each(['../../secrets', '..', 'a/b', 'a%2fb', ''])('takes %j for no name', async (name) => {
    await expect(client.get(configMaps, name, scene.namespace)).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('distinguishes a wrong token, a missing right, an unknown authority and a dead address', async () => {
    const nobody = clusterClient(cluster.kubeconfigNobody);
    await expect(nobody.list(configMaps)).rejects.toMatchObject({ kind: 'forbidden', reason: 'Forbidden' });
    const others = {
      unauthorized: new ClusterClient({ ...access(), user: { token: 'wrong' } }, outbound, new InlineTaskRunner()),
      unreachable: new ClusterClient({ ...access(), tls: {} }, outbound, new InlineTaskRunner()),
      dead: new ClusterClient({ ...access(), server: 'https://127.0.0.1:1' }, outbound, new InlineTaskRunner()),
    };
    await expect(others.unauthorized.ping()).rejects.toMatchObject({ kind: 'unauthorized', status: 502 });
    await expect(others.unreachable.ping()).rejects.toMatchObject({
      kind: 'unreachable',
      reason: 'SELF_SIGNED_CERT_IN_CHAIN',
    });
    await expect(others.dead.ping()).rejects.toMatchObject({ kind: 'unreachable', reason: 'ECONNREFUSED' });
    await Promise.all([nobody, ...Object.values(others)].map((one) => one.close()));
  });

  it('acts as another user', async () => {
    const asNobody = new ClusterClient(
      { ...access(), user: { ...access().user, impersonate: { user: 'nobody', groups: ['g'] } } },
      outbound,
      new InlineTaskRunner(),
    );
    await expect(asNobody.list(configMaps)).rejects.toMatchObject({
      kind: 'forbidden',
      message: expect.stringContaining('"nobody"') as string,
    });
    await asNobody.close();
  });

  it('passes the outbound guard', async () => {
    const guarded = new ClusterClient(
      access(),
      new Outbound({ allow: [], connections: 'private', production: true }),
      new InlineTaskRunner(),
    );
    await expect(guarded.ping()).rejects.toMatchObject({ status: 400, code: 'OUTBOUND_REFUSED' });
    await guarded.close();
  });

  it('is kept for a connection as long as its credential is the same', async () => {
    const clients = new ClusterClients(outbound, new InlineTaskRunner());
    const first = await clients.get('a', '1', access);
    expect(await clients.get('a', '1', () => Promise.reject(new Error('asked again')))).toBe(first);
    const second = await clients.get('a', '2', access);
    expect(second).not.toBe(first);
    expect((await first.version()).major).toBe('1');
    await clients.evict('a');
    await expect(second.version()).rejects.toThrow();
    await clients.close();
    await first.close();
  });
});
