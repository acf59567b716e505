import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cluster, sharedCluster } from './support/cluster.js';
import { kubectl } from './support/kubectl.js';
import type { Json, Person } from './support/person.js';
import { requires } from './support/requirements.js';
import { testRunFolder } from './support/test-run.js';
import { until } from './support/until.js';
import { done } from './support/workspace-scene.js';
import { World } from './support/world.js';

const NAMESPACES = ['mesh-istio-system', 'mesh-linkerd', 'mesh-shop'];

const pod = (namespace: string, name: string, app: string, images: Record<string, string>): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app } },
  spec: { containers: Object.entries(images).map(([container, image]) => ({ name: container, image })) },
});
const OBJECTS = [
  ...NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  pod('mesh-istio-system', 'istiod-1', 'istiod', { discovery: 'docker.io/istio/pilot:1.24.1' }),
  pod('mesh-istio-system', 'prometheus-1', 'prometheus', { prometheus: 'prom/prometheus:v3.0.0' }),
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'prometheus', namespace: 'mesh-istio-system' },
    spec: { selector: { app: 'prometheus' }, ports: [{ port: 9090 }] },
  },
  pod('mesh-linkerd', 'destination-1', 'linkerd-destination', { destination: 'cr.l5d.io/linkerd/controller:edge-1' }),
  pod('mesh-shop', 'cart-1', 'cart', { cart: 'example/cart:1', 'istio-proxy': 'docker.io/istio/proxyv2:1.24.1' }),
];

let world: World;
let cluster: Cluster;
let connection: string;

const register = async (kubeconfig: string): Promise<string> =>
  (await done(world.admin.post('/api/system/kubernetes', { kubeconfig }))).connected[0].connection_id as string;
const codeOf = async (person: Person, query: string): Promise<unknown> =>
  (await person.graphql(`{ ${query} }`)).body.errors?.[0].extensions.code;
const on = (id: string, type = ''): string => `(filter: { ${type} k8sClusterIDs: ["${id}"] })`;

