import { toYaml } from '../../formats/documents/yaml-writer.js';
import type { Purpose, RequiredRight } from './required-rights.js';

export interface ManifestOptions {
  /** The rights of each purpose. */
  purposes: readonly { purpose: Purpose; rights: readonly RequiredRight[] }[];
  /** URL of the API server, for the kubeconfig. */
  server: string;
  /** The only namespaces for deployments and the watch, which exist; default: all namespaces. */
  namespaces?: readonly string[];
  /** The namespace of the operator and adapters. */
  operatorNamespace: string;
  /** Kinds of designs whose name in RBAC rules is unknown. */
  unknownKinds: readonly string[];
}

/** The namespace of the service accounts. */
const NAMESPACE = 'armature';
const GROUP = 'rbac.authorization.k8s.io';
const RESTRICTED = { 'pod-security.kubernetes.io/enforce': 'restricted' };
const LINE_LENGTH = 118;

/** Rights that the service account has in one namespace, or on the whole cluster. */
interface Grant {
  role: string;
  namespace?: string;
  rights: RequiredRight[];
}

/**
 * Builds a service account with the minimum RBAC rules for these purposes, as YAML for kubectl; comments say what it
 * gives and why, and how to create its kubeconfig.
 */
export function buildAccessManifest(options: ManifestOptions): string {
  const { operatorNamespace } = options;
  const name = manifestName(options.purposes.map(({ purpose }) => purpose));
  const grants = toGrants(options, name);
  const objects: object[] = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: NAMESPACE } },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: `${name}-token`,
        namespace: NAMESPACE,
        annotations: { 'kubernetes.io/service-account.name': name },
      },
      type: 'kubernetes.io/service-account-token',
    },
  ];
  if (options.purposes.some(({ purpose }) => purpose === 'operator'))
    objects.push({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: operatorNamespace, labels: RESTRICTED } });
  for (const grant of grants) objects.push(...bind(grant, name));
  return `${describe(options, name, grants)}${toYaml(objects)}`;
}

export const manifestName = (purposes: readonly Purpose[]): string => `armature-${purposes.join('-')}`;

/** Roles of namespaces first, then what has to be granted on the whole cluster. */
function toGrants({ purposes, namespaces, operatorNamespace }: ManifestOptions, name: string): Grant[] {
  const grants: Grant[] = [];
  const ofCluster: RequiredRight[] = [];
  for (const { purpose, rights } of purposes) {
    const homes = purpose === 'operator' ? [operatorNamespace] : namespaces;
    if (!homes) {
      ofCluster.push(...rights);
      continue;
    }
    const inNamespace = rights.filter((right) => right.namespaced);
    for (const namespace of homes) grants.push({ role: `${name}-${purpose}`, namespace, rights: inNamespace });
    ofCluster.push(...rights.filter((right) => !right.namespaced));
  }
  return [...grants, { role: name, rights: ofCluster }].filter(({ rights }) => rights.length > 0);
}

