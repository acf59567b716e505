import type { OutboundResponse } from '../../core/outbound/outbound-request.js';
import type { Outbound } from '../../core/outbound/outbound.service.js';
import type { ConnectionKind } from './connection-kind.js';
import { authorization, failedResponse, redirected, unexpectedResponse } from './http-server.js';
import { trimTextEnd } from '../../core/trim-text.js';

type Json = Record<string, unknown>;

const URL_SCHEMA = { type: 'string', format: 'uri', pattern: '^https?://', description: 'http or https' };
const URL_METADATA_SCHEMA = { type: 'object', required: ['url'], properties: { url: URL_SCHEMA } };
/** Pings report it; what is sent is replaced. */
const REPORTED = { type: ['string', 'null'], description: 'reported by a ping' };
const CA_SCHEMA = {
  type: 'string',
  maxLength: 64 * 1024,
  certificates: true,
  description:
    'PEM certificates of the authorities that sign the certificate of the server, in place of those of the system',
};
/** Nothing else is taken: a setting for TLS that has no effect would be believed to have one. */
const SERVER_SCHEMA = {
  ...URL_METADATA_SCHEMA,
  properties: { url: URL_SCHEMA, ca: CA_SCHEMA, version: REPORTED },
  additionalProperties: false,
};
const MESH_SCHEMA = { type: 'object', properties: { url: URL_SCHEMA, namespace: { type: 'string' } } };
/** The token is sent in a header, which allows no spaces, line breaks or control characters. */
const TOKEN_SCHEMA = { type: 'string', pattern: '^[\\x21-\\x7e]+$', description: 'sent as Bearer' };
const SECRET_SCHEMA = {
  type: 'object',
  properties: {
    token: TOKEN_SCHEMA,
    username: { type: 'string', pattern: '^[^:]*$', description: 'sent as Basic, where there is no token' },
    password: { type: 'string' },
  },
  dependencies: { password: ['username'] },
};

/** Limits of each call of a ping. */
const LIMITS = { timeoutMs: 10_000, maxBytes: 1024 * 1024 };
/** Indexes of public chart repositories have tens of megabytes; the first bytes suffice to recognize one. */
const MAX_INDEX_BYTES = 64 * 1024 * 1024;

const MESHES = [
  'istio',
  'linkerd',
  'consul',
  'kuma',
  'cilium',
  'nginx-sm',
  'traefik-mesh',
  'osm',
  'app-mesh',
  'nsm',
  'octarine',
  'citrix',
  'tanzu',
];

const GITHUB = 'https://api.github.com';

const addresses = (metadata: Json): string[] => (typeof metadata['url'] === 'string' ? [metadata['url']] : []);
const authorities = ({ ca }: Json): string | null => (typeof ca === 'string' ? ca : null);

/** Asks a tool at a path below its address; `what` is the name of the tool in errors. */
type ToolCall = (
  what: string,
  base: unknown,
  path: string,
  secret: Json | null,
  options?: { maxBytes?: number; ca?: unknown },
) => Promise<OutboundResponse>;

const createToolCall =
  (outbound: Outbound): ToolCall =>
  async (what, base, path, secret, { maxBytes = LIMITS.maxBytes, ca } = {}) => {
    const url = trimTextEnd(String(base), /\//) + path;
    const headers = { accept: 'application/json', 'user-agent': 'armature', ...authorization(secret) };
    const answer = await outbound.fetch(url, {
      ...{ policy: 'connection', headers, ...LIMITS, maxBytes, redirects: 0 },
      ...(typeof ca === 'string' ? { ca } : {}),
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    if (answer.status >= 300 && answer.status < 400) throw redirected(what, answer.status);
    throw failedResponse(what, answer.status);
  };

/** Tools that are reached over plain HTTP: metric servers, dashboards, source control, chart repositories. */
export function httpKinds(outbound: Outbound): ConnectionKind[] {
  const call = createToolCall(outbound);
  return [
    {
      name: 'prometheus',
      type: 'observability',
      subType: 'monitoring',
      metadata: SERVER_SCHEMA,
      secret: SECRET_SCHEMA,
      addresses,
      authorities,
      probe: async ({ url, ca }, secret) => {
        const info = await call('Prometheus', url, '/api/v1/status/buildinfo', secret, { ca });
        const answer = parseJson(info, 'Prometheus');
        if (answer['status'] !== 'success') throw unexpectedResponse('Prometheus');
        return { version: textIn(answer['data'], 'version') };
      },
    },
    {
      name: 'grafana',
      type: 'observability',
      subType: 'monitoring',
      metadata: SERVER_SCHEMA,
      secret: SECRET_SCHEMA,
      addresses,
      authorities,
      probe: async ({ url, ca }, secret) => {
        const health = parseJson(await call('Grafana', url, '/api/health', null, { ca }), 'Grafana');
        if (typeof health['database'] !== 'string') throw unexpectedResponse('Grafana');
        if (secret) await call('Grafana', url, '/api/org', secret, { ca });
        return { version: textIn(health, 'version') };
      },
    },
    {
      name: 'github',
      type: 'platform',
      subType: 'management',
      metadata: {
        type: 'object',
        properties: { url: { ...URL_SCHEMA, default: GITHUB }, login: REPORTED },
        additionalProperties: false,
      },
      secret: { type: 'object', required: ['token'], properties: { token: TOKEN_SCHEMA } },
      addresses,
      defaultAddress: GITHUB,
      probe: async ({ url }, secret) => {
        const answer = parseJson(
          await call('GitHub', url ?? GITHUB, secret ? '/user' : '/rate_limit', secret),
          'GitHub',
        );
        if (secret ? typeof answer['login'] !== 'string' : !answer['resources']) throw unexpectedResponse('GitHub');
        return { login: textIn(answer, 'login') };
      },
    },
    {
      name: 'helm',
      type: 'platform',
      subType: 'management',
      metadata: SERVER_SCHEMA,
      secret: SECRET_SCHEMA,
      addresses,
      authorities,
      probe: async ({ url, ca }, secret) => {
        const { bytes } = await call('the chart repository', url, '/index.yaml', secret, {
          maxBytes: MAX_INDEX_BYTES,
          ca,
        });
        if (!/^["']?(apiVersion|entries)["']?\s*:/m.test(bytes.toString('utf8', 0, 4096)))
          throw unexpectedResponse('a chart repository');
        return {};
      },
    },
    { name: 'webhook', type: 'platform', subType: 'management', metadata: URL_METADATA_SCHEMA, addresses },
    ...MESHES.map((name) => ({
      name,
      type: 'platform',
      subType: 'orchestration',
      metadata: MESH_SCHEMA,
      secret: SECRET_SCHEMA,
      addresses,
    })),
  ];
}

function parseJson({ bytes }: OutboundResponse, what: string): Json {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (typeof value === 'object' && value !== null) return value as Json;
  } catch {
    // Reported below, the same way for everything that is no JSON object.
  }
  throw unexpectedResponse(what);
}

/** Metadata that the remote system reports is kept only if it is a short text. */
function textIn(value: unknown, key: string): string | null {
  const text = (value as Json | null | undefined)?.[key];
  return typeof text === 'string' ? text.slice(0, 100) : null;
}
