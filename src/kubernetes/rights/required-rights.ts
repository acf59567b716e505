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
  /** What it is used for, as an infinitive. */
  reason: string;
  /** Needed only by designs with such kinds. */
  optional?: boolean;
  /** The only objects that it is granted for; default: all. */
  names?: readonly string[];
}

const APPLY = ['get', 'list', 'create', 'patch', 'delete'];
const WITHOUT_LIST = ['get', 'create', 'patch', 'delete'];
const LIST = ['get', 'list'];
const READ = ['get', 'list', 'watch'];

type Why = Pick<RequiredRight, 'consequence' | 'reason'>;

const namespaced = (
  apiGroup: string,
  resources: readonly string[],
  verbs: readonly string[],
  why: Why,
): RequiredRight => ({ apiGroup, resources, verbs, namespaced: true, ...why });

const ofCluster = (...right: Parameters<typeof namespaced>): RequiredRight => ({
  ...namespaced(...right),
  namespaced: false,
});

const UNDEPLOYABLE = 'Designs with these kinds cannot be deployed, compared or undeployed.';
const TO_DEPLOY: Why = {
  reason: 'to apply, compare, find and delete the objects of designs',
  consequence: UNDEPLOYABLE,
};
const TO_DEPLOY_SECRETS: Why = {
  reason: 'to apply, compare and delete the Secrets of designs, each by its name',
  consequence: UNDEPLOYABLE,
};
const TO_EXPLAIN_WORKLOADS: Why = {
  reason: 'to tell why a workload does not become ready',
  consequence: 'The reason why a workload does not become ready is unknown.',
};
const TO_READ_LOGS: Why = {
  reason: 'to read the logs of deployments',
  consequence: 'The logs of deployments cannot be read.',
};
const TO_TELL_TEMPLATES: Why = {
  reason: 'to tell the pods of the current template of a Deployment from earlier ones',
  consequence: 'Failures of pods of an earlier template may be reported.',
};
const TO_RESPECT_AUTOSCALERS: Why = {
  reason: 'to leave the number of replicas to autoscalers',
  consequence: 'A number of replicas that an autoscaler has set is reported as drift.',
};
const TO_KEEP_CLAIMS: Why = {
  reason: 'to find the volume claims that StatefulSets made, keep those in use, and delete them where it is asked for',
  consequence: 'Volume claims of StatefulSets are neither found nor deleted.',
};
const TO_WAIT_FOR_CLAIMS: Why = {
  reason: 'to tell whether a volume claim waits for its first pod',
  consequence: 'A volume claim that waits for its first pod is taken to do so whatever its storage class.',
};
const TO_CHANGE_NAMESPACES: Why = {
  reason: 'to compare and change the namespaces that designs bring, neither to make nor to delete one',
  consequence: UNDEPLOYABLE,
};
const TO_KEEP_CONTENTS: Why = {
  reason: 'to delete no namespace and no definition that holds objects of others',
  consequence:
    'A namespace or a definition that a design made is left when the design is undeployed: whether others use it is unknown.',
};
const UNSEEN: Why = {
  reason: 'to list what runs and follow its changes',
  consequence: 'Objects of these kinds are not in the lists of what runs, and changes of them are not seen.',
};

/** A kind of object, as RBAC rules name it. */
export interface GrantedKind {
  group: string;
  kind: string;
  plural: string;
  namespaced: boolean;
}

const kindsOf = (group: string, namespaced: boolean, ...kinds: string[]): GrantedKind[] =>
  kinds.map((kind) => ({ group, kind, plural: pluralOf(kind), namespaced }));

/** The name in paths of a kind of Kubernetes itself. */
const pluralOf = (kind: string): string =>
  `${kind.toLowerCase()}s`
    .replace(/ys$/, 'ies')
    .replace(/sss$/, 'sses')
    .replace(/^endpointss$/, 'endpoints');

/** What designs usually contain. */
export const USUAL_KINDS: readonly GrantedKind[] = [
  ...kindsOf('', true, 'ConfigMap', 'PersistentVolumeClaim', 'Pod', 'Secret', 'Service', 'ServiceAccount'),
  ...kindsOf('apps', true, 'DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'),
  ...kindsOf('batch', true, 'CronJob', 'Job'),
  ...kindsOf('autoscaling', true, 'HorizontalPodAutoscaler'),
  ...kindsOf('networking.k8s.io', true, 'Ingress', 'NetworkPolicy'),
  ...kindsOf('policy', true, 'PodDisruptionBudget'),
  ...kindsOf('rbac.authorization.k8s.io', true, 'Role', 'RoleBinding'),
  ...kindsOf('', false, 'Namespace'),
];

/** What some designs contain, and what changes a cluster for everybody on it: granted where a design needs it. */
const FURTHER_KINDS: readonly GrantedKind[] = [
  ...kindsOf('', true, 'LimitRange', 'ReplicationController', 'ResourceQuota'),
  ...kindsOf('', false, 'PersistentVolume'),
  ...kindsOf('apiextensions.k8s.io', false, 'CustomResourceDefinition'),
  ...kindsOf('rbac.authorization.k8s.io', false, 'ClusterRole', 'ClusterRoleBinding'),
  ...kindsOf('scheduling.k8s.io', false, 'PriorityClass'),
  ...kindsOf('networking.k8s.io', false, 'IngressClass'),
  ...kindsOf('storage.k8s.io', false, 'StorageClass'),
];

/** The kinds of Kubernetes that designs contain, for when the cluster cannot be asked which kinds it serves. */
export const BUILT_IN_KINDS: readonly GrantedKind[] = [...USUAL_KINDS, ...FURTHER_KINDS];

