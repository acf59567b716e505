import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, type Dispatcher, Pool, ProxyAgent, request } from 'undici';
import { AppError, RemoteFailure } from '../errors/app-error.js';
import { type AddressSettings, AddressRules, type OutboundPolicy } from './address-rules.js';
import { describeConnectionFailure, ProxyFailure } from './connection-failure.js';
import { createGuardedConnector, type TlsOptions } from './guarded-connector.js';
import { outboundRefused } from './outbound-refused.js';

export interface OutboundRequest {
  policy: OutboundPolicy;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Largest answer taken, in bytes; 10 MiB without it. */
  maxBytes?: number;
  /** Whether an answer that is larger, takes longer or breaks off is taken as far as it came, in place of being refused. */
  truncate?: boolean;
  /** For everything from name resolution to the last byte, all redirects included; 15 s without it. */
  timeoutMs?: number;
  /** How many redirects are followed, 5 without it. With 0 a redirect is the answer. */
  redirects?: number;
  signal?: AbortSignal;
}

export interface OutboundResponse {
  /** Where the answer came from, after redirects. */
  url: string;
  status: number;
  /** Names in lower case; several values of one name are joined by ", ". */
  headers: Record<string, string>;
  bytes: Buffer;
}

export interface DispatcherOptions {
  policy: OutboundPolicy;
  tls?: TlsOptions;
  /** An http or https proxy, itself guarded, that requests are tunnelled through. Proxies of the environment are never used. */
  proxy?: string;
  connectTimeoutMs?: number;
  headersTimeoutMs?: number;
  /** Between two pieces of an answer. */
  bodyTimeoutMs?: number;
  /** Sockets per origin. */
  connections?: number;
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
const UNREACHABLE_REMEDY = 'Check that the address is right, and that this server can reach it.';
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key', 'private-token']);

/** The one way out of this server: every address that a user gave us is called through it, and nowhere else. */
export class Outbound {
  private readonly rules: AddressRules;
  private readonly agents: Record<OutboundPolicy, Agent>;

  /** @throws Error when a CIDR of `allow` cannot be read. */
  constructor(settings: AddressSettings) {
    this.rules = new AddressRules(settings);
    const agent = (policy: OutboundPolicy) => new Agent({ connect: createGuardedConnector(this.rules, policy) });
    this.agents = { user: agent('user'), connection: agent('connection') };
  }

  /**
   * Calls a URL and reads the whole answer, whatever its status.
   * @throws InvalidRequest `OUTBOUND_REFUSED` for an address that may not be called, at first or after a redirect
   * @throws RemoteFailure `OUTBOUND_FAILED`, `OUTBOUND_TIMEOUT` or `OUTBOUND_TOO_LARGE`
   */
  async fetch(address: string | URL, options: OutboundRequest): Promise<OutboundResponse> {
    const deadline = AbortSignal.timeout(options.timeoutMs ?? 15_000);
    const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
    const url = this.parseUrl(address);
    try {
      return await this.fetchFollowing(url, options, signal);
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (options.signal?.aborted) throw error;
      if (deadline.aborted) {
        throw new RemoteFailure('OUTBOUND_TIMEOUT', `${url.host} did not answer in time`, {
          timedOut: true,
          cause: error,
          remedy: 'Check that the address is right and that the server behind it responds, then try again.',
        });
      }
      throw new RemoteFailure(
        'OUTBOUND_FAILED',
        `${url.host} could not be called: ${describeConnectionFailure(error)}`,
        {
          cause: error,
          remedy: UNREACHABLE_REMEDY,
        },
      );
    }
  }

  /**
   * Tells early whether a URL may be called; the guard asks again whenever it is. A name that does not resolve passes here.
   * @throws InvalidRequest `OUTBOUND_REFUSED`
   */
  async assertAllowed(address: string | URL, policy: OutboundPolicy): Promise<void> {
    const url = this.parseUrl(address);
    const host = stripBrackets(url.hostname);
    const addresses = isIP(host)
      ? [host]
      : await lookup(host, { all: true }).then(
          (found) => found.map((one) => one.address),
          () => [],
        );
    const refusals = addresses.map((one) => this.rules.findRefusal(one, policy));
    if (refusals.length > 0 && refusals.every(Boolean)) {
      throw outboundRefused(
        host,
        isIP(host) ? `${host} ${refusals[0]}` : `${host} resolves to an address that ${refusals[0]}`,
      );
    }
  }

  /**
   * The numeric address behind a URL, for a program that connects by itself: it is told to connect to this address and no other.
   * @throws InvalidRequest `OUTBOUND_REFUSED`; RemoteFailure when the name does not resolve
   */
  async resolve(address: string | URL, policy: OutboundPolicy): Promise<string> {
    const url = this.parseUrl(address);
    const host = stripBrackets(url.hostname);
    const addresses = isIP(host) ? [host] : await this.lookUp(url);
    const open = addresses.find((one) => this.rules.findRefusal(one, policy) === undefined);
    if (open !== undefined) return open;
    const reason = this.rules.findRefusal(addresses[0] ?? '', policy) ?? '';
    throw outboundRefused(host, isIP(host) ? `${host} ${reason}` : `${host} resolves to an address that ${reason}`);
  }

