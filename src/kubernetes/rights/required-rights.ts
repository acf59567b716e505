/** The purposes of a credential. */
export const PURPOSES = ['deploy', 'watch', 'operator'] as const;
export type Purpose = (typeof PURPOSES)[number];

/** A required permission, with the fields of an RBAC rule. */
export interface RequiredRight {
  apiGroup: string;
  resources: readonly string[];
  verbs: readonly string[];
  /** For namespaced kinds, so that a Role can grant it. */
  namespaced: boolean;
  /** What does not work without it. */
  consequence: string;
}

const APPLY = ['get', 'list', 'create', 'patch', 'delete'];
const READ = ['get', 'list', 'watch'];

const namespaced = (apiGroup: string, resources: string[], verbs: string[], consequence: string): RequiredRight => ({
  apiGroup,
  resources,
  verbs,
  namespaced: true,
  consequence,
});
const ofCluster = (apiGroup: string, resources: string[], verbs: string[], consequence: string): RequiredRight => ({
  apiGroup,
  resources,
  verbs,
  namespaced: false,
  consequence,
});

const UNDEPLOYABLE = 'Designs with these kinds cannot be deployed, compared or undeployed.';
const UNSEEN = 'Objects of these kinds are not in the lists of what runs, and changes of them are not seen.';

/** For server-side apply, dry runs, and finding objects by label. */
const DEPLOY: readonly RequiredRight[] = [
  namespaced(
    '',
    ['configmaps', 'persistentvolumeclaims', 'pods', 'secrets', 'serviceaccounts', 'services'],
    APPLY,
    UNDEPLOYABLE,
  ),
  namespaced('', ['limitranges', 'resourcequotas', 'replicationcontrollers'], APPLY, UNDEPLOYABLE),
  namespaced('apps', ['daemonsets', 'deployments', 'replicasets', 'statefulsets'], APPLY, UNDEPLOYABLE),
  namespaced('batch', ['cronjobs', 'jobs'], APPLY, UNDEPLOYABLE),
  namespaced('autoscaling', ['horizontalpodautoscalers'], APPLY, UNDEPLOYABLE),
  namespaced('networking.k8s.io', ['ingresses', 'networkpolicies'], APPLY, UNDEPLOYABLE),
  namespaced('policy', ['poddisruptionbudgets'], APPLY, UNDEPLOYABLE),
  namespaced('rbac.authorization.k8s.io', ['rolebindings', 'roles'], APPLY, UNDEPLOYABLE),
  namespaced(
    '*',
    ['*'],
    ['list'],
    'A namespace or a definition that a design made is left when the design is undeployed: whether others use it is unknown.',
  ),
  ofCluster('', ['namespaces'], APPLY, 'Designs that bring their namespace cannot be deployed or undeployed.'),
  ofCluster(
    'apiextensions.k8s.io',
    ['customresourcedefinitions'],
    APPLY,
    'Designs that bring definitions of kinds cannot be deployed or undeployed.',
  ),
  ofCluster('rbac.authorization.k8s.io', ['clusterrolebindings', 'clusterroles'], APPLY, UNDEPLOYABLE),
  ofCluster('scheduling.k8s.io', ['priorityclasses'], APPLY, UNDEPLOYABLE),
  ofCluster('networking.k8s.io', ['ingressclasses'], APPLY, UNDEPLOYABLE),
];

