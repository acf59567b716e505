import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { AppError, RemoteFailure } from '../errors/app-error.js';
import { type AddressSettings, AddressRules, type OutboundPolicy } from './address-rules.js';
import { describeConnectionFailure } from './connection-failure.js';
import { createGuardedConnector, type TlsOptions } from './guarded-connector.js';
import { addressRefused } from './outbound-refused.js';
import { hostOf, parseOutboundUrl, parseProxyUrl } from './outbound-url.js';
import type { OutboundRequest, OutboundResponse } from './outbound-request.js';
import { ProxyPool } from './proxy-pool.js';
import { readBody } from './read-body.js';
import { assertOutsideTransaction } from '../database/open-transaction.js';

export interface DispatcherOptions {
  policy: OutboundPolicy;
  tls?: TlsOptions;
  /** The URL of an http or https proxy for tunnels; its address is checked too. Proxy environment variables are ignored. */
  proxy?: string;
  connectTimeoutMs?: number;
  headersTimeoutMs?: number;
  /** The timeout between two chunks of a response. */
  bodyTimeoutMs?: number;
  /** The maximum number of sockets per origin. */
  connections?: number;
}

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
const UNREACHABLE_REMEDY = 'Check that the address is correct, and that this server can reach it.';
const PRIVATE_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization', 'x-api-key', 'private-token']);

/** The only outbound HTTP client for addresses that users enter. */
export class Outbound {
  private readonly rules: AddressRules;
  private readonly agents: Record<OutboundPolicy, Agent>;

  /** @throws Error when a CIDR of `allow` is invalid */
  constructor(settings: AddressSettings) {
    this.rules = new AddressRules(settings);
    const agent = (policy: OutboundPolicy) => new Agent({ connect: createGuardedConnector(this.rules, policy) });
    this.agents = { user: agent('user'), webhook: agent('webhook'), connection: agent('connection') };
  }

  /**
   * Sends a request and reads the whole response, whatever its status.
   * @throws InvalidRequest `OUTBOUND_REFUSED` for a blocked address, including that of a redirect
   * @throws RemoteFailure `OUTBOUND_FAILED`, `OUTBOUND_TIMEOUT` or `OUTBOUND_TOO_LARGE`
   */
  async fetch(address: string | URL, options: OutboundRequest): Promise<OutboundResponse> {
    assertOutsideTransaction('an outbound request');
    const deadline = AbortSignal.timeout(options.timeoutMs ?? 15_000);
    const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline;
    const url = parseOutboundUrl(address);
    const { policy, ca } = options;
    const own = ca ? new Agent({ connect: createGuardedConnector(this.rules, policy, { ca }) }) : undefined;
    try {
      return await this.fetchFollowing(url, options, signal, own ?? this.agents[policy]);
    } catch (error) {
      if (error instanceof AppError) throw error;
      if (options.signal?.aborted) throw error;
      if (deadline.aborted) {
        throw new RemoteFailure('OUTBOUND_TIMEOUT', `${url.host} did not answer in time`, {
          timedOut: true,
          cause: error,
          remedy: 'Check that the address is correct and that its server responds, then try again.',
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
    } finally {
      await own?.destroy();
    }
  }

  /**
   * Checks in advance whether a URL is allowed; each call checks again. A name that does not resolve passes.
   * @throws InvalidRequest `OUTBOUND_REFUSED`
   */
  async assertAllowed(address: string | URL, policy: OutboundPolicy): Promise<void> {
    assertOutsideTransaction('the resolution of a name');
    const url = parseOutboundUrl(address);
    const host = hostOf(url);
    const addresses = isIP(host)
      ? [host]
      : await lookup(host, { all: true }).then(
          (found) => found.map((one) => one.address),
          () => [],
        );
    const refusals = addresses.map((one) => this.rules.findRefusal(one, policy));
    if (refusals[0] !== undefined && refusals.every(Boolean)) throw addressRefused(host, refusals[0]);
  }

  /**
   * Resolves the host of a URL to an allowed numeric address, for a program that opens its own connections and is
   * restricted to this address.
   * @throws InvalidRequest `OUTBOUND_REFUSED`
   * @throws RemoteFailure when the name does not resolve
   */
  async resolve(address: string | URL, policy: OutboundPolicy): Promise<string> {
    assertOutsideTransaction('the resolution of a name');
    const url = parseOutboundUrl(address);
    const host = hostOf(url);
    const addresses = isIP(host) ? [host] : await this.lookUp(url);
    const open = addresses.find((one) => this.rules.findRefusal(one, policy) === undefined);
    if (open !== undefined) return open;
    const reason = this.rules.findRefusal(addresses[0] ?? '', policy) ?? '';
    throw addressRefused(host, reason);
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

  /** Creates a guarded undici dispatcher for a long-lived client; the caller closes it. */
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
      uri: parseProxyUrl(options.proxy),
      requestTls: options.tls,
      clientFactory: (origin, pool) => new ProxyPool(origin, { ...pool, connect: connector() }),
    });
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.agents).map((agent) => agent.destroy()));
  }

  private async fetchFollowing(
    start: URL,
    options: OutboundRequest,
    signal: AbortSignal,
    dispatcher: Agent,
  ): Promise<OutboundResponse> {
    let url = start;
    let { method = 'GET', headers = {}, body } = options;
    for (let left = options.redirects ?? 5; ; left--) {
      const answer = await request(url, {
        dispatcher,
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
      const next = parseOutboundUrl(location, url);
      if (next.origin !== url.origin) headers = dropPrivateHeaders(headers);
      if (answer.statusCode === 303 || (method === 'POST' && answer.statusCode < 303)) {
        method = method === 'HEAD' ? 'HEAD' : 'GET';
        body = undefined;
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !/^content-/i.test(name)));
      }
      url = next;
    }
  }
}

function joinHeaderValues(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}

function dropPrivateHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !PRIVATE_HEADERS.has(name.toLowerCase())));
}