  private async lookUp({ hostname, host }: URL): Promise<string[]> {
    try {
      return (await lookup(hostname, { all: true })).map(({ address }) => address);
    } catch (error) {
      throw new RemoteFailure('OUTBOUND_FAILED', `${host} could not be called: ${describeConnectionFailure(error)}`, {
        cause: error,
        remedy: UNREACHABLE_REMEDY,
      });
    }
  }

  /** A guarded undici dispatcher for a long-lived client; the caller closes it. */
  createDispatcher(options: DispatcherOptions): Dispatcher {
    const limits = {
      headersTimeout: options.headersTimeoutMs ?? 30_000,
      bodyTimeout: options.bodyTimeoutMs ?? 30_000,
      connections: options.connections ?? 8,
    };
    const connector = (tls?: TlsOptions) =>
      createGuardedConnector(this.rules, options.policy, tls, options.connectTimeoutMs);
    if (!options.proxy) return new Agent({ ...limits, connect: connector(options.tls) });
    return new ProxyAgent({
      ...limits,
      uri: this.parseProxyUrl(options.proxy),
      requestTls: options.tls,
      clientFactory: (origin, pool) => new ProxyPool(origin, { ...pool, connect: connector() }),
    });
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.agents).map((agent) => agent.destroy()));
  }

  private async fetchFollowing(start: URL, options: OutboundRequest, signal: AbortSignal): Promise<OutboundResponse> {
    let url = start;
    let { method = 'GET', headers = {}, body } = options;
    for (let left = options.redirects ?? 5; ; left--) {
      const answer = await request(url, {
        dispatcher: this.agents[options.policy],
        method,
        headers: { 'accept-encoding': 'identity', ...headers },
        body,
        signal,
      });
      const location = answer.headers.location;
      if (!REDIRECT_STATUSES.has(answer.statusCode) || typeof location !== 'string' || options.redirects === 0) {
        const bytes = await readBody(answer.body, options, url.host);
        return { url: url.href, status: answer.statusCode, headers: joinHeaderValues(answer.headers), bytes };
      }
      answer.body.on('error', () => undefined).destroy();
      if (left === 0)
        throw new RemoteFailure('OUTBOUND_FAILED', `${start.host} redirects too often`, {
          remedy: 'Send the address that the redirects lead to.',
        });
      const next = this.parseUrl(location, url);
      if (next.origin !== url.origin) headers = dropPrivateHeaders(headers);
      if (answer.statusCode === 303 || (method === 'POST' && answer.statusCode < 303)) {
        method = method === 'HEAD' ? 'HEAD' : 'GET';
        body = undefined;
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-/i.test(name)));
      }
      url = next;
    }
  }

  private parseUrl(address: string | URL, base?: URL): URL {
    const text = String(address);
    const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
    if (!url) throw outboundRefused('', 'it is not a URL');
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw outboundRefused(url.hostname, `${url.protocol.slice(0, -1)} is not http or https`);
    }
    if (url.username || url.password) {
      throw outboundRefused(
        url.hostname,
        'it carries a user name or password',
        'Leave the user out of the URL; send a header or use a credential.',
      );
    }
    return url;
  }

  private parseProxyUrl(address: string): string {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
      throw outboundRefused(
        url?.hostname ?? '',
        'the proxy is not an http or https URL',
        'Name an http or https proxy.',
      );
    }
    return url.href;
  }
}

/**
 * The way to a proxy. A proxy that hangs up instead of making a tunnel is a failure of the call: undici takes that one
 * code (`UND_ERR_SOCKET`) for a stale socket, and would ask the proxy again and again.
 */
class ProxyPool extends Pool {
  // The declared overloads take a callback or answer a promise, and have no type in common.
  override connect(...args: never[]): never {
    const connect = super.connect.bind(this) as (...args: never[]) => Promise<unknown>;
    return openTunnel(() => connect(...args)) as never;
  }
}

/** @throws ProxyFailure when the proxy makes none */
async function openTunnel(connect: () => Promise<unknown>): Promise<Dispatcher.ConnectData> {
  const tunnel = (await connect().catch((error: unknown) => {
    throw error instanceof AppError ? error : ProxyFailure.fromError(error);
  })) as Dispatcher.ConnectData;
  if (tunnel.statusCode === 200) return tunnel;
  tunnel.socket.on('error', () => undefined).destroy();
  throw ProxyFailure.refused(tunnel.statusCode);
}

async function readBody(
  body: Dispatcher.ResponseData['body'],
  { maxBytes = 10 * 1024 * 1024, truncate, signal }: OutboundRequest,
  host: string,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > maxBytes && truncate) return Buffer.concat([...pieces, piece]).subarray(0, maxBytes);
      if (size > maxBytes) {
        throw new RemoteFailure('OUTBOUND_TOO_LARGE', `The answer of ${host} is larger than ${maxBytes} bytes`, {
          remedy: `Send an address whose content has at most ${maxBytes} bytes.`,
        });
      }
      pieces.push(piece);
    }
  } catch (error) {
    if (!truncate || signal?.aborted) throw error;
  }
  return Buffer.concat(pieces);
}

function joinHeaderValues(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

function dropPrivateHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !PRIVATE_HEADERS.has(name.toLowerCase())));
}

function stripBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
