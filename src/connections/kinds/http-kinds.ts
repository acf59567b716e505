import { AppError, RemoteFailure } from '../../core/errors/app-error.js';
import type { Outbound, OutboundAnswer } from '../../core/outbound/outbound.js';
import type { ConnectionKind } from './connection-kind.js';

type Json = Record<string, unknown>;

const WITH_URL = { type: 'object', required: ['url'], properties: { url: { type: 'string', format: 'uri' } } };
const BASIC_OR_TOKEN = {
  type: 'object',
  properties: { token: { type: 'string' }, username: { type: 'string' }, password: { type: 'string' } },
};

const addresses = (metadata: Json): string[] => (typeof metadata['url'] === 'string' ? [metadata['url']] : []);

/** Tools that are reached over plain HTTP: metric servers, dashboards, source control, chart repositories. */
export function httpKinds(outbound: Outbound): ConnectionKind[] {
  const call = async (what: string, base: unknown, path: string, secret: Json | null): Promise<OutboundAnswer> => {
    const url = String(base).replace(/\/+$/, '') + path;
    const headers = { accept: 'application/json', 'user-agent': 'armature', ...authorization(secret) };
    const answer = await outbound.fetch(url, {
      policy: 'connection',
      headers,
      timeoutMs: 10_000,
      maxBytes: 1024 * 1024,
    });
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw refused(what, answer.status);
  };
  return [
    {
      name: 'prometheus',
      type: 'observability',
      subType: 'monitoring',
      metadata: WITH_URL,
      secret: BASIC_OR_TOKEN,
      addresses,
      probe: async ({ url }, secret) => {
        const { data } = json(await call('Prometheus', url, '/api/v1/status/buildinfo', secret), 'Prometheus');
        return { version: (data as Json | undefined)?.['version'] ?? null };
      },
    },
    {
      name: 'grafana',
      type: 'observability',
      subType: 'monitoring',
      metadata: WITH_URL,
      secret: BASIC_OR_TOKEN,
      addresses,
      probe: async ({ url }, secret) => {
        const health = json(await call('Grafana', url, '/api/health', null), 'Grafana');
        if (secret) await call('Grafana', url, '/api/org', secret);
        return { version: health['version'] ?? null };
      },
    },
    {
      name: 'github',
      type: 'platform',
      subType: 'management',
      metadata: { type: 'object', properties: { url: { type: 'string', format: 'uri' } } },
      secret: { type: 'object', required: ['token'], properties: { token: { type: 'string' } } },
      addresses,
      probe: async ({ url }, secret) => {
        const user = json(
          await call('GitHub', url ?? 'https://api.github.com', secret ? '/user' : '/rate_limit', secret),
          'GitHub',
        );
        return { login: user['login'] ?? null };
      },
    },
    {
      name: 'helm',
      type: 'platform',
      subType: 'management',
      metadata: WITH_URL,
      secret: BASIC_OR_TOKEN,
      addresses,
      probe: async ({ url }, secret) => {
        await call('the chart repository', url, '/index.yaml', secret);
        return {};
      },
    },
    { name: 'webhook', type: 'platform', subType: 'management', metadata: WITH_URL, addresses },
    ...['istio', 'linkerd', 'consul', 'kuma', 'cilium', 'nginx-sm', 'traefik-mesh', 'osm', 'app-mesh', 'nsm'].map(
      (name) => ({
        name,
        type: 'platform',
        subType: 'orchestration',
        addresses,
      }),
    ),
  ];
}

function authorization(secret: Json | null): Record<string, string> {
  if (typeof secret?.['token'] === 'string') return { authorization: `Bearer ${secret['token']}` };
  if (typeof secret?.['username'] !== 'string') return {};
  const pair = `${secret['username']}:${typeof secret['password'] === 'string' ? secret['password'] : ''}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function json({ bytes }: OutboundAnswer, what: string): Json {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (typeof value === 'object' && value !== null) return value as Json;
  } catch {
    // Said below, in one way for all that is no JSON object.
  }
  throw new RemoteFailure('CONNECTION_NOT_UNDERSTOOD', `the address answers, but not as ${what} does`);
}

function refused(what: string, status: number): AppError {
  const denied = status === 401 || status === 403;
  return new RemoteFailure(
    denied ? 'CONNECTION_DENIED' : 'CONNECTION_FAILED',
    `${what} answered ${status}${denied ? ': the credential does not hold' : ''}`,
    { remedy: denied ? 'Change the credential of the connection.' : 'Check the url of the connection.' },
  );
}
