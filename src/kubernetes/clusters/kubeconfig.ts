import { X509Certificate, createPrivateKey } from 'node:crypto';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { type ClusterAccess, type ClusterTls, type ClusterUser } from './cluster-access.js';
import { KubeconfigReader, toRecord } from './kubeconfig-reader.js';
import { trimTextEnd } from '../../core/trim-text.js';

/** A context of a kubeconfig: how to call its cluster, or why it is rejected. */
export type KubeconfigContext = {
  context: string;
  /** Names in the kubeconfig, for display. */
  cluster?: string;
  user?: string;
  /** Whether it is the current-context. */
  current: boolean;
} & ({ access: ClusterAccess; error?: undefined } | { access?: undefined; error: InvalidRequest });

export interface KubeconfigSettings {
  /** Allows `insecure-skip-tls-verify` and http servers (CLUSTER_INSECURE_TLS). */
  insecureTls: boolean;
}

interface Entry {
  at: string;
  value: Record<string, unknown>;
  /** Why the entry cannot be read. */
  fault?: string;
}

/** Each context becomes a connection, and is pinged. */
const MAX_CONTEXTS = 100;
export const SPLIT_REMEDY = `Send at most ${MAX_CONTEXTS} contexts at a time: kubectl config view --raw --flatten --minify --context NAME.`;
const CONTEXT_REMEDY = 'Correct the field, or leave the context out.';

const TOKEN_REMEDY =
  'Put the token of a service account in the field token: kubectl create token NAME, or a Secret of type kubernetes.io/service-account-token.';
const INLINE_REMEDY = 'Embed the file: kubectl config view --raw --flatten --minify.';
const INSECURE_REMEDY = 'Give certificate-authority-data, or ask the operator to set CLUSTER_INSECURE_TLS=true.';

/** Fields that would make this server run a program or read one of its files. */
const UNSAFE_USER: Record<string, string> = {
  exec: TOKEN_REMEDY,
  'auth-provider': TOKEN_REMEDY,
  tokenFile: TOKEN_REMEDY,
  'client-certificate': INLINE_REMEDY,
  'client-key': INLINE_REMEDY,
};
const UNSAFE_CLUSTER: Record<string, string> = { 'certificate-authority': INLINE_REMEDY };

/**
 * Reads the contexts of a kubeconfig. A rejected context has an error `KUBECONFIG_UNSAFE` or `KUBECONFIG_INVALID`
 * whose `errors` point to its fields; other contexts are not affected.
 * @throws InvalidRequest `KUBECONFIG_INVALID` when the content is not a kubeconfig
 */
export function readContexts(content: unknown, settings: KubeconfigSettings): KubeconfigContext[] {
  const root = toRecord(content);
  if (!root) throw invalidKubeconfig('it is not a YAML mapping');
  if (root.kind !== undefined && root.kind !== 'Config') throw invalidKubeconfig('its kind is not Config');
  const contexts = entries(root, 'contexts', 'context');
  if (contexts.size === 0) throw invalidKubeconfig('it has no contexts');
  if (contexts.size > MAX_CONTEXTS)
    throw invalidKubeconfig(`it has more than ${MAX_CONTEXTS} contexts`, {}, SPLIT_REMEDY);
  const clusters = entries(root, 'clusters', 'cluster');
  const users = entries(root, 'users', 'user');

  return [...contexts].map(([name, found]) => {
    const read = new KubeconfigReader();
    const context = findSingle(found, read, 'context', name);
    const cluster = context && read.text(context.value, 'cluster', context.at);
    const user = context && read.text(context.value, 'user', context.at);
    const head = { context: name, cluster, user, current: root['current-context'] === name };
    const access =
      context && accessOf(context, findSingle(clusters.get(cluster ?? ''), read, 'cluster', cluster), user);
    if (access && read.faults.length === 0) return { ...head, access };
    const first = read.faults[0];
    const error = new InvalidRequest(`${first?.pointer?.slice(1).replaceAll('/', '.')} ${first?.detail}`, {
      code: read.isUnsafe ? 'KUBECONFIG_UNSAFE' : 'KUBECONFIG_INVALID',
      remedy: first?.remedy ?? CONTEXT_REMEDY,
      errors: read.faults,
    });
    return { ...head, error };

    function accessOf(from: Entry, to: Entry | undefined, userName?: string): ClusterAccess | undefined {
      const who =
        userName === undefined ? { at: '', value: {} } : findSingle(users.get(userName), read, 'user', userName);
      const credentials = who && readUser(who, read);
      const server = to && readServer(to, read, settings);
      const namespace = read.text(from.value, 'namespace', from.at);
      if (!to || !server || !credentials) return undefined;
      const proxy = readProxy(to, read);
      return {
        server,
        ...(namespace && { namespace }),
        tls: readTls(to, read, settings),
        ...(proxy && { proxy }),
        user: credentials,
      };
    }
  });
}

/** Groups the entries of a list by name; unnamed ones are keyed by position. A missing or null member is empty, as in kubectl. */
function entries(root: Record<string, unknown>, list: string, member: string): Map<string, Entry[]> {
  const found = new Map<string, Entry[]>();
  const items = root[list] ?? [];
  if (!Array.isArray(items)) throw invalidKubeconfig(`${list} is not a list`);
  items.forEach((item: unknown, index) => {
    const { name, [member]: given } = toRecord(item) ?? {};
    const isNamed = typeof name === 'string';
    const key = isNamed ? name : `${list}[${index}]`;
    const value = toRecord(given ?? {});
    const fault = !isNamed ? 'has no name' : value ? undefined : 'must be a mapping';
    const at = `/${list}/${index}${isNamed ? `/${member}` : ''}`;
    found.set(key, [...(found.get(key) ?? []), { at, value: value ?? {}, fault }]);
  });
  return found;
}

