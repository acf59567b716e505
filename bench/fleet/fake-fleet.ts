import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SELF_SIGNED } from '../../test/support/self-signed.js';

/** A kind of the clusters, and its part of their objects. */
interface FleetKind {
  group: string;
  plural: string;
  kind: string;
  share: number;
}

const kindOf = (group: string, plural: string, kind: string, share = 0): FleetKind => ({ group, plural, kind, share });

/** The kinds of an ordinary cluster with their parts of its objects. */
const KINDS = [
  kindOf('', 'namespaces', 'Namespace', 0.01),
  kindOf('', 'pods', 'Pod', 0.3),
  kindOf('', 'configmaps', 'ConfigMap', 0.12),
  kindOf('', 'secrets', 'Secret', 0.1),
  kindOf('', 'services', 'Service', 0.07),
  kindOf('', 'serviceaccounts', 'ServiceAccount', 0.08),
  kindOf('apps', 'deployments', 'Deployment', 0.07),
  kindOf('apps', 'replicasets', 'ReplicaSet', 0.2),
  kindOf('rbac.authorization.k8s.io', 'rolebindings', 'RoleBinding', 0.05),
  ...['nodes Node', 'persistentvolumes PersistentVolume', 'persistentvolumeclaims PersistentVolumeClaim'].map(core),
  ...['limitranges LimitRange', 'resourcequotas ResourceQuota', 'podtemplates PodTemplate'].map(core),
  ...Array.from({ length: 45 }, (_, index) =>
    kindOf(`group-${index % 9}.example.org`, `kind${index}s`, `Kind${index}`),
  ),
];

function core(names: string): FleetKind {
  const [plural = '', kind = ''] = names.split(' ');
  return kindOf('', plural, kind);
}

const CHANGED = 'configmaps';

/** Many API servers at one port, each below a path of its own: they list the same objects, in pages, and watch. */
export class FakeFleet {
  private readonly pages = new Map<string, Buffer>();
  private readonly objects = new Map<string, string[]>();
  private readonly uids: string[];
  private readonly followers = new Map<ServerResponse, string>();
  private version = 1_000;

  private constructor(
    private readonly server: Server,
    clusters: number,
    objects: number,
  ) {
    this.uids = Array.from({ length: clusters }, () => randomUUID());
    for (const kind of KINDS) {
      const count = Math.round(kind.share * objects);
      this.objects.set(
        pathOf(kind),
        Array.from({ length: count }, (_, index) => JSON.stringify(toObject(kind, index, count))),
      );
    }
  }

