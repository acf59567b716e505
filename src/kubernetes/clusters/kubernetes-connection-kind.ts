import type { ConnectionKind } from '../../connections/kinds/connection-kind.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { definedFields } from '../../core/rest/read-only-fields.js';
import type { ClusterAccess, ClusterTls, ClusterUser } from './cluster-access.js';
import type { ClusterClient } from './cluster-client.js';
import type { KubeconfigLoader, KubeconfigSource } from './kubeconfig.loader.js';

type Json = Record<string, unknown>;

/** The stored secret of a cluster credential: its authentication and trusted certificates. */
interface ClusterSecret {
  user: ClusterUser;
  tls: ClusterTls;
}

const TEXT_SCHEMA = { type: 'string' };
const METADATA_SCHEMA = {
  type: 'object',
  required: ['server'],
  properties: {
    server: {
      ...TEXT_SCHEMA,
      format: 'uri',
      description: 'The URL of the API server; taken from the kubeconfig of the credential, if there is one.',
    },
    namespace: { ...TEXT_SCHEMA, description: 'The default namespace of objects.' },
    proxy: { ...TEXT_SCHEMA, format: 'uri', description: 'http or https proxy that the cluster is reached through.' },
    context: { ...TEXT_SCHEMA, description: 'The context to use of the kubeconfig in the credential.' },
  },
};

/** Fields of a kubeconfig's user and cluster that a credential may have instead of a kubeconfig, also in snake_case. */
const USER_FIELDS = ['token', 'username', 'password', 'client-certificate-data', 'client-key-data'];
const CLUSTER_FIELDS = ['certificate-authority-data', 'tls-server-name', 'insecure-skip-tls-verify', 'proxy-url'];
const SECRET_SCHEMA = {
  type: 'object',
  properties: {
    kubeconfig: { type: ['string', 'object'], description: 'A kubeconfig, in place of all other fields.' },
    ...Object.fromEntries(
      [...USER_FIELDS, ...CLUSTER_FIELDS]
        .flatMap((name) => [name, name.replaceAll('-', '_')])
        .map((name) => [name, { type: /insecure/.test(name) ? 'boolean' : 'string' }]),
    ),
  },
  additionalProperties: false,
};

/** Replaces the server address when a secret is read without one. */
const PLACEHOLDER_SERVER = 'https://cluster.invalid';

/**
 * The connection kind of clusters. All input passes the same kubeconfig reader, when it is stored and whenever it is
 * used, so that commands, file paths and disabled certificate checks are always rejected.
 */
export function kubernetesConnectionKind(
  kubeconfigs: KubeconfigLoader,
  trial: (access: ClusterAccess) => ClusterClient,
): ConnectionKind {
  return {
    name: 'kubernetes',
    type: 'platform',
    subType: 'orchestration',
    metadata: METADATA_SCHEMA,
    secret: SECRET_SCHEMA,
    normalize: async (metadata, secret) => {
      const { context, access } = await readContext(metadata, secret ?? {}, kubeconfigs);
      const { server, ...others } = toMetadata(access);
      return {
        metadata: {
          ...metadata,
          ...(server === PLACEHOLDER_SERVER ? {} : { server }),
          ...others,
          ...(secret?.['kubeconfig'] ? { context } : {}),
        },
        secret: secret && toSecret(access),
      };
    },
    addresses: ({ server, proxy }) =>
      [server, proxy].filter((address): address is string => typeof address === 'string'),
    probe: async (metadata, secret) => {
      const client = trial(toClusterAccess(metadata, secret));
      try {
        return { version: (await client.ping()).gitVersion.slice(0, 100) };
      } finally {
        await client.close();
      }
    },
  };
}

/** Builds the access to the cluster of a connection. */
export function toClusterAccess(metadata: Json, secret: Json | null): ClusterAccess {
  const { user = {}, tls = {} } = (secret ?? {}) as Partial<ClusterSecret>;
  const text = (key: string) => (typeof metadata[key] === 'string' && metadata[key] !== '' ? metadata[key] : undefined);
  return { server: text('server') ?? '', namespace: text('namespace'), proxy: text('proxy'), user, tls };
}

