/** Types of service meshes, the values of the enum `MeshType`. */
export const MESH_TYPES = [
  'ALL_MESH',
  'INVALID_MESH',
  'APP_MESH',
  'CITRIX_SERVICE_MESH',
  'CONSUL',
  'ISTIO',
  'KUMA',
  'LINKERD',
  'TRAEFIK_MESH',
  'OCTARINE',
  'NETWORK_SERVICE_MESH',
  'TANZU',
  'OPEN_SERVICE_MESH',
  'NGINX_SERVICE_MESH',
  'CILIUM_SERVICE_MESH',
] as const;
export type MeshType = (typeof MESH_TYPES)[number];

/** The properties that identify a container of a pod. */
export interface ContainerFacts {
  /** The repository of the image, without registry, tag and digest: `istio/proxyv2`. */
  repository: string;
  container: string;
  podLabels: Record<string, string>;
}

interface MeshRule {
  /** The name in responses. */
  name: string;
  /** Matches containers of the control plane. */
  control: (facts: ContainerFacts) => boolean;
  /** Matches proxies: sidecars, gateways and node agents. */
  proxy: (facts: ContainerFacts) => boolean;
  /** Matches the component that configures the proxies. */
  configures: RegExp;
}

const image =
  (pattern: RegExp) =>
  ({ repository }: ContainerFacts): boolean =>
    pattern.test(repository);
const container =
  (pattern: RegExp) =>
  ({ container: name }: ContainerFacts): boolean =>
    pattern.test(name);
const labelled =
  (label: string) =>
  ({ podLabels }: ContainerFacts): boolean =>
    podLabels[label] !== undefined;
const anyOf =
  (...rules: ((facts: ContainerFacts) => boolean)[]) =>
  (facts: ContainerFacts): boolean =>
    rules.some((rule) => rule(facts));
const allOf =
  (...rules: ((facts: ContainerFacts) => boolean)[]) =>
  (facts: ContainerFacts): boolean =>
    rules.every((rule) => rule(facts));
const envoy = image(/(^|\/)envoy(-alpine|-distroless)?$/);

/** Meshes by the images of their projects; mirrors keep the last parts of the image name. */
export const MESHES: Readonly<Partial<Record<MeshType, MeshRule>>> = {
  ISTIO: {
    name: 'istio',
    control: image(/(^|\/)(pilot|istiod|install-cni)(-distroless)?$|(^|\/)istio\/operator$/),
    proxy: anyOf(image(/(^|\/)(proxyv2|ztunnel)(-distroless)?$/), container(/^istio-proxy$/)),
    configures: /istiod|pilot/,
  },
  LINKERD: {
    name: 'linkerd',
    control: image(/(^|\/)linkerd\/(controller|policy-controller|web|metrics-api|tap|jaeger-webhook|cni-plugin)$/),
    proxy: anyOf(image(/(^|\/)linkerd\/proxy$/), container(/^linkerd-proxy$/)),
    configures: /destination|controller/,
  },
  CONSUL: {
    name: 'consul',
    control: allOf(
      image(/(^|\/)consul(-enterprise|-k8s-control-plane|-k8s)?$/),
      (facts) => !container(/sidecar|^consul-connect-|^consul-dataplane$/)(facts),
    ),
    proxy: anyOf(
      image(/(^|\/)consul-dataplane$/),
      allOf(
        envoy,
        anyOf(container(/^(consul-connect-)?envoy-sidecar/), container(/^.*-gateway$/)),
        labelled('consul.hashicorp.com/connect-inject-status'),
      ),
    ),
    configures: /server/,
  },
  KUMA: {
    name: 'kuma',
    control: image(/(^|\/)kuma-cp$/),
    proxy: anyOf(image(/(^|\/)kuma-dp$/), container(/^kuma-(sidecar|gateway)$/)),
    configures: /control-plane|kuma-cp/,
  },
  CILIUM_SERVICE_MESH: {
    name: 'cilium',
    control: image(/(^|\/)cilium\/(operator(-[a-z]+)?|hubble-relay|clustermesh-apiserver)$/),
    proxy: anyOf(
      image(/(^|\/)cilium-envoy$/),
      allOf(image(/(^|\/)cilium\/cilium(-ci)?$/), container(/^cilium-agent$/)),
    ),
    configures: /operator/,
  },
  TRAEFIK_MESH: {
    name: 'traefik-mesh',
    control: image(/(^|\/)(traefik\/mesh|containous\/maesh)$/),
    proxy: allOf(image(/(^|\/)traefik$/), ({ podLabels, container: name }) =>
      [name, podLabels['component'], podLabels['app']].some((text) => /mesh/.test(text ?? '')),
    ),
    configures: /controller/,
  },
  OPEN_SERVICE_MESH: {
    name: 'open-service-mesh',
    control: image(/(^|\/)osm-(controller|injector|bootstrap)$/),
    proxy: allOf(envoy, labelled('osm-proxy-uuid')),
    configures: /controller/,
  },
  NGINX_SERVICE_MESH: {
    name: 'nginx-service-mesh',
    control: image(/(^|\/)nginx-mesh-(controller|api|metrics|cert-reloader)$/),
    proxy: image(/(^|\/)nginx-mesh-sidecar$/),
    configures: /controller|api/,
  },
  APP_MESH: {
    name: 'app-mesh',
    control: image(/(^|\/)appmesh-controller$/),
    proxy: image(/(^|\/)aws-appmesh-envoy$/),
    configures: /controller/,
  },
  NETWORK_SERVICE_MESH: {
    name: 'network-service-mesh',
    control: image(/(^|\/)cmd-(nsmgr(-proxy)?|registry-(k8s|memory|proxy-dns)|admission-webhook-k8s)$/),
    proxy: image(/(^|\/)cmd-(nsc(-init)?|nse-[a-z-]+|forwarder-[a-z]+)$/),
    configures: /nsmgr/,
  },
  CITRIX_SERVICE_MESH: {
    name: 'citrix-service-mesh',
    control: image(/(^|\/)(citrix-)?(istio-adaptor|xds-adaptor)$/),
    proxy: image(/(^|\/)citrix-k8s-cpx(-ingress)?$/),
    configures: /adaptor/,
  },
  OCTARINE: {
    name: 'octarine',
    control: image(/(^|\/)octarine\/(idagent|octarine-[a-z]+|controller)$/),
    proxy: image(/(^|\/)octarine\/(sidecar|proxy|envoy)$/),
    configures: /idagent|controller/,
  },
  TANZU: {
    name: 'tanzu-service-mesh',
    control: allOf(image(/(^|\/)(tsm|k8s-cluster-manager|allspark)[a-z-]*$/), labelled('app')),
    proxy: container(/^tsm-proxy$/),
    configures: /manager/,
  },
};

