import type { ConnectionKind } from '../../connections/kinds/connection-kind.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import type { ClusterAccess, ClusterTls, ClusterUser } from './cluster-access.js';
import type { ClusterClient } from './cluster-client.js';
import { type KubeconfigSettings, readKubeconfig } from './kubeconfig.js';

type Json = Record<string, unknown>;

/** How the secret of a cluster's credential is kept: who calls, and whom it trusts. */
interface ClusterSecret {
  user: ClusterUser;
  tls: ClusterTls;
}

/** What may be entered as the secret of a cluster in place of a kubeconfig: the fields of a kubeconfig's user and cluster. */
const FIELDS = {
  user: ['token', 'username', 'password', 'client-certificate-data', 'client-key-data'],
  cluster: ['certificate-authority-data', 'tls-server-name', 'insecure-skip-tls-verify', 'proxy-url'],
};

/**
 * Clusters as a kind of connection. Whatever is entered passes the one reader of kubeconfigs, so that no other door lets
 * in a program to run, a file to read or a certificate not to check.
 */
export function kubernetesKind(
  settings: KubeconfigSettings,
  trial: (access: ClusterAccess) => ClusterClient,
): ConnectionKind {
  return {
    name: 'kubernetes',
    type: 'platform',
    subType: 'orchestration',
    metadata: {
      type: 'object',
      required: ['server'],
      properties: {
        server: { type: 'string', format: 'uri' },
        namespace: { type: 'string' },
        context: { type: 'string' },
      },
    },
    normalize: (metadata, secret) => {
      if (!secret) return { metadata, secret };
      if (isKept(secret)) return { metadata, secret };
      const { context, access } = read(metadata, secret, settings);
      return { metadata: { ...metadata, ...publicPart(access), context }, secret: secretPart(access) };
    },
    addresses: ({ server, proxy }) =>
      [server, proxy].filter((address): address is string => typeof address === 'string'),
    probe: async (metadata, secret) => {
      const client = trial(accessOf(metadata, secret));
      try {
        return { version: (await client.ping()).gitVersion };
      } finally {
        await client.close();
      }
    },
  };
}

/** Everything needed to call the cluster of a connection. */
export function accessOf(metadata: Json, secret: Json | null): ClusterAccess {
  const { user = {}, tls = {} } = (secret ?? {}) as Partial<ClusterSecret>;
  const text = (key: string) => (typeof metadata[key] === 'string' && metadata[key] !== '' ? metadata[key] : undefined);
  return { server: text('server') ?? '', namespace: text('namespace'), proxy: text('proxy'), user, tls };
}

/** The part of an access that is no secret, as the metadata of a connection. */
export function publicPart(access: ClusterAccess): Json {
  const { server, namespace, proxy } = access;
  return { server, ...(namespace ? { namespace } : {}), ...(proxy ? { proxy } : {}) };
}

export const secretPart = ({ user, tls }: ClusterAccess): Json => ({ user, tls });

const isKept = (secret: Json): boolean => typeof secret['user'] === 'object' && typeof secret['tls'] === 'object';

function read(metadata: Json, secret: Json, settings: KubeconfigSettings): { context: string; access: ClusterAccess } {
  const contexts = readKubeconfig(kubeconfigOf(metadata, secret), settings);
  const wanted = typeof metadata['context'] === 'string' ? metadata['context'] : undefined;
  const chosen =
    contexts.find((each) => (wanted ? each.context === wanted : each.current)) ??
    (contexts.length === 1 ? contexts[0] : undefined);
  if (!chosen)
    throw InvalidRequest.at(
      '/metadata/context',
      `must name one of the contexts ${contexts.map((each) => each.context).join(', ')}`,
    );
  if (chosen.error) throw chosen.error;
  return { context: chosen.context, access: chosen.access };
}

function kubeconfigOf(metadata: Json, secret: Json): string {
  const { kubeconfig } = secret;
  if (typeof kubeconfig === 'string') return kubeconfig;
  if (typeof kubeconfig === 'object' && kubeconfig !== null) return JSON.stringify(kubeconfig);
  const pick = (names: string[]) =>
    Object.fromEntries(
      names
        .map((name) => [name, secret[name] ?? secret[name.replaceAll('-', '_')]])
        .filter(([, value]) => value !== undefined),
    );
  const known = Object.values(FIELDS).flat();
  const unknown = Object.keys(secret).filter((key) => !known.includes(key.replaceAll('_', '-')));
  if (unknown.length > 0)
    throw new InvalidRequest(`credential_secret does not take ${unknown.join(', ')}`, {
      errors: unknown.map((key) => ({
        pointer: `/credential_secret/${key}`,
        detail: 'is not a field of a cluster credential',
      })),
      remedy: `Send {"kubeconfig": …} or some of ${known.join(', ')}.`,
    });
  return JSON.stringify({
    contexts: [{ name: 'entered', context: { cluster: 'entered', user: 'entered' } }],
    'current-context': 'entered',
    clusters: [{ name: 'entered', cluster: { server: metadata['server'], ...pick(FIELDS.cluster) } }],
    users: [{ name: 'entered', user: pick(FIELDS.user) }],
  });
}