const WORKLOADS = ['DaemonSet', 'Deployment', 'ReplicaSet', 'ReplicationController', 'StatefulSet', 'CronJob', 'Job'];
const SCALED = ['Deployment', 'ReplicaSet', 'ReplicationController', 'StatefulSet'];
const CLAIMING = ['PersistentVolumeClaim', 'PersistentVolume', 'StatefulSet'];

/**
 * What deploying objects of these kinds takes: server-side apply, dry runs, comparing, and deleting what left a design.
 *
 * @param contents the kinds that a namespace may contain: none is deleted while it holds objects of others
 * @param defined the kinds that definitions among these objects define; the same holds for those
 */
export function rightsToDeploy(
  kinds: readonly GrantedKind[],
  { contents = [], defined = [] }: { contents?: readonly GrantedKind[]; defined?: readonly GrantedKind[] } = {},
): RequiredRight[] {
  const has = (...names: string[]) => kinds.some(({ kind }) => names.includes(kind));
  const rights = kinds.map((kind) =>
    isSecret(kind) ? rightTo(kind, WITHOUT_LIST, TO_DEPLOY_SECRETS) : rightTo(kind, APPLY, TO_DEPLOY),
  );
  if (has(...WORKLOADS))
    rights.push(
      namespaced('', ['pods'], LIST, TO_EXPLAIN_WORKLOADS),
      namespaced('', ['pods/log'], ['get'], TO_READ_LOGS),
    );
  if (has('Deployment')) rights.push(namespaced('apps', ['replicasets'], LIST, TO_TELL_TEMPLATES));
  if (has(...SCALED))
    rights.push(namespaced('autoscaling', ['horizontalpodautoscalers'], LIST, TO_RESPECT_AUTOSCALERS));
  if (has(...CLAIMING))
    rights.push(
      namespaced('', ['persistentvolumeclaims'], ['get', 'list', 'delete'], TO_KEEP_CLAIMS),
      namespaced('', ['pods'], LIST, TO_KEEP_CLAIMS),
      ofCluster('storage.k8s.io', ['storageclasses'], ['get'], TO_WAIT_FOR_CLAIMS),
    );
  if (has('Namespace')) rights.push(...contents.map((kind) => rightTo(kind, ['list'], TO_KEEP_CONTENTS)));
  if (has('CustomResourceDefinition'))
    rights.push(...defined.map((kind) => rightTo({ ...kind, namespaced: false }, ['list'], TO_KEEP_CONTENTS)));
  return withoutRepetition(rights);
}

/** For designs that bring a namespace which exists. */
export const rightToChangeNamespaces = (names: readonly string[]): RequiredRight => ({
  ...ofCluster('', ['namespaces'], ['get', 'patch'], TO_CHANGE_NAMESPACES),
  names,
});

/** Omits verbs on kinds that another right has already. */
function withoutRepetition(rights: readonly RequiredRight[]): RequiredRight[] {
  const had = new Set<string>();
  return rights.flatMap((right) => {
    const keys = (verb: string) => right.resources.map((resource) => `${right.apiGroup}/${resource} ${verb}`);
    const verbs = right.verbs.filter((verb) => keys(verb).some((key) => !had.has(key)));
    for (const key of verbs.flatMap(keys)) had.add(key);
    return verbs.length > 0 ? [{ ...right, verbs }] : [];
  });
}

const isSecret = ({ group, plural }: GrantedKind): boolean => group === '' && plural === 'secrets';

const rightTo = ({ group, plural, ...kind }: GrantedKind, verbs: readonly string[], why: Why): RequiredRight =>
  (kind.namespaced ? namespaced : ofCluster)(group, [plural], verbs, why);

const DEPLOY: readonly RequiredRight[] = [
  ...rightsToDeploy(USUAL_KINDS, { contents: BUILT_IN_KINDS.filter((kind) => kind.namespaced) }),
  ...rightsToDeploy(FURTHER_KINDS).map((right) => ({ ...right, optional: true })),
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
  ofCluster('apiextensions.k8s.io', ['customresourcedefinitions'], READ, {
    reason: 'to find kinds that are added to the cluster',
    consequence: 'Kinds that are added to the cluster are not found until they are discovered again.',
  }),
];

const UNMANAGED: Why = {
  reason: 'to deploy and remove the operator, the broker, the resource sync and adapters',
  consequence: 'The operator, the broker, the resource sync and adapters cannot be deployed or removed.',
};

/** The kinds of the controllers in their namespace, and the permissions that the controllers receive. */
const OPERATOR: readonly RequiredRight[] = [
  namespaced('', ['serviceaccounts', 'services'], APPLY, UNMANAGED),
  namespaced('apps', ['deployments', 'statefulsets'], APPLY, UNMANAGED),
  namespaced('rbac.authorization.k8s.io', ['rolebindings', 'roles'], APPLY, UNMANAGED),
  namespaced('', ['pods'], LIST, {
    reason: 'to tell why a controller does not become ready',
    consequence: 'Why a controller does not become ready is unknown.',
  }),
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
    reason: 'to grant them to the resource sync: a cluster lets users grant only rights that they have themselves',
    consequence:
      'The resource sync cannot be deployed: a cluster lets users grant only rights that they have themselves.',
  })),
];

/** Whether a credential for one namespace needs a right: it neither makes nor deletes namespaces. */
export const isNeededInNamespace = ({ namespaced: isOfNamespace, reason }: RequiredRight): boolean =>
  isOfNamespace && reason !== TO_KEEP_CONTENTS.reason;

export const REQUIRED_RIGHTS: Readonly<Record<Purpose, readonly RequiredRight[]>> = {
  deploy: DEPLOY,
  watch: WATCH,
  operator: OPERATOR,
};

/** The permissions of the resource sync. */
export const WATCH_RIGHTS = WATCH;
