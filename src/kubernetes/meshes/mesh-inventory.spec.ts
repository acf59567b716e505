import { parseImageReference } from './image-reference.js';
import { MeshInventory } from './mesh-inventory.js';
import { MESHES, recognize } from './mesh-catalog.js';

const pod = (name: string, containers: object[], more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'here', labels: {} },
  spec: { containers },
  ...more,
});
const facts = (image: string, container = 'c', podLabels = {}) => ({
  repository: parseImageReference(image).repository,
  container,
  podLabels,
});

it.each([
  ['docker.io/istio/proxyv2:1.24.0', 'istio/proxyv2', '1.24.0'],
  ['localhost:5000/a/b@sha256:0011', 'a/b', ''],
  ['nginx', 'nginx', ''],
  ['registry:5000/x:1', 'x', '1'],
  ['library/nginx:1.27@sha256:0011', 'library/nginx', '1.27'],
  ['x'.repeat(501), '', ''],
])('takes the image %s apart', (image, repository, tag) =>
  expect(parseImageReference(image)).toEqual({ repository, tag }),
);

it.each([
  ['docker.io/istio/pilot:1.24.0', 'discovery', {}, 'ISTIO', 'control'],
  ['mirror.example.com/base/istio/proxyv2:1.24.0-distroless', 'x', {}, 'ISTIO', 'proxy'],
  ['istio/ztunnel:1.24.0', 'istio-proxy', {}, 'ISTIO', 'proxy'],
  ['cr.l5d.io/linkerd/controller:edge', 'destination', {}, 'LINKERD', 'control'],
  ['cr.l5d.io/linkerd/proxy:edge', 'linkerd-proxy', {}, 'LINKERD', 'proxy'],
  ['hashicorp/consul:1.20', 'consul', {}, 'CONSUL', 'control'],
  ['hashicorp/consul-dataplane:1.6', 'consul-dataplane', {}, 'CONSUL', 'proxy'],
  ['kumahq/kuma-cp:2.9', 'control-plane', {}, 'KUMA', 'control'],
  ['kumahq/kuma-dp:2.9', 'kuma-sidecar', {}, 'KUMA', 'proxy'],
  ['quay.io/cilium/operator-generic:v1.16', 'cilium-operator', {}, 'CILIUM_SERVICE_MESH', 'control'],
  ['quay.io/cilium/cilium-envoy:v1.30', 'cilium-envoy', {}, 'CILIUM_SERVICE_MESH', 'proxy'],
  ['quay.io/cilium/cilium:v1.16', 'cilium-agent', {}, 'CILIUM_SERVICE_MESH', 'proxy'],
  ['traefik/mesh:v1.4', 'controller', {}, 'TRAEFIK_MESH', 'control'],
  ['traefik:v2.11', 'traefik-mesh-proxy', {}, 'TRAEFIK_MESH', 'proxy'],
  ['openservicemesh/osm-controller:v1.2', 'osm-controller', {}, 'OPEN_SERVICE_MESH', 'control'],
  ['envoyproxy/envoy:v1.30', 'envoy', { 'osm-proxy-uuid': '1' }, 'OPEN_SERVICE_MESH', 'proxy'],
  ['docker-registry.nginx.com/nsm/nginx-mesh-controller:2.0', 'x', {}, 'NGINX_SERVICE_MESH', 'control'],
  ['docker-registry.nginx.com/nsm/nginx-mesh-sidecar:2.0', 'x', {}, 'NGINX_SERVICE_MESH', 'proxy'],
  ['amazon/appmesh-controller:v1', 'controller', {}, 'APP_MESH', 'control'],
  ['ghcr.io/networkservicemesh/cmd-nsmgr:v1', 'nsmgr', {}, 'NETWORK_SERVICE_MESH', 'control'],
])('recognises %s', (image, container, labels, mesh, side) =>
  expect(recognize(facts(image, container, labels))).toEqual({ mesh, side }),
);

it.each(['nginx:1.27', 'traefik:v3', 'envoyproxy/envoy:v1.30', 'my/pilot-light:1', 'cilium/hubble-ui:1', ''])(
  'takes %s for no mesh',
  (image) => expect(recognize(facts(image))).toBeUndefined(),
);

it('has a rule for every type that is a mesh', () => expect(Object.keys(MESHES)).toHaveLength(13));

describe('the inventory', () => {
  it('takes native sidecars, and no other containers that run before', () => {
    const inventory = new MeshInventory();
    const initContainers = [
      { name: 'istio-init', image: 'istio/proxyv2:1' },
      { name: 'istio-proxy', image: 'istio/proxyv2:1', restartPolicy: 'Always' },
    ];
    inventory.addPod(pod('a', [{ name: 'app', image: 'nginx' }], { spec: { containers: [], initContainers } }));
    expect(inventory.proxies.map(({ containerName }) => containerName)).toEqual(['istio-proxy']);
  });

  it('survives pods that are not built as pods are', () => {
    const inventory = new MeshInventory();
    for (const spec of [null, 'x', [], { containers: 'x' }, { containers: [null, 1, { image: {} }, { name: [] }] }])
      inventory.addPod(pod('a', [], { spec }));
    const container = {
      name: 'istio-proxy',
      image: 'istio/proxyv2:1',
      ports: [{ containerPort: 1e300 }],
      resources: 7,
    };
    const status = {
      containerStatuses: [{ name: 'istio-proxy', restartCount: 'many', state: { a: 'x'.repeat(9_000) } }],
    };
    inventory.addPod(pod('b', [container], { status }));
    expect(inventory.proxies).toMatchObject([
      { ports: [{ containerPort: null }], resources: null, status: { restartCount: 0, state: null, ready: false } },
    ]);
  });

  it('is bounded', () => {
    const inventory = new MeshInventory();
    const containers = Array.from({ length: 1_000 }, (_, index) => ({ name: `c${index}`, image: 'istio/proxyv2:1' }));
    expect(() => {
      for (let count = 0; count < 100; count++) inventory.addPod(pod('a', containers));
    }).toThrow(/more than 10000/);
  });
});
