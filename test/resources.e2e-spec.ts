import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Actor } from '../src/core/access/actor.js';
import { runInRequestContext } from '../src/core/telemetry/request-context.js';
import { OWNER_LABEL_PREFIX, OWNER_PARTS } from '../src/kubernetes/clusters/owner-labels.js';
import { SelfHealingService } from '../src/deployments/drift/self-healing.service.js';
import { customKind } from './support/deployment-scene.js';
import { startCluster, type Cluster } from './support/cluster.js';
import { ClusterProxy } from './support/cluster-proxy.js';
import { kubectl } from './support/kubectl.js';
import type { Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { until } from './support/until.js';
import { done, type People, peopleOf, WorkspaceScene } from './support/workspace-scene.js';
import { World } from './support/world.js';

const RESOURCES = '/api/system/meshsync/resources';
const PATIENCE = 30_000;

requires('KUBEBUILDER_ASSETS', 'the watch of a cluster, on a real API server', () => {
  let world: World;
  let cluster: Cluster;
  let people: People;
  let scene: WorkspaceScene;
  let environment: Json;
  let connectionId: string;

  const register = async (kubeconfig: string): Promise<string> => {
    const path = `/api/system/kubernetes?orgID=${world.organization}`;
    return (await done(world.admin.post(path, { kubeconfig }))).connected[0].connection_id as string;
  };
  const list = async (query: string, person = world.admin): Promise<Json[]> =>
    (await done(person.get(`${RESOURCES}?pagesize=500&${query}`))).resources as Json[];
  const find = async (query: string): Promise<Json> => (await list(query))[0];
  const summary = async (): Promise<Json> =>
    done(world.admin.get(`${RESOURCES}/summary?connection_id=${connectionId}`));
  const isWatching = async (): Promise<boolean> => (await summary()).connections[0]?.status === 'watching';

  const apply = async (manifest: object): Promise<void> => {
    const file = `${cluster.kubeconfigFile}-${randomUUID()}.json`;
    await writeFile(file, JSON.stringify(manifest));
    await kubectl(cluster, 'apply', '-f', file);
  };

  beforeAll(async () => {
    [world, cluster] = await Promise.all([
      World.start({ CLUSTER_WATCH: 'on', CLUSTER_INSECURE_TLS: 'true', DATABASE_POOL: '10' }),
      startCluster(),
    ]);
    people = await peopleOf(world);
    scene = await WorkspaceScene.make(world, people);
    environment = await scene.environment();
    connectionId = await register(cluster.kubeconfig);
    await done(world.admin.post(`/api/environments/${environment.id}/connections/${connectionId}`));
    await until(isWatching, 60_000);
  }, 120_000);
  afterAll(async () => {
    await world.stop();
    await cluster.stop();
  });

  it('keeps what is there, with health and without anything secret, and follows what changes', async () => {
    const namespace = `n${randomUUID().slice(0, 8)}`;
    await kubectl(cluster, 'create', 'namespace', namespace);
    const value = `canary-${randomUUID()}`;
    await kubectl(
      cluster,
      'create',
      'secret',
      'generic',
      'keys',
      '-n',
      namespace,
      `--from-literal=password=${value}`,
      '--save-config',
    );
    await kubectl(cluster, 'annotate', 'secret', 'keys', '-n', namespace, `copy=${value}`);
    await kubectl(cluster, 'create', 'deployment', 'web', '-n', namespace, '--image=nginx:1', '--replicas=2');
    await until(async () => (await list(`namespace=${namespace}&kind=Pod&health=Healthy`)).length === 2, PATIENCE);
    await until(async () => Boolean(await find(`namespace=${namespace}&kind=Secret`)), PATIENCE);

    const secret = await find(`namespace=${namespace}&kind=Secret`);
    const { content } = await done(world.admin.get(`${RESOURCES}/${secret?.id}`));
    expect(content).toMatchObject({ kind: 'Secret', type: 'Opaque', data: { password: `${value.length} bytes` } });
    const kept = JSON.stringify(await world.sql('SELECT * FROM cluster_resource WHERE namespace = $1', [namespace]));
    for (const hidden of [value, Buffer.from(value).toString('base64')]) expect(kept).not.toContain(hidden);

    await until(
      async () => (await find(`namespace=${namespace}&kind=Deployment`))?.health?.status === 'Healthy',
      PATIENCE,
    );
    const deployment = await find(`namespace=${namespace}&kind=Deployment`);
    expect(deployment).toMatchObject({
      ...{ connection_id: connectionId, api_version: 'apps/v1', name: 'web', labels: { app: 'web' } },
      ...{ health: { status: 'Healthy', message: null }, design_id: null, deployment_id: null },
    });
    expect(
      (await list(`namespace=${namespace}&labels=app=web,pod-template-hash`)).map(({ kind }) => kind).sort(),
    ).toEqual(['Pod', 'Pod', 'ReplicaSet']);
    expect(await list(`namespace=${namespace}&search=WEB&kind=Deployment,Pod`)).toHaveLength(3);

    await kubectl(cluster, 'delete', 'deployment', 'web', '-n', namespace);
    await until(
      async () => (await list(`namespace=${namespace}&kind=Deployment,ReplicaSet,Pod`)).length === 0,
      PATIENCE,
    );
  }, 120_000);

  it('counts by kind, namespace and label, and watches kinds that are defined later for as long as they are', async () => {
    const { definition, object } = customKind();
    await apply(definition);
    await kubectl(cluster, 'wait', '--for=condition=Established', `crd/${definition.metadata.name}`);
    await until(async () => {
      await apply(object('one')).catch(() => undefined);
      return Boolean(await find('kind=Gadget'));
    }, PATIENCE);
    const { kinds, namespaces, labels } = await summary();
    expect(kinds).toContainEqual({ name: 'Gadget', count: 1 });
    expect(namespaces.map(({ name }: Json) => name)).toEqual(expect.arrayContaining(['default', 'kube-system']));
    expect(labels).toContainEqual({ name: 'kubernetes.io/metadata.name=default', count: 1 });
    await kubectl(cluster, 'delete', `crd/${definition.metadata.name}`);
    await until(async () => (await list('kind=Gadget')).length === 0, PATIENCE);
  }, 120_000);

  it('shows them to those who see the connection, and to nobody else', async () => {
    const [resource] = await list('kind=Namespace&search=default');
    const path = `${RESOURCES}/${resource?.id}`;
    for (const person of [people.viewer, people.organizationAdmin]) {
      expect(await list('kind=Namespace&search=default', person)).toHaveLength(1);
      expect((await person.get(path)).status).toBe(200);
    }
    for (const person of [people.member, people.outsider]) {
      expect(await list('', person)).toEqual([]);
      const absent = await person.get(`${RESOURCES}/${randomUUID()}`);
      const hidden = await person.get(path);
      expect(hidden.status).toBe(404);
      expect(hidden.body.code).toBe(absent.body.code);
      expect(await done(person.get(`${RESOURCES}/summary`))).toEqual({
        ...{ kinds: [], namespaces: [], labels: [], connections: [] },
      });
      expect((await person.get(`${RESOURCES}?connection_id=${connectionId}`)).status).toBe(404);
    }
    expect((await world.stranger.get(path)).status).toBe(401);
    for (const query of ['health=Fine', 'labels=a b', 'connection_id=x', `filter=${encodeURIComponent('{"nope":1}')}`])
      expect((await world.admin.get(`${RESOURCES}?${query}`)).status).toBe(400);
  });

  it('connects what runs with the design and the deployment that it comes from', async () => {
    const namespace = `n${randomUUID().slice(0, 8)}`;
    const manifest = [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      deploymentOf('web', namespace),
    ];
    const upload = [
      '/api/pattern/import',
      'app.json',
      JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifest }),
    ];
    const design = await done(world.admin.upload(...(upload as [string, string, string]), { workspace_id: scene.id }));
    const deployment = await done(world.admin.post('/api/pattern/deploy', { id: design.id, wait: true }));
    await until(async () => (await list(`design=${design.id}&health=Healthy&kind=Pod`)).length === 1, PATIENCE);
    const found = await list(`design_id=${design.id}`);
    expect([...new Set(found.map(({ kind }) => kind))].sort()).toEqual([
      'Deployment',
      'Namespace',
      'Pod',
      'ReplicaSet',
    ]);
    expect(new Set(found.map((each) => each.deployment_id))).toEqual(new Set([deployment.id]));
    await done(world.admin.delete(`/api/pattern/deploy?id=${design.id}`));
  }, 120_000);

  /** The picture of the environment: what it shows of a namespace, to whom, and that its words cannot be anything else. */
  const drawsEnvironment = async (namespace: string): Promise<void> => {
    const path = `/api/environments/${environment.id}/diagram.svg`;
    const whole = await people.viewer.get(path);
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
    expect(whole.headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const part of ['Cluster', 'kube-system', namespace, 'data-status="Healthy"'])
      expect(String(whole.body)).toContain(part);
    const one = await people.viewer.get(`${path}?namespace=${namespace}&theme=dark`);
    expect(String(one.body)).toContain('keys');
    expect(String(one.body)).not.toContain('kube-system');
    const again = await people.viewer.get(path, { headers: { 'if-none-match': whole.headers.get('etag') ?? '' } });
    expect([200, 304]).toContain(again.status);
    const none = await people.viewer.get(`${path}?namespace=${encodeURIComponent('<script>')}`);
    expect(String(none.body)).toContain('0 objects');
    expect((await people.outsider.get(path)).status).toBe(404);
    expect((await people.viewer.get(`${path}?theme=pink`)).status).toBe(400);
  };

  it('shows the health of what stands in its deployment, over REST, GraphQL and in its picture', async () => {
    const { namespace, design, deployment } = await deploy();
    const path = `/api/deployments/${deployment.id}`;
    const read = (): Promise<Json> => done(people.viewer.get(path));
    const healthOf = ({ resources }: Json): Json =>
      Object.fromEntries(resources.map(({ kind, health }: Json) => [kind, health?.status ?? null]));
    const healthy = { Namespace: 'Healthy', ConfigMap: null, Secret: null, Deployment: 'Healthy' };
    await until(async () => (await read()).health?.status === 'Healthy', PATIENCE);
    expect(healthOf(await read())).toEqual(healthy);

    // As a controller reports what it was sent: with a value of the design's Secret.
    const { id } = await find(`namespace=${namespace}&kind=Deployment`);
    await world.sql(
      `UPDATE cluster_resource SET health = 'Degraded', health_message = 'refused canary-secret',
         content = jsonb_set(jsonb_set(content, '{status}', '{"conditions": [{"message": "refused canary-secret"}]}'),
           '{metadata,annotations}', '{"last": "refused \\"canary-secret\\""}')
        WHERE id = $1`,
      [id],
    );
    expect((await done(people.viewer.get(`${RESOURCES}/${id}`))).content).toMatchObject({
      metadata: { name: 'web', annotations: { last: 'refused "(hidden)"' } },
      spec: { replicas: 1 },
    });
    for (const place of [
      path,
      `${path}/diagram.svg?colour=health`,
      `/api/environments/${environment.id}/diagram.svg?namespace=${namespace}`,
      `${RESOURCES}?namespace=${namespace}`,
      `${RESOURCES}/${id}`,
    ]) {
      const shown = JSON.stringify((await people.viewer.get(place)).body);
      expect(shown).toContain('refused (hidden)');
      expect(shown).not.toContain('canary-secret');
    }
    // A pod has no label of the design, and an event says more of it.
    const pod = await find(`namespace=${namespace}&kind=Pod`);
    const event = {
      ...{
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'refused', namespace },
        type: 'Warning',
        reason: 'Refused',
      },
      message: 'pulling with canary-secret',
      involvedObject: {
        ...{ apiVersion: 'v1', kind: 'Pod', namespace, name: pod.name },
        uid: (await kubectl(cluster, 'get', 'pod', pod.name, '-n', namespace, '-o', 'jsonpath={.metadata.uid}')).trim(),
      },
    };
    await apply(event);
    for (const [kind, name] of [
      ['Deployment', 'web'],
      ['Pod', pod.name],
    ]) {
      await kubectl(cluster, 'annotate', String(kind), name, '-n', namespace, 'last=has canary-secret');
      const described = await people.viewer.graphql(
        `{ getKubectlDescribe(name: "${name}", kind: "${kind}", namespace: "${namespace}", connectionID: "${connectionId}") { describe } }`,
      );
      const text = described.body.data.getKubectlDescribe.describe as string;
      expect(text).toContain('last: has (hidden)');
      if (kind === 'Pod') expect(text).toContain('pulling with (hidden)');
      expect(text).not.toContain('canary-secret');
    }

    await kubectl(cluster, 'delete', 'deployment', 'web', '-n', namespace);
    await kubectl(cluster, 'delete', 'configmap', 'settings', '-n', namespace);
    const missing = { ...healthy, ConfigMap: 'Missing', Deployment: 'Missing' };
    await until(async () => JSON.stringify(healthOf(await read())) === JSON.stringify(missing), PATIENCE);
    const query = `{ deployment(id: "${deployment.id}") { health { status message } resources { kind health { status } } } }`;
    const { data } = (await people.viewer.graphql(query)).body;
    expect(healthOf(data.deployment)).toEqual(missing);
    expect(data.deployment.health).toEqual({
      status: 'Missing',
      message: expect.stringMatching(/^(ConfigMap settings|Deployment web): It is not on the cluster$/),
    });
    const listed = await done(people.viewer.get(`/api/pattern/${design.id}/deployments`));
    expect(listed.deployments[0].health).toMatchObject({ status: 'Missing' });
    expect(String((await people.viewer.get(`${path}/diagram.svg`)).body)).toContain('data-status="Missing"');
    await drawsEnvironment(namespace);

    const next = await done(world.admin.post('/api/pattern/deploy', { id: design.id, wait: true }));
    expect((await read()).health).toBeNull();
    await until(
      async () => (await done(world.admin.get(`/api/deployments/${next.id}`))).health?.status === 'Healthy',
      PATIENCE,
    );
    await done(world.admin.delete(`/api/pattern/deploy?id=${design.id}`));
  }, 120_000);

  it('answers over GraphQL: namespaces, descriptions, counts as they change, and reads anew when asked', async () => {
    const namespace = `n${randomUUID().slice(0, 8)}`;
    await kubectl(cluster, 'create', 'namespace', namespace);
    const ask = async (query: string, person = world.admin): Promise<Json> => (await person.graphql(query)).body;
    const named = await ask(`{ getAvailableNamespaces(k8sClusterIDs: ["${connectionId}"]) { namespace } }`);
    expect(named.data.getAvailableNamespaces).toEqual(
      expect.arrayContaining([{ namespace }, { namespace: 'default' }]),
    );

    const value = `canary-${randomUUID()}`;
    await kubectl(cluster, 'create', 'secret', 'generic', 'keys', '-n', namespace, `--from-literal=password=${value}`);
    const describe = (kind: string, name: string): string =>
      `{ getKubectlDescribe(name: "${name}", kind: "${kind}", namespace: "${namespace}", connectionID: "${connectionId}") { describe ctxid } }`;
    const { describe: text, ctxid } = (await ask(describe('secrets', 'keys'))).data.getKubectlDescribe;
    expect(ctxid).toBe(connectionId);
    expect(text).toMatch(new RegExp(`Name: +keys\nNamespace: +${namespace}[^]*password: +${value.length} bytes`));
    for (const hidden of [value, Buffer.from(value).toString('base64')]) expect(text).not.toContain(hidden);
    expect((await ask(describe('Pod', 'none'))).errors[0].extensions.code).toBe('CLUSTER_NOT_FOUND');
    expect((await ask(describe('Nothing', 'x'))).errors[0].extensions.code).toBe('VALIDATION_FAILED');
    expect((await ask(describe('secrets', 'keys'), people.outsider)).errors[0].extensions.code).toBe('NOT_FOUND');

    const counts: Record<string, number>[] = [];
    const client = people.viewer.socket();
    client.subscribe<Json>(
      {
        query: `subscription { subscribeClusterResources(k8scontextIDs: ["${connectionId}"], namespace: "${namespace}") { resources { kind count } } }`,
      },
      {
        next: ({ data }) =>
          void counts.push(
            Object.fromEntries(data?.subscribeClusterResources.resources.map((one: Json) => [one.kind, one.count])),
          ),
        error: (error) => void counts.push({ [JSON.stringify(error)]: -1 }),
        complete: () => undefined,
      },
    );
    await until(() => counts.length > 0, PATIENCE);
    await kubectl(cluster, 'create', 'configmap', 'settings', '-n', namespace);
    await until(() => counts.at(-1)?.['ConfigMap'] === 2, PATIENCE);
    await client.dispose();

    const resync = `mutation { resyncCluster(k8scontextID: "${connectionId}", selector: { clearDB: "true", ReSync: "true", hardReset: "false" }) }`;
    // An object that has not changed is judged anew, as after an update of this server that judges otherwise.
    await world.sql(`UPDATE cluster_resource SET health = 'Degraded' WHERE kind = 'Namespace' AND name = $1`, [
      namespace,
    ]);
    await ask(resync.replace('clearDB: "true"', 'clearDB: "false"'));
    await until(async () => (await find(`kind=Namespace&search=${namespace}`))?.health?.status === 'Healthy', PATIENCE);
    const [before] = await list(`namespace=${namespace}&kind=ConfigMap&search=settings`);
    expect(await ask(resync)).toEqual({ data: { resyncCluster: 'PROCESSING' } });
    await until(async () => {
      const [after] = await list(`namespace=${namespace}&kind=ConfigMap&search=settings`);
      return after !== undefined && after.id !== before?.id;
    }, PATIENCE);
    const { errors } = await ask(resync.replace('clearDB: "true"', 'clearDB: "maybe"'));
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ pointer: '/clearDB' }] } }]);
    expect((await ask(resync, people.viewer)).errors[0].extensions.code).toBe('FORBIDDEN');
    await until(isWatching, PATIENCE);
  }, 120_000);

  /** A design of a namespace, a ConfigMap, a Secret and a Deployment, deployed. */
  const deploy = async (options: object = {}): Promise<{ namespace: string; design: Json; deployment: Json }> => {
    const namespace = `n${randomUUID().slice(0, 8)}`;
    const items = [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace }, data: { colour: 'blue' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace }, stringData: { key: 'canary-secret' } },
      deploymentOf('web', namespace),
    ];
    const file = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const workspace = { workspace_id: scene.id };
    const design = await done(world.admin.upload('/api/pattern/import', 'app.json', file, workspace));
    const deployment = await done(world.admin.post('/api/pattern/deploy', { id: design.id, wait: true, ...options }));
    return { namespace, design, deployment };
  };
  const driftOf = (design: Json, person = world.admin): Promise<Json> =>
    done(person.get(`/api/pattern/${design.id}/drift`));
  const eventsOf = async (deployment: Json, action: string): Promise<Json[]> =>
    (await done(world.admin.get(`/api/events?acted_upon=${deployment.id}&category=deployment&action=${action}`)))
      .events;
  const patch = (namespace: string, object: string, change: object): Promise<string> =>
    kubectl(cluster, 'patch', object, '-n', namespace, '--type=merge', '-p', JSON.stringify(change));

  it('sees drift within seconds, reports each field and who changed it, and that it is in sync again', async () => {
    const { namespace, design, deployment } = await deploy();
    expect(await driftOf(design)).toMatchObject({ status: 'in_sync', errors: [] });
    await until(
      async () => (await world.sql('SELECT FROM deployed_drift WHERE design_id = $1', [design.id])).length > 0,
      PATIENCE,
    );

    const changedAt = performance.now();
    await patch(namespace, 'configmap/settings', { data: { colour: 'red', added: 'by hand' } });
    await until(async () => (await eventsOf(deployment, 'drifted')).length === 1, PATIENCE);
    expect(performance.now() - changedAt).toBeLessThan(15_000);
    await patch(namespace, 'secret/keys', { stringData: { key: 'another-canary' } });
    await kubectl(cluster, 'scale', 'deployment/web', '-n', namespace, '--replicas=3');
    await kubectl(cluster, 'label', 'deployment/web', '-n', namespace, 'mine=too');
    // It is reported again when other fields drift.
    await until(async () => (await eventsOf(deployment, 'drifted')).length > 1, PATIENCE);
    const drift = await driftOf(design, people.viewer);
    expect(drift).toMatchObject({ status: 'drifted', checked_at: expect.any(String) });
    const changed = drift.resources.filter(({ status }: Json) => status === 'changed');
    expect(changed.map(({ kind }: Json) => kind).sort()).toEqual(['ConfigMap', 'Deployment', 'Secret']);
    const at = { manager: expect.stringMatching(/^kubectl/), at: expect.any(String) };
    expect(changed.flatMap(({ changes }: Json) => changes)).toEqual(
      expect.arrayContaining([
        { pointer: '/data/colour', desired: 'blue', live: 'red', ...at },
        { pointer: '/spec/replicas', desired: 1, live: 3, manager: 'kubectl', at: null },
        { pointer: '/data/key', desired: '(hidden)', live: '(hidden)', ...at },
      ]),
    );
    expect(JSON.stringify(drift)).not.toMatch(/canary|by hand|mine/);

    // Another manager holds the fields by now: what it changes again, or sets right, changes no managed fields.
    await patch(namespace, 'configmap/settings', { data: { colour: 'blue' } });
    await patch(namespace, 'secret/keys', { stringData: { key: 'canary-secret' } });
    await kubectl(cluster, 'scale', 'deployment/web', '-n', namespace, '--replicas=1');
    await until(async () => (await eventsOf(deployment, 'healed')).length === 1, PATIENCE);
    const { length: reported } = await eventsOf(deployment, 'drifted');
    await patch(namespace, 'configmap/settings', { data: { colour: 'green' } });
    await until(async () => (await eventsOf(deployment, 'drifted')).length === reported + 1, PATIENCE);
    await patch(namespace, 'configmap/settings', { data: { colour: 'blue' } });
    await until(async () => (await eventsOf(deployment, 'healed')).length === 2, PATIENCE);
    const removed = OWNER_PARTS.map((part) => `${OWNER_LABEL_PREFIX}${part}-`);
    await kubectl(cluster, 'label', 'configmap/settings', '-n', namespace, ...removed);
    await until(async () => (await eventsOf(deployment, 'drifted')).length === reported + 2, PATIENCE);

    await kubectl(cluster, 'delete', 'secret', 'keys', '-n', namespace);
    await until(
      async () => (await driftOf(design)).resources.some(({ status }: Json) => status === 'missing'),
      PATIENCE,
    );
    await done(world.admin.post('/api/pattern/deploy', { id: design.id, force: true, adopt: true }));
    expect(await driftOf(design)).toMatchObject({ status: 'in_sync' });
    expect((await people.outsider.get(`/api/pattern/${design.id}/drift`)).status).toBe(404);
    await done(world.admin.delete(`/api/pattern/deploy?id=${design.id}`));
    expect(await driftOf(design)).toEqual({ status: 'unknown', checked_at: null, resources: [], errors: [] });
  }, 180_000);

  it('takes neither defaults of the server nor what an autoscaler scales for drift', async () => {
    const { namespace, design, deployment } = await deploy();
    await apply({
      ...{ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: { name: 'web', namespace } },
      spec: { maxReplicas: 5, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    });
    await kubectl(cluster, 'scale', 'deployment/web', '-n', namespace, '--replicas=2');
    await until(async () => (await list(`namespace=${namespace}&kind=Pod`)).length === 2, PATIENCE);
    expect(await driftOf(design)).toMatchObject({ status: 'in_sync' });
    expect(await eventsOf(deployment, 'drifted')).toEqual([]);
    await done(world.admin.delete(`/api/pattern/deploy?id=${design.id}`));
  }, 120_000);

  it('heals what drifts where that is asked for, and stops after five times', async () => {
    const { namespace, design, deployment } = await deploy({ self_heal: true });
    const colour = (): Promise<string> =>
      kubectl(cluster, 'get', 'configmap', 'settings', '-n', namespace, '-o', 'jsonpath={.data.colour}');
    for (let time = 1; time <= 5; time++) {
      if (time === 1) await kubectl(cluster, 'delete', 'configmap', 'settings', '-n', namespace);
      else await patch(namespace, 'configmap/settings', { data: { colour: `red-${time}` } });
      await until(async () => (await colour().catch(() => '')) === 'blue', PATIENCE);
      await until(async () => (await eventsOf(deployment, 'healed')).length === time, PATIENCE);
    }
    await patch(namespace, 'configmap/settings', { data: { colour: 'red' } });
    await until(
      async () => (await eventsOf(deployment, 'drifted')).some(({ metadata }) => metadata.self_heal === 'stopped'),
      PATIENCE,
    );
    expect(await colour()).toBe('red');
    await done(world.admin.delete(`/api/pattern/deploy?id=${design.id}`));
  }, 180_000);

  it('removes what was added by hand where the environment is strict', async () => {
    const path = `/api/environments/${environment.id}`;
    expect(environment).toMatchObject({ drift: 'fields' });
    const refused = await world.admin.put(path, { drift: 'some' });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/drift' }] } });
    expect(await done(world.admin.put(path, { drift: 'strict' }))).toMatchObject({ drift: 'strict' });
    const query = `{ environment(id: "${environment.id}") { drift } }`;
    expect((await world.admin.graphql(query)).body.data.environment.drift).toBe('strict');
    const { namespace, design, deployment } = await deploy({ self_heal: true });
    const web = (): Promise<string> =>
      kubectl(cluster, 'get', 'deployment', 'web', '-n', namespace, '-o', 'jsonpath={.spec.template.spec}');
    const spec = { template: { spec: { hostNetwork: true, containers: [{ name: 'debug', image: 'sh' }] } } };
    await kubectl(cluster, 'patch', 'deployment/web', '-n', namespace, '-p', JSON.stringify({ spec }));
    await until(async () => (await eventsOf(deployment, 'healed')).length === 1, PATIENCE);
    expect(await web()).not.toMatch(/hostNetwork|debug/);

    await done(world.admin.post('/api/pattern/deploy', { id: design.id, wait: true, drift: 'fields' }));
    await kubectl(cluster, 'patch', 'deployment/web', '-n', namespace, '-p', JSON.stringify({ spec }));
    const { status, resources } = await driftOf(design);
    expect(status).toBe('in_sync');
    const [{ extra }] = resources.filter(({ kind }: Json) => kind === 'Deployment');
    expect(extra.map(({ pointer, manager }: Json) => [pointer, manager]).sort()).toEqual([
      ['/spec/template/spec/containers/0', 'kubectl-patch'],
      ['/spec/template/spec/hostNetwork', 'kubectl-patch'],
    ]);
    await done(world.admin.put(path, { drift: 'fields' }));
    await done(world.admin.delete(`/api/pattern/deploy?id=${design.id}`));
  }, 120_000);

  it('applies nothing again in an environment that is archived', async () => {
    const { namespace, design, deployment } = await deploy({ self_heal: true });
    const colour = (): Promise<string> =>
      kubectl(cluster, 'get', 'configmap', 'settings', '-n', namespace, '-o', 'jsonpath={.data.colour}');
    const environmentId = environment.id as string;
    await done(world.admin.post(`/api/environments/${environmentId}/archive`));
    await patch(namespace, 'configmap/settings', { data: { colour: 'red' } });
    await until(async () => (await eventsOf(deployment, 'drifted')).length === 1, PATIENCE);
    const place = {
      ...{ organizationId: world.organization, connectionId, environmentId, designId: design.id as string },
    };
    const look = (act: 'check' | 'heal'): Promise<void> =>
      runInRequestContext({ requestId: 'test', actor: Actor.system('a test') }, () =>
        world.get(SelfHealingService)[act](place, AbortSignal.timeout(PATIENCE)),
      );
    await look('heal');
    await look('check');
    expect(await colour()).toBe('red');
    await done(world.admin.post(`/api/environments/${environmentId}/restore`));
    await look('check');
    await until(async () => (await colour()) === 'blue', PATIENCE);
    await done(world.admin.delete(`/api/pattern/deploy?id=${design.id}`));
  }, 180_000);

  it('takes nothing for missing of an API whose own server is down, and keeps what it knew', async () => {
    const { definition, object } = customKind();
    const { apiVersion } = object('x');
    await apply(definition);
    await kubectl(cluster, 'wait', '--for=condition=established', '--timeout=30s', `crd/${definition.metadata.name}`);
    const items = [
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'near' }, data: { a: '1' } },
      object('far'),
    ];
    const file = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    const design = await done(world.admin.upload('/api/pattern/import', 'app.json', file, { workspace_id: scene.id }));
    const namespace = `n${randomUUID().slice(0, 8)}`;
    const wanted = { id: design.id, namespace, create_namespace: true };
    await until(async () => (await world.admin.post('/api/pattern/deploy', wanted)).status === 200, PATIENCE);
    const [deployment] = (await done(world.admin.get(`/api/pattern/${design.id}/deployments`))).deployments as [Json];
    const rows = (): Promise<Json[]> => list(`namespace=${namespace}&kind=Gadget`);
    await until(async () => (await rows()).length === 1, PATIENCE);
    const healthOf = async (): Promise<string | undefined> => {
      const { resources } = await done(world.admin.get(`/api/deployments/${deployment.id}`));
      return resources.find(({ kind }: Json) => kind === 'Gadget').health?.status as string | undefined;
    };

    const group = apiVersion.replace(/\/v1$/, '');
    const service = `v1.${group}`;
    await apply({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: service, labels: { 'kube-aggregator.kubernetes.io/automanaged': 'false' } },
      spec: {
        ...{ group, version: 'v1', groupPriorityMinimum: 1_000, versionPriority: 100, insecureSkipTLSVerify: true },
        service: { name: 'absent', namespace: 'default', port: 443 },
      },
    });
    const gap = async (): Promise<Json> =>
      (await summary()).connections[0]?.missing.find(({ reason }: Json) => reason === 'unavailable');
    await until(async () => (await gap()) !== undefined, PATIENCE);
    expect(await gap()).toMatchObject({ api_version: apiVersion, kind: '*' });
    expect(await rows()).toHaveLength(1);
    const { status, resources } = await driftOf(design);
    expect(status).toBe('unknown');
    expect(resources.map(({ kind, status: each }: Json) => `${kind} ${each}`).sort()).toEqual([
      'ConfigMap in_sync',
      'Gadget unknown',
    ]);
    expect(await healthOf()).not.toBe('Missing');
    expect(await eventsOf(deployment, 'drifted')).toEqual([]);
    const refused = await world.admin.delete(`/api/pattern/deploy?id=${design.id}`);
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.body.deployment.resources).toContainEqual(
      expect.objectContaining({
        kind: 'Gadget',
        status: 'failed',
        error: expect.objectContaining({ reason: 'API_UNAVAILABLE' }),
      }),
    );

    await kubectl(cluster, 'delete', 'apiservice', service);
    await until(async () => (await gap()) === undefined, PATIENCE);
    expect(await rows()).toHaveLength(1);
    await until(
      async () => (await world.admin.delete(`/api/pattern/deploy?id=${design.id}`)).body.status === 'undeployed',
      PATIENCE,
    );
    await kubectl(cluster, 'delete', 'crd', definition.metadata.name);
  }, 180_000);

  it('goes on after the API server was away, without a change lost', async () => {
    const name = `c${randomUUID().slice(0, 8)}`;
    await kubectl(cluster, 'create', 'configmap', name);
    await until(async () => Boolean(await find(`kind=ConfigMap&search=${name}`)), PATIENCE);
    const server = cluster.pids['kube-apiserver'] ?? 0;
    process.kill(server, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    process.kill(server, 'SIGCONT');
    await kubectl(cluster, 'delete', 'configmap', name);
    await until(async () => !(await find(`kind=ConfigMap&search=${name}`)), PATIENCE);
  }, 90_000);

  it('keeps what it knows while the connection is disconnected, and connects it again by itself', async () => {
    const [before] = await list('kind=Namespace&search=default');
    expect(before?.stale_since).toBeNull();
    await world.sql(`UPDATE connection SET status = 'disconnected', revision = revision + 1 WHERE id = $1`, [
      connectionId,
    ]);
    await until(
      async () => (await done(world.admin.get(`/api/integrations/connections/${connectionId}`))).status === 'connected',
      PATIENCE,
    );
    await until(isWatching, PATIENCE);
    expect((await find('kind=Namespace&search=default'))?.id).toBe(before?.id);
  }, 90_000);

  it('is watched once for all connections with the same access, whosever they are', async () => {
    const proxy = await ClusterProxy.start(cluster, 'shared');
    const other = await world.outsider();
    const registerTheirs = async (kubeconfig: string): Promise<string> =>
      (await done(other.post(`/api/system/kubernetes?orgID=${other.organization}`, { kubeconfig }))).connected[0]
        .connection_id as string;
    const isFollowed = async (by: Person, id: string): Promise<boolean> =>
      (await done(by.get(`${RESOURCES}/summary?connection_id=${id}`))).connections[0]?.status === 'watching';
    const create = async (): Promise<string> => {
      const name = `c${randomUUID().slice(0, 8)}`;
      await kubectl(cluster, 'create', 'configmap', name);
      return name;
    };
    const see = async (by: Person, id: string, name: string): Promise<boolean> =>
      (await list(`connection_id=${id}&kind=ConfigMap&search=${name}`, by)).length === 1;
    const [paths, once] = [
      ['configmaps', 'secrets', 'pods', 'namespaces'].map((kind) => `/api/v1/${kind}`),
      [1, 1, 1, 1],
    ];
    const counts = (): unknown => [proxy.lists, proxy.watches].map((each) => paths.map((path) => each.get(path)));
    const isWatchedOnce = (): boolean => JSON.stringify(counts()) === JSON.stringify([once, once]);

    const mine = await register(proxy.kubeconfig);
    await until(() => isFollowed(world.admin, mine), PATIENCE);
    expect(counts()).toEqual([once, once]);
    const early = await create();
    await until(() => see(world.admin, mine, early), PATIENCE);
    const theirs = await registerTheirs(proxy.kubeconfig);
    await until(async () => (await isFollowed(other, theirs)) && (await see(other, theirs, early)), PATIENCE);
    await until(isWatchedOnce, PATIENCE);
    const late = await create();
    for (const [by, id, another] of [
      [world.admin, mine, theirs],
      [other, theirs, mine],
    ] as const) {
      await until(() => see(by, id, late), PATIENCE);
      const visible = await list('kind=ConfigMap', by);
      expect(visible.map(({ connection_id }) => connection_id)).not.toContain(another);
      expect((await by.get(`${RESOURCES}?connection_id=${another}`)).status).toBe(404);
    }

    const [their] = await list(`connection_id=${theirs}&kind=ConfigMap&search=${early}`, other);
    const lesser = proxy.kubeconfig.replace(cluster.tokens.admin, cluster.tokens.nobody);
    expect(await registerTheirs(lesser)).toBe(theirs);
    await until(async () => (await list('', other)).length === 0, PATIENCE);
    expect(await see(world.admin, mine, early)).toBe(true);
    await until(isWatchedOnce, PATIENCE);
    await kubectl(cluster, 'delete', 'configmap', early);
    await until(async () => !(await see(world.admin, mine, early)), PATIENCE);
    const hidden = await create();
    await until(() => see(world.admin, mine, hidden), PATIENCE);
    expect(await list('', other)).toEqual([]);

    await registerTheirs(proxy.kubeconfig);
    await until(() => see(other, theirs, late), PATIENCE);
    await until(isWatchedOnce, PATIENCE);
    expect((await other.get(`${RESOURCES}/${their?.id}`)).status).toBe(404);
    await done(world.admin.delete(`/api/integrations/connections/${mine}`));
    await until(async () => (await list(`search=${late}`, world.admin)).length === 1, PATIENCE);
    const last = await create();
    await until(() => see(other, theirs, last), PATIENCE);
    await until(isWatchedOnce, PATIENCE);
    await done(other.delete(`/api/integrations/connections/${theirs}`));
    await until(() => paths.every((path) => proxy.watches.get(path) === 0), PATIENCE);
    await kubectl(cluster, 'delete', 'configmap', hidden, late, last);
    await proxy.stop();
  }, 180_000);

  it('says which kinds it may not read, and ends with the connection', async () => {
    await done(world.admin.put(`/api/integrations/connections/${connectionId}`, { status: 'maintenance' }));
    await until(async () => (await list('')).length === 0, PATIENCE);
    const nobody = await register(cluster.kubeconfigNobody);
    const nobodys = async (): Promise<Json> => done(world.admin.get(`${RESOURCES}/summary?connection_id=${nobody}`));
    await until(async () => (await nobodys()).connections[0]?.status === 'watching', PATIENCE);
    const { connections, kinds } = await nobodys();
    expect(connections[0].missing).toContainEqual({
      ...{ api_version: 'v1', kind: 'Pod', reason: 'forbidden', detail: expect.stringContaining('cannot list') },
    });
    expect(kinds).toEqual([]);
    await done(world.admin.delete(`/api/integrations/connections/${nobody}`));

    const namespace = `n${randomUUID().slice(0, 8)}`;
    await kubectl(cluster, 'create', 'namespace', namespace);
    await kubectl(cluster, 'create', 'configmap', 'mine', '-n', namespace);
    await kubectl(
      cluster,
      'create',
      'role',
      'reads',
      '-n',
      namespace,
      '--verb=get,list,watch',
      '--resource=configmaps',
    );
    await kubectl(cluster, 'create', 'rolebinding', 'reads', '-n', namespace, '--role=reads', '--user=nobody');
    const limited = await register(
      cluster.kubeconfigNobody.replace('user: nobody }', `user: nobody, namespace: ${namespace} }`),
    );
    const mine = (query: string): Promise<Json[]> => list(`connection_id=${limited}&${query}`);
    await until(async () => (await mine('kind=ConfigMap&search=mine')).length === 1, PATIENCE);
    const limits = async (): Promise<Json[]> =>
      (await done(world.admin.get(`${RESOURCES}/summary?connection_id=${limited}`))).connections[0].missing;
    await until(async () => (await limits()).some(({ reason }) => reason === 'partial'), PATIENCE);
    const { missing } = (await done(world.admin.get(`${RESOURCES}/summary?connection_id=${limited}`))).connections[0];
    expect(missing).toContainEqual(
      expect.objectContaining({ kind: 'ConfigMap', reason: 'partial', namespaces: [namespace] }),
    );
    expect(missing).toContainEqual(expect.objectContaining({ kind: 'Pod', reason: 'forbidden' }));

    await kubectl(cluster, 'create', 'rolebinding', 'reads', '-n', 'default', '--clusterrole=view', '--user=nobody');
    // Another connection with the same credential shares the watch, but not the namespaces.
    const another = cluster.kubeconfigNobody
      .replaceAll('nobody }', 'another, namespace: default }')
      .replace('name: nobody', 'name: another');
    const theirs = await register(another);
    const namespacesOf = async (id: string): Promise<unknown> =>
      [...new Set((await list(`connection_id=${id}`)).map((one) => one.namespace))].sort();
    const isNarrowed = async (): Promise<boolean> =>
      ((await done(world.admin.get(`${RESOURCES}/summary?connection_id=${theirs}`))).connections as Json[]).some(
        ({ missing }) =>
          missing.some(({ kind, namespaces }: Json) => kind === 'ConfigMap' && namespaces?.[0] === 'default'),
      );
    await until(isNarrowed, PATIENCE);
    expect(await namespacesOf(theirs)).toEqual(['default']);
    expect(await namespacesOf(limited)).toEqual([namespace]);
    // With a stronger credential it leaves them; when it returns, nothing of that stays.
    expect(await register(another.replace(cluster.tokens.nobody, cluster.tokens.admin))).toBe(theirs);
    await until(async () => ((await namespacesOf(theirs)) as string[]).includes('kube-system'), PATIENCE);
    expect(await register(another)).toBe(theirs);
    await until(async () => ((await namespacesOf(theirs)) as string[]).join() === 'default', PATIENCE);
    await until(isNarrowed, PATIENCE);
    expect(await namespacesOf(limited)).toEqual([namespace]);
    const digests = await world.sql(
      'SELECT DISTINCT access_digest, worker FROM cluster_watch WHERE connection_id = ANY ($1)',
      [[limited, theirs]],
    );
    expect(digests).toHaveLength(1);
    await done(world.admin.delete(`/api/integrations/connections/${theirs}`));

    await kubectl(cluster, 'delete', 'configmap', 'mine', '-n', namespace);
    await until(async () => (await mine('kind=ConfigMap&search=mine')).length === 0, PATIENCE);
    await done(world.admin.delete(`/api/integrations/connections/${limited}`));
    await until(async () => (await world.sql('SELECT FROM cluster_watch')).length === 0, PATIENCE);
  }, 90_000);
});

function deploymentOf(name: string, namespace: string): object {
  const labels = { app: name };
  const spec = { containers: [{ name: 'app', image: 'app:1' }] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}