/** Add-ons for observability, by the images of their projects. */
const ADD_ONS: readonly { name: string; repository: RegExp; isTelemetry: boolean }[] = [
  { name: 'prometheus', repository: /(^|\/)prometheus(-distroless)?$/, isTelemetry: true },
  { name: 'grafana', repository: /(^|\/)grafana(-oss|-enterprise)?$/, isTelemetry: true },
  {
    name: 'jaeger',
    repository: /(^|\/)(jaegertracing\/(all-in-one|jaeger|jaeger-(query|collector)))$/,
    isTelemetry: true,
  },
  { name: 'zipkin', repository: /(^|\/)zipkin(-slim)?$/, isTelemetry: true },
  { name: 'kiali', repository: /(^|\/)kiali$/, isTelemetry: true },
  { name: 'skywalking', repository: /(^|\/)skywalking-(oap-server|ui)$/, isTelemetry: true },
  { name: 'tempo', repository: /(^|\/)grafana\/tempo(-query)?$/, isTelemetry: true },
  { name: 'loki', repository: /(^|\/)grafana\/loki$/, isTelemetry: true },
  { name: 'opentelemetry-collector', repository: /(^|\/)opentelemetry-collector(-contrib|-k8s)?$/, isTelemetry: true },
  { name: 'alertmanager', repository: /(^|\/)alertmanager$/, isTelemetry: true },
  { name: 'hubble-ui', repository: /(^|\/)hubble-ui$/, isTelemetry: true },
  { name: 'cert-manager', repository: /(^|\/)cert-manager-controller$/, isTelemetry: false },
  { name: 'flagger', repository: /(^|\/)flagger$/, isTelemetry: false },
];

export const findAddOn = (repository: string) => ADD_ONS.find((one) => one.repository.test(repository));

/** Returns the mesh of a container, and whether it is control plane or proxy. */
export function recognize(facts: ContainerFacts): { mesh: MeshType; side: 'control' | 'proxy' } | undefined {
  for (const [mesh, rule] of Object.entries(MESHES) as [MeshType, MeshRule][]) {
    if (rule.proxy(facts)) return { mesh, side: 'proxy' };
    if (rule.control(facts)) return { mesh, side: 'control' };
  }
  return undefined;
}