requires('KUBEBUILDER_ASSETS', 'service meshes of a cluster', () => {
  beforeAll(async () => {
    [world, cluster] = await Promise.all([World.start({ CLUSTER_INSECURE_TLS: 'true' }), sharedCluster()]);
    const file = join(testRunFolder(), 'meshes.json');
    await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: OBJECTS }));
    await until(
      async () =>
        kubectl(cluster, 'apply', '-f', file).then(
          () => true,
          () => false,
        ),
      60_000,
    );
    connection = await register(cluster.kubeconfig);
    await kubectl(cluster, '-n', 'mesh-shop', 'wait', '--for=condition=Ready', 'pod/cart-1', '--timeout=60s');
  }, 120_000);
  afterAll(async () => {
    await kubectl(cluster, 'delete', 'namespace', '--wait=false', ...NAMESPACES);
    await world.stop();
  });

  const ask = async (query: string): Promise<Json> => {
    const { body } = await world.admin.graphql(`{ ${query} }`);
    expect(body.errors).toBeUndefined();
    return body.data;
  };

  it('are recognised with their control planes, proxies and add-ons', async () => {
    const container =
      'controlPlaneMemberName containerName image status { ready restartCount state } ports { name } resources';
    const data = await ask(`
      getControlPlanes${on(connection)} { name members { name component version namespace data_planes { containerName } } }
      getDataPlanes${on(connection)} { name proxies { ${container} } }
      getAvailableAddons${on(connection)} { name owner }
      fetchTelemetryComponents(contexts: ["${connection}"]) { name spec status }`);
    const istio = data.getControlPlanes.find(({ name }: Json) => name === 'istio');
    expect(istio.members).toContainEqual({
      name: 'istiod-1',
      component: 'istiod',
      version: '1.24.1',
      namespace: 'mesh-istio-system',
      data_planes: [{ containerName: 'istio-proxy' }],
    });
    expect(data.getControlPlanes.map(({ name }: Json) => name)).toContain('linkerd');
    expect(data.getDataPlanes.find(({ name }: Json) => name === 'istio').proxies).toContainEqual({
      controlPlaneMemberName: 'istiod',
      containerName: 'istio-proxy',
      image: 'docker.io/istio/proxyv2:1.24.1',
      status: { ready: true, restartCount: 0, state: { running: { startedAt: expect.any(String) } } },
      ports: [],
      resources: {},
    });
    expect(data.getAvailableAddons).toContainEqual({ name: 'prometheus', owner: 'istio' });
    const service = data.fetchTelemetryComponents.find(({ name }: Json) => name === 'prometheus');
    expect(JSON.parse(service.spec)).toMatchObject({ selector: { app: 'prometheus' } });
  });

  it('are narrowed by their type', async () => {
    const data = await ask(`
      linkerd: getControlPlanes${on(connection, 'type: LINKERD')} { name }
      none: getDataPlanes${on(connection, 'type: KUMA')} { name }
      addOns: getAvailableAddons${on(connection, 'type: LINKERD')} { name }
      all: getControlPlanes(filter: { type: ALL_MESH }) { name }`);
    expect(data).toMatchObject({ linkerd: [{ name: 'linkerd' }], none: [], addOns: [] });
    expect(data.all.length).toBeGreaterThan(1);
  });

  it('are an error with its code where the connection is none that the caller may use', async () => {
    const outsider = await world.outsider();
    const member = await world.person('member');
    const absent = '00000000-0000-7000-8000-000000000000';
    for (const field of ['getControlPlanes', 'getDataPlanes', 'getAvailableAddons']) {
      expect(await codeOf(world.admin, `${field}${on(absent)} { name }`)).toBe('NOT_FOUND');
      expect(await codeOf(world.admin, `${field}${on('nonsense')} { name }`)).toBe('NOT_FOUND');
      expect(await codeOf(outsider, `${field}${on(connection)} { name }`)).toBe('NOT_FOUND');
      expect(await codeOf(member, `${field} { name }`)).toBe('NOT_FOUND');
      expect(await codeOf(world.stranger, `${field}${on(connection)} { name }`)).toBe('UNAUTHENTICATED');
    }
    const many = Array.from({ length: 21 }, () => `"${crypto.randomUUID()}"`).join();
    expect(await codeOf(world.admin, `fetchTelemetryComponents(contexts: [${many}]) { name }`)).toBe(
      'VALIDATION_FAILED',
    );
  });

  it('are an error with its code where the cluster does not answer, is none, or refuses', async () => {
    const organization_id = world.organization;
    const make = async (fields: object): Promise<string> =>
      (await done(world.admin.post('/api/integrations/connections', { name: 'x', organization_id, ...fields }))).id;
    const away = await make({
      kind: 'kubernetes',
      metadata: { server: 'https://127.0.0.1:9' },
      credential_secret: { token: 'x' },
    });
    const metrics = await make({ kind: 'prometheus', metadata: { url: 'http://127.0.0.1:9' } });
    const nobody = await register(cluster.kubeconfigNobody);
    expect(await codeOf(world.admin, `getDataPlanes${on(away)} { name }`)).toBe('CLUSTER_UNREACHABLE');
    expect(await codeOf(world.admin, `getDataPlanes${on(metrics)} { name }`)).toBe('CONNECTION_KIND_MISMATCH');
    expect(await codeOf(world.admin, `getDataPlanes${on(nobody)} { name }`)).toBe('CLUSTER_FORBIDDEN');
  });

  it('carry their directive in the schema', async () => {
    const { body } = await world.admin.graphql('{ __schema { directives { name locations } } }');
    expect(body.data.__schema.directives).toContainEqual({
      name: 'KubernetesMiddleware',
      locations: ['FIELD_DEFINITION'],
    });
    const sdl = (await world.admin.get('/api/docs/schema.graphql')).body as string;
    expect(sdl).toMatch(/getControlPlanes\([^)]*\): \[ControlPlane!\]! @KubernetesMiddleware/);
  });
});