/** Creates a role with these rules, bound to the service account. */
function bind({ role, namespace, rights }: Grant, account: string): object[] {
  const kind = namespace === undefined ? 'ClusterRole' : 'Role';
  const metadata = { name: role, ...(namespace === undefined ? {} : { namespace }) };
  return [
    { apiVersion: `${GROUP}/v1`, kind, metadata, rules: toRules(rights) },
    {
      apiVersion: `${GROUP}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: GROUP, kind, name: role },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: NAMESPACE }],
    },
  ];
}

/** Converts required permissions to RBAC rules; merges those of one group with the same verbs. */
export function toRules(rights: readonly RequiredRight[]): object[] {
  const rules = new Map<string, object & { resources: string[] }>();
  for (const { apiGroup, resources, verbs, names } of rights) {
    const key = JSON.stringify([apiGroup, verbs, names]);
    const rule = rules.get(key) ?? {
      apiGroups: [apiGroup],
      resources: [],
      ...(names && { resourceNames: [...names] }),
      verbs: [...verbs],
    };
    rule.resources = [...new Set([...rule.resources, ...resources])];
    rules.set(key, rule);
  }
  return [...rules.values()];
}

const USES: Record<Purpose, string> = {
  deploy: 'deploy designs, compare them with what runs and undeploy them',
  watch: 'watch what runs, without the data of Secrets',
  operator: 'deploy and remove the operator, the broker, the resource sync and adapters',
};

/** Quotes a text for the shell and removes line breaks, because the server address is user input. */
const quote = (text: string): string => `'${text.replaceAll(/[\r\n]/g, '').replaceAll("'", `'\\''`)}'`;

function describe(
  { purposes, server, namespaces, unknownKinds }: ManifestOptions,
  name: string,
  grants: Grant[],
): string {
  const file = `${name}.kubeconfig`;
  const config = `kubectl config --kubeconfig ${file}`;
  const secret = `kubectl -n ${NAMESPACE} get secret ${name}-token`;
  const home = namespaces?.length === 1 ? ` --namespace ${namespaces[0]}` : '';
  const commands = [
    `kubectl apply -f ${name}.yaml`,
    `kubectl -n ${NAMESPACE} wait --for=jsonpath='{.data.token}' --timeout=30s secret/${name}-token`,
    `${secret} -o jsonpath='{.data.ca\\.crt}' | base64 -d > ${name}.crt`,
    `${config} set-cluster ${name} --server ${quote(server)} --certificate-authority ${name}.crt --embed-certs`,
    `${config} set-credentials ${name} --token "$(${secret} -o jsonpath='{.data.token}' | base64 -d)"`,
    `${config} set-context ${name} --cluster ${name} --user ${name}${home}`,
    `${config} use-context ${name}`,
  ];
  const deploys = purposes.some(({ purpose }) => purpose === 'deploy');
  const lines = [
    `A service account to ${purposes.map(({ purpose }) => USES[purpose]).join('; ')}. It may:`,
    '',
    ...grants.flatMap(describeGrant),
    '',
    ...(deploys ? warnOfDeploying(namespaces) : []),
    ...(unknownKinds.length > 0
      ? [
          `Not included, because the cluster does not serve them or does not respond: ${unknownKinds.join(', ')}.`,
          'Add a rule for each by hand, or make the manifest anew when the cluster serves them.',
          '',
        ]
      : []),
    'As an administrator of the cluster, save this as a file, apply it and make the kubeconfig of the service account:',
    '',
    ...commands.map((command) => `    ${command}`),
    '',
    `Then register ${file} with POST /api/system/kubernetes.`,
    '',
    'The token is valid until its Secret is deleted. For a token that expires, omit the Secret and create the token with',
    `kubectl -n ${NAMESPACE} create token ${name} --duration 24h`,
  ];
  return lines.map((line) => (line === '' ? '#\n' : `# ${toOneLine(line)}\n`)).join('');
}

/** Without line breaks, also those of YAML 1.1: names of designs and clusters must not end the comment. */
const toOneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');

/** One entry for each reason, with its verbs and kinds as kubectl writes them. */
function describeGrant({ namespace, rights }: Grant): string[] {
  const uses = new Map<string, { resources: string[]; right: RequiredRight }>();
  for (const right of rights) {
    const key = JSON.stringify([right.reason, right.verbs, right.names]);
    const use = uses.get(key) ?? { resources: [], right };
    use.resources.push(...right.resources.map((resource) => [resource, right.apiGroup].filter(Boolean).join('.')));
    uses.set(key, use);
  }
  const entries = [...uses.values()].map(({ resources, right: { verbs, reason, names } }) => {
    const named = names ? ` named ${names.join(', ')}` : '';
    return `- ${verbs.join(', ')}: ${[...new Set(resources)].join(', ')}${named} (${reason})`;
  });
  const where =
    namespace === undefined ? 'on the whole cluster, in every namespace:' : `in the namespace ${namespace}:`;
  return [where, ...entries.flatMap(wrap)];
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + word.length > LINE_LENGTH) {
      lines.push(line.trimEnd());
      line = '  ';
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}

function warnOfDeploying(namespaces?: readonly string[]): string[] {
  return namespaces
    ? [
        'Whoever holds its token can read and replace every Secret of these namespaces by name, and act as every service',
        'account there, because designs contain Secrets and pods.',
        '',
      ]
    : [
        'Whoever holds its token can read and replace every Secret of the cluster and run pods as every service account:',
        'almost as much as an administrator, wherever admission rules do not forbid it. To give less, name the namespaces',
        '(namespaces=a,b) and the workspace whose designs are deployed (workspace_id=…), which leaves out all other kinds.',
        '',
      ];
}