/** The part of an access that is not secret, as metadata of a connection. */
function toMetadata(access: ClusterAccess): Json {
  const { server, namespace, proxy } = access;
  return { server, ...(namespace ? { namespace } : {}), ...(proxy ? { proxy } : {}) };
}

const toSecret = ({ user, tls }: ClusterAccess): Json => ({ user, tls });

const isClusterSecret = (secret: object): secret is ClusterSecret =>
  'user' in secret && typeof secret.user === 'object' && 'tls' in secret && typeof secret.tls === 'object';

async function readContext(
  metadata: Json,
  secret: Json,
  kubeconfigs: KubeconfigLoader,
): Promise<{ context: string; access: ClusterAccess }> {
  const contexts = await kubeconfigs.load(toKubeconfigSource(metadata, secret));
  const wanted = typeof metadata['context'] === 'string' ? metadata['context'] : undefined;
  const chosen =
    (contexts.length === 1 && !secret['kubeconfig'] ? contexts[0] : undefined) ??
    contexts.find((each) => (wanted ? each.context === wanted : each.current)) ??
    (contexts.length === 1 && !wanted ? contexts[0] : undefined);
  if (!chosen)
    throw InvalidRequest.forField(
      '/metadata/context',
      `must name one of the contexts ${contexts.map((each) => each.context).join(', ')}`,
    );
  if (chosen.error) throw chosen.error;
  return { context: chosen.context, access: chosen.access };
}

function toKubeconfigSource(metadata: Json, secret: Json): KubeconfigSource {
  const { kubeconfig } = secret;
  if (typeof kubeconfig === 'string') return kubeconfig;
  if (typeof kubeconfig === 'object' && kubeconfig !== null) return kubeconfig as Json;
  return assembleKubeconfig(
    metadata,
    isClusterSecret(secret)
      ? toKubeconfigFields(secret)
      : { user: pickFields(secret, USER_FIELDS), cluster: pickFields(secret, CLUSTER_FIELDS) },
  );
}

/** Builds a kubeconfig with this access as its only context. */
export function buildKubeconfig(access: ClusterAccess, context: string): Json {
  return assembleKubeconfig(toMetadata(access), toKubeconfigFields(access), context);
}

function assembleKubeconfig(metadata: Json, fields: { user: Json; cluster: Json }, name = 'entered'): Json {
  const { server, namespace, proxy } = metadata;
  return {
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace ? { namespace } : {}) } }],
    'current-context': name,
    clusters: [
      {
        name,
        cluster: { server: server ?? PLACEHOLDER_SERVER, ...(proxy ? { 'proxy-url': proxy } : {}), ...fields.cluster },
      },
    ],
    users: [{ name, user: fields.user }],
  };
}

/** Converts a stored secret to kubeconfig fields. */
function toKubeconfigFields({ user, tls }: ClusterSecret): { user: Json; cluster: Json } {
  const { cert, key, impersonate, ...plain } = user;
  return {
    user: {
      ...plain,
      ...(cert ? { 'client-certificate-data': base64(cert) } : {}),
      ...(key ? { 'client-key-data': base64(key) } : {}),
      ...(impersonate
        ? {
            as: impersonate.user,
            'as-uid': impersonate.uid,
            'as-groups': impersonate.groups,
            'as-user-extra': impersonate.extra,
          }
        : {}),
    },
    cluster: {
      ...(tls.ca ? { 'certificate-authority-data': base64(tls.ca) } : {}),
      ...(tls.servername ? { 'tls-server-name': tls.servername } : {}),
      ...(tls.insecure ? { 'insecure-skip-tls-verify': true } : {}),
    },
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Picks fields by name, also in snake_case. */
function pickFields(from: Json, names: string[]): Json {
  return definedFields(Object.fromEntries(names.map((name) => [name, from[name] ?? from[name.replaceAll('-', '_')]])));
}