  static async start(clusters: number, objects: number): Promise<FakeFleet> {
    const server = createServer({ key: SELF_SIGNED.key, cert: SELF_SIGNED.cert });
    const fleet = new FakeFleet(server, clusters, objects);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => fleet.respond(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return fleet;
  }

  /** The number of objects that a cluster lists, its namespace kube-system included. */
  get size(): number {
    return [...this.objects.values()].reduce((sum, list) => sum + list.length, 1);
  }

  /** The average size of an object. */
  get bytes(): number {
    const all = [...this.objects.values()].flat();
    return all.reduce((sum, text) => sum + text.length, 0) / all.length;
  }

  /** A context for each cluster. */
  get kubeconfig(): string {
    const { port } = this.server.address() as AddressInfo;
    const ca = Buffer.from(SELF_SIGNED.cert).toString('base64');
    const names = this.uids.map((_, index) => `cluster-${index}`);
    return JSON.stringify({
      contexts: names.map((name) => ({ name, context: { cluster: name, user: name } })),
      'current-context': names[0],
      clusters: names.map((name) => ({
        name,
        cluster: { server: `https://localhost:${port}/${name}`, 'certificate-authority-data': ca },
      })),
      users: names.map((name) => ({ name, user: { token: randomUUID() } })),
    });
  }

  /** Creates an object on one cluster. */
  change(cluster: number, name: string): void {
    const metadata = { name, namespace: 'changes', uid: randomUUID(), resourceVersion: `${++this.version}` };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { name } };
    for (const [response, path] of this.followers)
      if (path === `/cluster-${cluster}/api/v1/${CHANGED}`)
        response.write(`${JSON.stringify({ type: 'ADDED', object })}\n`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private respond(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    response.on('error', () => undefined);
    const url = new URL(request.url ?? '/', 'https://fleet');
    const [, cluster = '', path = ''] = /^\/cluster-(\d+)(.*)$/.exec(url.pathname) ?? [];
    const json = (body: object, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (path === '/version') return json({ major: '1', minor: '36', gitVersion: 'v1.36.0' });
    if (path === '/api') return json(discovery(KINDS.filter(({ group }) => group === '')));
    if (path === '/apis') return json(discovery(KINDS.filter(({ group }) => group !== '')));
    if (path === '/api/v1/namespaces/kube-system') return json(this.system(Number(cluster)));
    if (request.method === 'POST') return json({ status: { resourceRules: [], incomplete: false } }, 201);
    const objects = this.objects.get(path);
    if (!objects) return json({ kind: 'Status', message: 'not found', reason: 'NotFound', code: 404 }, 404);
    if (url.searchParams.get('watch') === 'true') {
      response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      this.followers.set(response, url.pathname);
      response.on('close', () => this.followers.delete(response));
      return;
    }
    const [from, limit] = ['continue', 'limit'].map((name) => Number(url.searchParams.get(name) ?? '0'));
    const page = this.page(path, objects, Number(cluster), from ?? 0, limit || Infinity);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': page.length }).end(page);
  }

  private page(path: string, objects: string[], cluster: number, from: number, limit: number): Buffer {
    const isNamespaces = path === '/api/v1/namespaces';
    const key = `${path} ${from} ${limit} ${isNamespaces ? cluster : ''}`;
    const known = this.pages.get(key);
    if (known) return known;
    const metadata = {
      resourceVersion: '1000',
      ...(from + limit < objects.length && { continue: String(from + limit) }),
    };
    const items = objects.slice(from, from + limit);
    if (isNamespaces && from === 0) items.unshift(JSON.stringify(this.system(cluster)));
    const page = Buffer.from(
      `{"kind":"List","apiVersion":"v1","metadata":${JSON.stringify(metadata)},"items":[${items.join(',')}]}`,
    );
    this.pages.set(key, page);
    return page;
  }

  private system(cluster: number): object {
    const metadata = { name: 'kube-system', uid: this.uids[cluster], resourceVersion: '1' };
    return { apiVersion: 'v1', kind: 'Namespace', metadata, status: { phase: 'Active' } };
  }
}

const versionOf = ({ group }: FleetKind): string => (group === '' ? 'v1' : `${group}/v1`);
const pathOf = (kind: FleetKind): string => `/${kind.group === '' ? 'api' : 'apis'}/${versionOf(kind)}/${kind.plural}`;
const isGlobal = ({ kind }: FleetKind): boolean => ['Namespace', 'Node', 'PersistentVolume'].includes(kind);

function discovery(kinds: FleetKind[]): object {
  const groups = new Map<string, FleetKind[]>();
  for (const kind of kinds) groups.set(kind.group, [...(groups.get(kind.group) ?? []), kind]);
  return {
    kind: 'APIGroupDiscoveryList',
    items: [...groups].map(([name, list]) => ({
      metadata: { name },
      versions: [
        {
          version: 'v1',
          resources: list.map((kind) => ({
            resource: kind.plural,
            responseKind: { kind: kind.kind },
            scope: isGlobal(kind) ? 'Cluster' : 'Namespaced',
            verbs: ['get', 'list', 'watch'],
          })),
        },
      ],
    })),
  };
}

const uidOf = (kind: string, index: number): string => {
  const hex = createHash('sha256').update(`${kind} ${index}`).digest('hex');
  return [8, 4, 4, 4, 12]
    .reduce(({ parts, at }, length) => ({ parts: [...parts, hex.slice(at, at + length)], at: at + length }), {
      parts: [] as string[],
      at: 0,
    })
    .parts.join('-');
};

/** An object with what objects of clusters carry: labels, an owner, managed fields, a specification and a status. */
function toObject(kind: FleetKind, index: number, count: number): object {
  const owner = ownerOf(kind, index, count);
  const name = `${kind.kind.toLowerCase()}-${index}`;
  const labels = {
    'app.kubernetes.io/name': `app-${index % 400}`,
    'app.kubernetes.io/instance': `instance-${index % 900}`,
    'app.kubernetes.io/managed-by': 'Helm',
    ...(owner && { 'pod-template-hash': uidOf('hash', index).slice(0, 10) }),
  };
  return {
    metadata: {
      name,
      ...(!isGlobal(kind) && { namespace: `namespace-${index % 80}` }),
      uid: uidOf(kind.kind, index),
      resourceVersion: String(1 + index),
      creationTimestamp: new Date(1_760_000_000_000 + index * 1_000).toISOString(),
      labels,
      annotations: { 'meta.helm.sh/release-name': `instance-${index % 900}` },
      ...(owner && { ownerReferences: [owner] }),
      managedFields: [
        {
          manager: 'helm',
          operation: 'Update',
          apiVersion: versionOf(kind),
          time: '2026-01-01T00:00:00Z',
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:labels': Object.fromEntries(Object.keys(labels).map((key) => [`f:${key}`, {}])) },
          },
        },
      ],
    },
    ...bodyOf(kind, index),
  };
}

function ownerOf(kind: FleetKind, index: number, count: number): object | undefined {
  const [of, most] = { Pod: ['ReplicaSet', 0.66], ReplicaSet: ['Deployment', 0.35] }[kind.kind] ?? [];
  if (of === undefined) return undefined;
  const owner = index % Math.max(1, Math.floor(count * Number(most)));
  return {
    apiVersion: 'apps/v1',
    kind: of,
    name: `${String(of).toLowerCase()}-${owner}`,
    uid: uidOf(String(of), owner),
    controller: true,
    blockOwnerDeletion: true,
  };
}

const CONTAINER = {
  name: 'main',
  image: 'registry.example.org/team/service:1.42.0',
  ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
  env: Array.from({ length: 8 }, (_, index) => ({ name: `VARIABLE_${index}`, value: `value-${index}` })),
  resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
  livenessProbe: {
    httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
    periodSeconds: 10,
    failureThreshold: 3,
  },
  volumeMounts: [{ name: 'config', mountPath: '/etc/service', readOnly: true }],
  terminationMessagePath: '/dev/termination-log',
  imagePullPolicy: 'IfNotPresent',
  securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] }, allowPrivilegeEscalation: false },
};
const TEMPLATE = {
  metadata: { labels: { 'app.kubernetes.io/name': 'app' } },
  spec: {
    containers: [CONTAINER],
    volumes: [{ name: 'config', configMap: { name: 'config', defaultMode: 420 } }],
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    serviceAccountName: 'service',
    schedulerName: 'default-scheduler',
  },
};