function findSingle(
  found: Entry[] | undefined,
  read: KubeconfigReader,
  what: string,
  name?: string,
): Entry | undefined {
  if (name === undefined) return read.addFault(`/${what}s`, `has no entry, since the context names no ${what}`);
  if (!found?.[0]) return read.addFault(`/${what}s`, `has no entry named ${name}`);
  if (found[0].fault) return read.addFault(found[0].at, found[0].fault);
  if (found.length > 1) return read.addFault(found[1]?.at ?? '', `repeats the name ${name}`);
  return found[0];
}

function readServer({ at, value }: Entry, read: KubeconfigReader, settings: KubeconfigSettings): string | undefined {
  refuseUnsafe(value, UNSAFE_CLUSTER, at, read);
  const server = read.text(value, 'server', at);
  const url = server !== undefined && URL.canParse(server) ? new URL(server) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.username || url.search || url.hash) {
    return read.addFault(`${at}/server`, 'must be an https URL without user, query or fragment');
  }
  if (url.protocol === 'http:' && !settings.insecureTls) {
    return read.addUnsafe(
      `${at}/server`,
      'sends credentials unencrypted over http',
      'Use an https server, or ask the operator to set CLUSTER_INSECURE_TLS=true.',
    );
  }
  return trimTextEnd(url.href, /\//);
}

function readTls({ at, value }: Entry, read: KubeconfigReader, settings: KubeconfigSettings): ClusterTls {
  const ca = read.certificates(value, 'certificate-authority-data', at);
  const servername = read.text(value, 'tls-server-name', at);
  const insecure = read.flag(value, 'insecure-skip-tls-verify', at);
  if (insecure && !settings.insecureTls) {
    read.addUnsafe(`${at}/insecure-skip-tls-verify`, 'would leave the cluster unverified', INSECURE_REMEDY);
  }
  if (insecure && ca)
    read.addFault(`${at}/insecure-skip-tls-verify`, 'contradicts certificate-authority-data', INSECURE_REMEDY);
  return { ...(ca && { ca }), ...(servername && { servername }), ...(insecure && { insecure }) };
}

function readProxy({ at, value }: Entry, read: KubeconfigReader): string | undefined {
  const proxy = read.text(value, 'proxy-url', at);
  if (proxy === undefined || /^https?:$/.test(URL.canParse(proxy) ? new URL(proxy).protocol : '')) return proxy;
  return read.addFault(
    `${at}/proxy-url`,
    'must be an http or https URL',
    'Name an http or https proxy; SOCKS is not supported.',
  );
}

function readUser({ at, value }: Entry, read: KubeconfigReader): ClusterUser {
  refuseUnsafe(value, UNSAFE_USER, at, read);
  const user: ClusterUser = {
    token: read.text(value, 'token', at),
    username: read.text(value, 'username', at),
    password: read.text(value, 'password', at),
    cert: read.certificates(value, 'client-certificate-data', at),
    key: read.privateKey(value, 'client-key-data', at),
  };
  if (value['client-certificate-data'] && !value['client-key-data'])
    read.addFault(`${at}/client-key-data`, 'is missing');
  if (value['client-key-data'] && !value['client-certificate-data'])
    read.addFault(`${at}/client-certificate-data`, 'is missing');
  if (user.cert && user.key && !new X509Certificate(user.cert).checkPrivateKey(createPrivateKey(user.key))) {
    read.addFault(`${at}/client-key-data`, 'does not belong to client-certificate-data');
  }
  if (user.token && /[^\x21-\x7e]/.test(user.token))
    read.addFault(`${at}/token`, 'has a space, line break or control character');
  const impersonated = read.text(value, 'as', at);
  const uid = read.text(value, 'as-uid', at);
  const groups = read.texts(value, 'as-groups', at);
  const extra = read.textsByKey(value, 'as-user-extra', at);
  if (impersonated) user.impersonate = { user: impersonated, uid, groups, extra };
  else if (uid || groups?.length || extra)
    read.addFault(`${at}/as`, 'is missing beside the other impersonation fields');
  return Object.fromEntries(Object.entries(user).filter(([, given]) => given !== undefined));
}

function refuseUnsafe(
  from: Record<string, unknown>,
  fields: Record<string, string>,
  at: string,
  read: KubeconfigReader,
): void {
  for (const [field, remedy] of Object.entries(fields)) {
    if (from[field] === undefined || from[field] === null || from[field] === '') continue;
    read.addUnsafe(`${at}/${field}`, 'would run a program or read a file of this server and is never followed', remedy);
  }
}

export function invalidKubeconfig(
  detail: string,
  position: { line?: number; column?: number } = {},
  remedy = 'Send the output of: kubectl config view --raw --flatten.',
): InvalidRequest {
  return new InvalidRequest(`This is not a kubeconfig: ${detail}`, {
    code: 'KUBECONFIG_INVALID',
    errors: [{ detail, ...position }],
    remedy,
  });
}
