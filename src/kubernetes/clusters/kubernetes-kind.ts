import type { ConnectionKind } from '../../connections/kinds/connection-kind.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { given } from '../../core/rest/change-input.js';
import type { ClusterAccess, ClusterTls, ClusterUser } from './cluster-access.js';
import type { ClusterClient } from './cluster-client.js';
import type { Kubeconfigs, KubeconfigSource } from './kubeconfigs.js';

type Json = Record<string, unknown>;

/** How the secret of a cluster's credential is kept: who calls, and whom it trusts. */
interface ClusterSecret {
  user: ClusterUser;
  tls: ClusterTls;
}

const TEXT = { type: 'string' };
const METADATA = {
  type: 'object',
  required: ['server'],
  properties: {
    server: { ...TEXT, format: 'uri', description: 'Of the API server; a kubeconfig in the credential brings it.' },
    namespace: { ...TEXT, description: 'Where objects without a namespace of their own go.' },
    proxy: { ...TEXT, format: 'uri', description: 'http or https proxy that the cluster is reached through.' },
    context: { ...TEXT, description: 'Of the kubeconfig in the credential: the one that is meant.' },
  },
};

/** What may be entered in place of a kubeconfig: fields of a kubeconfig's user and cluster, also with underscores. */
const USER = ['token', 'username', 'password', 'client-certificate-data', 'client-key-data'];
const CLUSTER = ['certificate-authority-data', 'tls-server-name', 'insecure-skip-tls-verify', 'proxy-url'];
const SECRET = {
  type: 'object',
  properties: {
    kubeconfig: { type: ['string', 'object'], description: 'A kubeconfig, in place of all other fields.' },
    ...Object.fromEntries(
      [...USER, ...CLUSTER]
        .flatMap((name) => [name, name.replaceAll('-', '_')])
        .map((name) => [name, { type: /insecure/.test(name) ? 'boolean' : 'string' }]),
    ),
  },
  additionalProperties: false,
};

/** Stands in the place of an address where a secret is read without one. */
const NOWHERE = 'https://cluster.invalid';

/**
 * Clusters as a kind of connection. Whatever is entered passes the one reader of kubeconfigs, so that no other door lets
 * in a program to run, a file to read or a certificate not to check; what was kept passes it again whenever it is used.
 */
export function kubernetesKind(
  kubeconfigs: Kubeconfigs,
  trial: (access: ClusterAccess) => ClusterClient,
): ConnectionKind {
  return {
    name: 'kubernetes',
    type: 'platform',
    subType: 'orchestration',
    metadata: METADATA,
    secret: SECRET,
    normalize: async (metadata, secret) => {
      const { context, access } = await read(metadata, secret ?? {}, kubeconfigs);
      const { server, ...others } = publicPart(access);
      return {
        metadata: {
          ...metadata,
          ...(server === NOWHERE ? {} : { server }),
          ...others,
          ...(secret?.['kubeconfig'] ? { context } : {}),
        },
        secret: secret && secretPart(access),
      };
    },
    addresses: ({ server, proxy }) =>
      [server, proxy].filter((address): address is string => typeof address === 'string'),
    probe: async (metadata, secret) => {
      const client = trial(accessOf(metadata, secret));
      try {
        return { version: (await client.ping()).gitVersion.slice(0, 100) };
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
function publicPart(access: ClusterAccess): Json {
  const { server, namespace, proxy } = access;
  return { server, ...(namespace ? { namespace } : {}), ...(proxy ? { proxy } : {}) };
}

const secretPart = ({ user, tls }: ClusterAccess): Json => ({ user, tls });

const isKept = (secret: object): secret is ClusterSecret =>
  'user' in secret && typeof secret.user === 'object' && 'tls' in secret && typeof secret.tls === 'object';

async function read(
  metadata: Json,
  secret: Json,
  kubeconfigs: Kubeconfigs,
): Promise<{ context: string; access: ClusterAccess }> {
  const contexts = await kubeconfigs.read(sourceOf(metadata, secret));
  const wanted = typeof metadata['context'] === 'string' ? metadata['context'] : undefined;
  const chosen =
    (contexts.length === 1 && !secret['kubeconfig'] ? contexts[0] : undefined) ??
    contexts.find((each) => (wanted ? each.context === wanted : each.current)) ??
    (contexts.length === 1 && !wanted ? contexts[0] : undefined);
  if (!chosen)
    throw InvalidRequest.at(
      '/metadata/context',
      `must name one of the contexts ${contexts.map((each) => each.context).join(', ')}`,
    );
  if (chosen.error) throw chosen.error;
  return { context: chosen.context, access: chosen.access };
}

function sourceOf(metadata: Json, secret: Json): KubeconfigSource {
  const { kubeconfig } = secret;
  if (typeof kubeconfig === 'string') return kubeconfig;
  if (typeof kubeconfig === 'object' && kubeconfig !== null) return kubeconfig as Json;
  return kubeconfigOf(
    metadata,
    isKept(secret) ? fieldsOf(secret) : { user: pick(secret, USER), cluster: pick(secret, CLUSTER) },
  );
}

/** A kubeconfig of one context, with this access and nothing else. */
export function kubeconfigFor(access: ClusterAccess, context: string): Json {
  return kubeconfigOf(publicPart(access), fieldsOf(access), context);
}

function kubeconfigOf(metadata: Json, fields: { user: Json; cluster: Json }, name = 'entered'): Json {
  const { server, namespace, proxy } = metadata;
  return {
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace ? { namespace } : {}) } }],
    'current-context': name,
    clusters: [
      { name, cluster: { server: server ?? NOWHERE, ...(proxy ? { 'proxy-url': proxy } : {}), ...fields.cluster } },
    ],
    users: [{ name, user: fields.user }],
  };
}

/** What was kept, in the words of a kubeconfig. */
function fieldsOf({ user, tls }: ClusterSecret): { user: Json; cluster: Json } {
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

/** Fields by their names, which may be written with underscores as well. */
function pick(from: Json, names: string[]): Json {
  return given(Object.fromEntries(names.map((name) => [name, from[name] ?? from[name.replaceAll('-', '_')]])));
}