/** Everything except Secrets, whose data is never read. */
const WATCH: readonly RequiredRight[] = [
  namespaced(
    '',
    [
      'configmaps',
      'endpoints',
      'events',
      'limitranges',
      'persistentvolumeclaims',
      'pods',
      'podtemplates',
      'replicationcontrollers',
      'resourcequotas',
      'serviceaccounts',
      'services',
    ],
    READ,
    UNSEEN,
  ),
  namespaced('apps', ['controllerrevisions', 'daemonsets', 'deployments', 'replicasets', 'statefulsets'], READ, UNSEEN),
  namespaced('batch', ['cronjobs', 'jobs'], READ, UNSEEN),
  namespaced('autoscaling', ['horizontalpodautoscalers'], READ, UNSEEN),
  namespaced('networking.k8s.io', ['ingresses', 'networkpolicies'], READ, UNSEEN),
  namespaced('policy', ['poddisruptionbudgets'], READ, UNSEEN),
  namespaced('discovery.k8s.io', ['endpointslices'], READ, UNSEEN),
  namespaced('events.k8s.io', ['events'], READ, UNSEEN),
  namespaced('coordination.k8s.io', ['leases'], READ, UNSEEN),
  namespaced('rbac.authorization.k8s.io', ['rolebindings', 'roles'], READ, UNSEEN),
  ofCluster('', ['namespaces', 'nodes', 'persistentvolumes'], READ, UNSEEN),
  ofCluster('rbac.authorization.k8s.io', ['clusterrolebindings', 'clusterroles'], READ, UNSEEN),
  ofCluster('networking.k8s.io', ['ingressclasses'], READ, UNSEEN),
  ofCluster('storage.k8s.io', ['csidrivers', 'csinodes', 'storageclasses', 'volumeattachments'], READ, UNSEEN),
  ofCluster('scheduling.k8s.io', ['priorityclasses'], READ, UNSEEN),
  ofCluster('node.k8s.io', ['runtimeclasses'], READ, UNSEEN),
  ofCluster('apiregistration.k8s.io', ['apiservices'], READ, UNSEEN),
  ofCluster(
    'admissionregistration.k8s.io',
    ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'],
    READ,
    UNSEEN,
  ),
  ofCluster(
    'apiextensions.k8s.io',
    ['customresourcedefinitions'],
    READ,
    'Kinds that are added to the cluster are not found until they are discovered again.',
  ),
];

const UNMANAGED = 'The operator, the broker, the resource sync and adapters cannot be deployed or removed.';

/** The kinds of the controllers in their namespace, and the permissions that the controllers receive. */
const OPERATOR: readonly RequiredRight[] = [
  namespaced('', ['serviceaccounts', 'services'], APPLY, UNMANAGED),
  namespaced('apps', ['deployments', 'statefulsets'], APPLY, UNMANAGED),
  namespaced('rbac.authorization.k8s.io', ['rolebindings', 'roles'], APPLY, UNMANAGED),
  namespaced('', ['pods'], ['get', 'list'], 'Why a controller does not become ready is unknown.'),
  namespaced('', ['events'], ['create', 'patch'], UNMANAGED),
  namespaced(
    'coordination.k8s.io',
    ['leases'],
    ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    UNMANAGED,
  ),
  ofCluster('', ['namespaces'], ['get'], UNMANAGED),
  ofCluster('apiextensions.k8s.io', ['customresourcedefinitions'], APPLY, UNMANAGED),
  ofCluster('rbac.authorization.k8s.io', ['clusterrolebindings', 'clusterroles'], APPLY, UNMANAGED),
  ofCluster('meshery.io', ['brokers', 'meshsyncs'], ['get', 'list', 'watch', 'update', 'patch'], UNMANAGED),
  ofCluster(
    'meshery.io',
    ['brokers/status', 'meshsyncs/status', 'brokers/finalizers', 'meshsyncs/finalizers'],
    ['get', 'update', 'patch'],
    UNMANAGED,
  ),
  ...WATCH.map((right) => ({
    ...right,
    namespaced: false,
    consequence:
      'The resource sync cannot be deployed: a cluster lets users grant only rights that they have themselves.',
  })),
];

export const REQUIRED_RIGHTS: Readonly<Record<Purpose, readonly RequiredRight[]>> = {
  deploy: DEPLOY,
  watch: WATCH,
  operator: OPERATOR,
};

/** The permissions of the resource sync. */
export const WATCH_RIGHTS = WATCH;
