import { toYaml } from '../../formats/documents/yaml-writer.js';
import { type Purpose, REQUIRED_RIGHTS, type RequiredRight } from './required-rights.js';

export interface ManifestOptions {
  purposes: readonly Purpose[];
  /** URL of the API server, for the kubeconfig. */
  server: string;
  /** The only namespace for deployments and the watch; default: all namespaces. */
  namespace?: string;
  /** The namespace of the operator and adapters. */
  operatorNamespace: string;
}

/** The namespace of the service accounts. */
const NAMESPACE = 'armature';
const GROUP = 'rbac.authorization.k8s.io';
const RESTRICTED = { 'pod-security.kubernetes.io/enforce': 'restricted' };

/**
 * Builds a service account with the minimum RBAC rules for these purposes, as YAML for kubectl; comments explain how
 * to create its kubeconfig.
 */
export function buildAccessManifest(options: ManifestOptions): string {
  const { purposes, namespace, operatorNamespace } = options;
  const name = `armature-${purposes.join('-')}`;
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
  const ofCluster: RequiredRight[] = [];
  for (const purpose of purposes) {
    const rights = REQUIRED_RIGHTS[purpose];
    const home = purpose === 'operator' ? operatorNamespace : namespace;
    if (home === undefined) {
      ofCluster.push(...rights);
      continue;
    }
    if (purpose === 'operator') {
      objects.push({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: home, labels: RESTRICTED } });
      ofCluster.push(...rights.filter((right) => !right.namespaced));
    }
    objects.push(
      ...grant(
        'Role',
        `${name}-${purpose}`,
        home,
        rights.filter((right) => right.namespaced),
        name,
      ),
    );
  }
  if (ofCluster.length > 0) objects.push(...grant('ClusterRole', name, undefined, ofCluster, name));
  return `${describe(options, name)}${toYaml(objects)}`;
}

/** Creates a role with these rules, bound to the service account. */
function grant(
  kind: 'Role' | 'ClusterRole',
  name: string,
  namespace: string | undefined,
  rights: readonly RequiredRight[],
  account: string,
): object[] {
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return [
    { apiVersion: `${GROUP}/v1`, kind, metadata, rules: toRules(rights) },
    {
      apiVersion: `${GROUP}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: GROUP, kind, name },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: NAMESPACE }],
    },
  ];
}

/** Converts required permissions to RBAC rules; merges those of one group with the same verbs. */
export function toRules(rights: readonly RequiredRight[]): object[] {
  const rules = new Map<string, { apiGroups: string[]; resources: string[]; verbs: string[] }>();
  for (const { apiGroup, resources, verbs } of rights) {
    const key = JSON.stringify([apiGroup, verbs]);
    const rule = rules.get(key) ?? { apiGroups: [apiGroup], resources: [], verbs: [...verbs] };
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

function describe({ purposes, server, namespace }: ManifestOptions, name: string): string {
  const file = `${name}.kubeconfig`;
  const config = `kubectl config --kubeconfig ${file}`;
  const secret = `kubectl -n ${NAMESPACE} get secret ${name}-token`;
  const commands = [
    `kubectl apply -f ${name}.yaml`,
    `kubectl -n ${NAMESPACE} wait --for=jsonpath='{.data.token}' --timeout=30s secret/${name}-token`,
    `${secret} -o jsonpath='{.data.ca\\.crt}' | base64 -d > ${name}.crt`,
    `${config} set-cluster ${name} --server ${quote(server)} --certificate-authority ${name}.crt --embed-certs`,
    `${config} set-credentials ${name} --token "$(${secret} -o jsonpath='{.data.token}' | base64 -d)"`,
    `${config} set-context ${name} --cluster ${name} --user ${name}${namespace === undefined ? '' : ` --namespace ${namespace}`}`,
    `${config} use-context ${name}`,
  ];
  const lines = [
    `A service account that may ${purposes.map((purpose) => USES[purpose]).join('; ')}`,
    `${namespace === undefined ? 'in all namespaces' : `in the namespace ${namespace}`}, and nothing else.`,
    ...(purposes.includes('deploy') || purposes.includes('watch')
      ? ['Custom kinds are not included: add a rule with their API group if designs contain them.']
      : []),
    '',
    'As an administrator of the cluster, save this as a file, apply it and make the kubeconfig of the service account:',
    '',
    ...commands.map((command) => `    ${command}`),
    '',
    `Then register ${file} with POST /api/system/kubernetes.`,
    '',
    'The token is valid until its Secret is deleted. For a token that expires, omit the Secret and create the token with',
    `kubectl -n ${NAMESPACE} create token ${name} --duration 24h`,
  ];
  return lines.map((line) => (line === '' ? '#\n' : `# ${line}\n`)).join('');
}
