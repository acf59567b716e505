import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { resourceIdentity } from '../../src/formats/design-file/design-component.js';
import { isObject } from '../../src/core/json/json.js';
import { objectsIn } from '../validation/corpus.js';

/** Something that is imported as one design. */
export interface Sample {
  name: string;
  /** A file of the corpus, or a folder whose manifests are sent as one. */
  path: string;
  /** Of one that is made here, what is in the file. */
  content?: () => string;
}

const INFRASTRUCTURE = ['postgres', 'redis', 'kafka', 'consul', 'collector'];

/** 138 services: each waits for some of five, a third of them for one another too, and half publish a port. */
function composeOfManyServices(): string {
  const services = Array.from({ length: 133 }, (_each, index) => {
    const needed = INFRASTRUCTURE.filter((_name, bit) => (index * 7 + bit * 3) % 5 < 3);
    if (index > 8 && index % 3 === 0) needed.push(`service-${index - 8}`);
    const ports = index % 2 ? `, ports: ["${9000 + index}:80"]` : '';
    return `  service-${index}: {image: "example/service:${index}", depends_on: [${needed.join(', ')}]${ports}}`;
  });
  const infrastructure = INFRASTRUCTURE.map(
    (name, index) => `  ${name}: {image: "${name}:1", ports: ["${5000 + index}:80"]}`,
  );
  return ['name: many', 'services:', ...infrastructure, ...services, ''].join('\n');
}

/** 170 objects of a monitoring stack, 34 of them dashboards that one Deployment mounts. */
function manifestOfMonitoring(): string {
  const names = (count: number, stem: string): string[] =>
    Array.from({ length: count }, (_each, index) => `${stem}-${index}`);
  const object = (apiVersion: string, kind: string, name: string, more: object = {}): object => ({
    apiVersion,
    kind,
    metadata: { name, namespace: 'monitoring' },
    ...more,
  });
  const dashboards = names(34, 'grafana-dashboard');
  const parts = names(17, 'part').flatMap((name, index) => {
    const volumes = index === 0 ? dashboards.map((map) => ({ name: map, configMap: { name: map } })) : [];
    const spec = { serviceAccountName: name, containers: [{ name, image: 'nginx' }], volumes };
    const subjects = [{ kind: 'ServiceAccount', name, namespace: 'monitoring' }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
    return [
      object('apps/v1', 'Deployment', name, {
        spec: { selector: { matchLabels: { app: name } }, template: { metadata: { labels: { app: name } }, spec } },
      }),
      object('v1', 'Service', name, { spec: { selector: { app: name } } }),
      object('v1', 'ServiceAccount', name),
      object('rbac.authorization.k8s.io/v1', 'Role', name, { rules: [] }),
      object('rbac.authorization.k8s.io/v1', 'RoleBinding', name, { roleRef, subjects }),
      object('networking.k8s.io/v1', 'NetworkPolicy', name, { spec: { podSelector: { matchLabels: { app: name } } } }),
      object('monitoring.coreos.com/v1', 'PrometheusRule', name, { spec: {} }),
      object('monitoring.coreos.com/v1', 'ServiceMonitor', name, { spec: {} }),
    ];
  });
  const maps = dashboards.map((name) => object('v1', 'ConfigMap', name, { data: {} }));
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [...parts, ...maps] });
}

/** From 5 components to more than a picture shows one by one. */
export const SAMPLES: readonly Sample[] = [
  { name: 'Example: voting app (Compose)', path: 'compose/dockersamples__example-voting-app/docker-compose.yml' },
  { name: 'Dockprom (Compose)', path: 'compose/stefanprodan__dockprom/docker-compose.yml' },
  { name: 'Kafka stack (Compose)', path: 'compose/conduktor__kafka-stack-docker-compose/zk-multiple-kafka-multiple-schema-registry.yml' },
  { name: 'Bookinfo', path: 'kubernetes/istio__istio/bookinfo/platform/kube/bookinfo.yaml' },
  { name: 'Ingress NGINX', path: 'kubernetes/kubernetes__ingress-nginx/deploy/static/provider/cloud/deploy.yaml' },
  { name: 'Online Boutique', path: 'kubernetes/GoogleCloudPlatform__microservices-demo/release/kubernetes-manifests.yaml' },
  { name: 'cert-manager', path: 'kubernetes/knative__serving/third_party/cert-manager-latest/cert-manager.yaml' },
  { name: 'webserver (design)', path: 'meshery/designs/66f483b2-5ca5-457a-b149-46a661468c34/0.0.1/design.yml' },
  { name: 'Examples of Kubernetes', path: 'kubernetes/kubernetes__examples' },
  { name: 'Every manifest of the corpus', path: 'kubernetes' },
  { name: '138 services (Compose)', path: 'compose.yaml', content: composeOfManyServices },
  { name: 'Monitoring, 34 equal ConfigMaps', path: 'monitoring.json', content: manifestOfMonitoring },
]; // prettier-ignore

/** The file to upload; of a folder it is a list of what its manifests hold, each resource once. */
export function fileOf(corpus: string, { path, content }: Sample): { name: string; bytes: Uint8Array<ArrayBuffer> } {
  if (content) return { name: path, bytes: new TextEncoder().encode(content()) };
  const at = join(corpus, path);
  if (/\.ya?ml$/.test(path)) return { name: basename(path), bytes: new Uint8Array(readFileSync(at)) };
  const whole = objectsIn(at).filter(({ kind, metadata }) => kind !== 'List' && isObject(metadata) && typeof metadata['name'] === 'string'); // prettier-ignore
  const items = [...new Map(whole.map((each) => [resourceIdentity(each), each])).values()];
  return { name: 'list.json', bytes: new TextEncoder().encode(JSON.stringify({ apiVersion: 'v1', kind: 'List', items })) }; // prettier-ignore
}