function bodyOf({ kind }: FleetKind, index: number): object {
  if (kind === 'Pod')
    return {
      spec: { ...TEMPLATE.spec, nodeName: `node-${index % 30}` },
      status: {
        phase: 'Running',
        podIP: `10.0.${(index >> 8) % 256}.${index % 256}`,
        conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({
          type,
          status: 'True',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        })),
        containerStatuses: [
          { name: 'main', ready: true, restartCount: index % 3, image: CONTAINER.image, started: true },
        ],
      },
    };
  if (kind === 'ReplicaSet' || kind === 'Deployment')
    return {
      spec: { replicas: 2, selector: { matchLabels: { app: `app-${index}` } }, template: TEMPLATE },
      status: { replicas: 2, readyReplicas: 2, availableReplicas: 2, updatedReplicas: 2, observedGeneration: 1 },
    };
  if (kind === 'ConfigMap')
    return {
      data: Object.fromEntries(
        Array.from({ length: 6 }, (_, at) => [`setting-${at}`, `${uidOf('data', index + at)} ${'text '.repeat(30)}`]),
      ),
    };
  if (kind === 'Secret')
    return { type: 'Opaque', data: { token: Buffer.from(uidOf('secret', index)).toString('base64') } };
  if (kind === 'Service')
    return {
      spec: { type: 'ClusterIP', clusterIP: `10.1.0.${index % 256}`, ports: [{ port: 80, targetPort: 'http' }] },
      status: { loadBalancer: {} },
    };
  if (kind === 'RoleBinding')
    return {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: `role-${index}` },
      subjects: [{ kind: 'ServiceAccount', name: `account-${index}`, namespace: `namespace-${index % 80}` }],
    };
  return {};
}
