import type { KubernetesObject } from '../../clusters/kubernetes-object.js';
import { WATCH_RIGHTS } from '../../rights/required-rights.js';
import { toRules } from '../../rights/access-manifest.js';

export interface OperatorImages {
  operator: string;
  broker: string;
  meshsync: string;
}

const GROUP = 'rbac.authorization.k8s.io';
const BROKER_PORT = 4222;
const BROKER_MONITORING_PORT = 8222;

/** The requirements of the Pod Security Standard `restricted`. */
const POD_SECURITY = {
  runAsNonRoot: true,
  runAsUser: 65532,
  runAsGroup: 65532,
  seccompProfile: { type: 'RuntimeDefault' },
};
const CONTAINER_SECURITY = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

const labelsOf = (component: string): Record<string, string> => ({
  'app.kubernetes.io/name': `meshery-${component}`,
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/part-of': 'meshery',
});

interface WorkloadOptions {
  component: string;
  namespace: string;
  image: string;
  args?: string[];
  env?: { name: string; value: string }[];
  ports?: { name: string; containerPort: number }[];
  /** Whether the pods call the API server. */
  callsCluster: boolean;
}

export function buildNamespace(name: string): KubernetesObject {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}

/**
 * Builds the operator with its CustomResourceDefinitions and RBAC, the message broker, and the resource sync with
 * read-only RBAC.
 */
export function buildOperatorObjects(namespace: string, images: OperatorImages): KubernetesObject[] {
  return [
    buildNamespace(namespace),
    buildDefinition('Broker', 'brokers'),
    buildDefinition('MeshSync', 'meshsyncs'),
    ...buildAccess('operator', namespace, [
      {
        apiGroups: ['meshery.io'],
        resources: ['brokers', 'meshsyncs'],
        verbs: ['get', 'list', 'watch', 'update', 'patch'],
      },
      {
        apiGroups: ['meshery.io'],
        resources: ['brokers/status', 'meshsyncs/status', 'brokers/finalizers', 'meshsyncs/finalizers'],
        verbs: ['get', 'update', 'patch'],
      },
    ]),
    ...buildLeaderElection(namespace),
    ...buildAccess('meshsync', namespace, toRules(WATCH_RIGHTS)),
    buildService('broker', namespace, [
      { name: 'client', port: BROKER_PORT },
      { name: 'monitoring', port: BROKER_MONITORING_PORT },
    ]),
    buildWorkload({
      component: 'broker',
      namespace,
      image: images.broker,
      args: ['--port', String(BROKER_PORT), '--http_port', String(BROKER_MONITORING_PORT)],
      ports: [
        { name: 'client', containerPort: BROKER_PORT },
        { name: 'monitoring', containerPort: BROKER_MONITORING_PORT },
      ],
      callsCluster: false,
    }),
    buildWorkload({
      component: 'operator',
      namespace,
      image: images.operator,
      args: ['--enable-leader-election'],
      callsCluster: true,
    }),
    buildWorkload({
      component: 'meshsync',
      namespace,
      image: images.meshsync,
      env: [{ name: 'BROKER_URL', value: `nats://meshery-broker.${namespace}.svc:${BROKER_PORT}` }],
      callsCluster: true,
    }),
  ];
}

/** Builds an adapter. It has no RBAC of its own, because callers provide the access to clusters. */
export function buildAdapterObjects(
  namespace: string,
  adapter: { name: string; image: string; port: number },
): KubernetesObject[] {
  const { name: component, image, port } = adapter;
  return [
    buildNamespace(namespace),
    buildServiceAccount(component, namespace),
    buildService(component, namespace, [{ name: 'grpc', port }]),
    buildWorkload({
      component,
      namespace,
      image,
      env: [{ name: 'PORT', value: String(port) }],
      ports: [{ name: 'grpc', containerPort: port }],
      callsCluster: false,
    }),
  ];
}

function buildWorkload(options: WorkloadOptions): KubernetesObject {
  const { component, namespace, image, args, env, ports, callsCluster } = options;
  const labels = labelsOf(component);
  const account = component === 'broker' ? {} : { serviceAccountName: `meshery-${component}` };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: `meshery-${component}`, namespace, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: { 'app.kubernetes.io/name': labels['app.kubernetes.io/name'] } },
      template: {
        metadata: { labels },
        spec: {
          ...account,
          automountServiceAccountToken: callsCluster,
          securityContext: POD_SECURITY,
          containers: [
            {
              name: component,
              image,
              ...(args && { args }),
              ...(env && { env }),
              ...(ports && { ports }),
              securityContext: CONTAINER_SECURITY,
              resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '512Mi' } },
              volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
            },
          ],
          volumes: [{ name: 'tmp', emptyDir: {} }],
        },
      },
    },
  };
}

function buildServiceAccount(component: string, namespace: string): KubernetesObject {
  const metadata = { name: `meshery-${component}`, namespace, labels: labelsOf(component) };
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata };
}

function buildService(component: string, namespace: string, ports: { name: string; port: number }[]): KubernetesObject {
  const labels = labelsOf(component);
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: `meshery-${component}`, namespace, labels },
    spec: {
      selector: { 'app.kubernetes.io/name': labels['app.kubernetes.io/name'] },
      ports: ports.map(({ name, port }) => ({ name, port, targetPort: name })),
    },
  };
}

/** Builds a service account with a ClusterRole of these rules. */
function buildAccess(component: string, namespace: string, rules: object[]): KubernetesObject[] {
  const name = `meshery-${component}`;
  const labels = labelsOf(component);
  return [
    buildServiceAccount(component, namespace),
    { apiVersion: `${GROUP}/v1`, kind: 'ClusterRole', metadata: { name, labels }, rules },
    {
      apiVersion: `${GROUP}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name, labels },
      roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name },
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
}

/** Builds the RBAC of leader election by a Lease. */
function buildLeaderElection(namespace: string): KubernetesObject[] {
  const metadata = { name: 'meshery-operator', namespace, labels: labelsOf('operator') };
  return [
    {
      apiVersion: `${GROUP}/v1`,
      kind: 'Role',
      metadata,
      rules: [
        {
          apiGroups: ['coordination.k8s.io'],
          resources: ['leases'],
          verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
        },
        { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      ],
    },
    {
      apiVersion: `${GROUP}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: GROUP, kind: 'Role', name: metadata.name },
      subjects: [{ kind: 'ServiceAccount', name: metadata.name, namespace }],
    },
  ];
}

function buildDefinition(kind: string, plural: string): KubernetesObject {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.meshery.io`, labels: labelsOf('operator') },
    spec: {
      group: 'meshery.io',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      scope: 'Namespaced',
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}
