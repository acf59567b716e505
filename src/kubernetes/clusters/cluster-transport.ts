import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher } from 'undici';
import { AppError } from '../../core/errors/app-error.js';
import { type Outbound } from '../../core/outbound/outbound.js';
import { type ClusterAccess, type ClusterUser } from './cluster-access.js';
import { ClusterError } from './cluster-error.js';
import { clusterText } from './cluster-text.js';

export interface ClusterLimits {
  connectTimeoutMs: number;
  /** From the request to the head of the answer, and between two pieces of it. */
  answerTimeoutMs: number;
  /** Largest answer taken, in bytes. */
  maxBytes: number;
  /** How often one request is made at most, when the cluster says to come back later. */
  attempts: number;
  /** Sockets to the cluster. */
  connections: number;
}

export interface ClusterRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path below the server's own path. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  accept?: string;
  contentType?: string;
  body?: unknown;
  /** Replaces `answerTimeoutMs` for this request. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface ClusterAnswer {
  /** Parsed JSON, or the text of an answer of any other type. */
  body: unknown;
  contentType: string;
  /** Texts of the API server's warnings, such as that of a deprecated version. */
  warnings: string[];
}

/** Of one answer. */
const MOST_WARNINGS = 20;
const LONGEST_WARNING = 1_000;

const DEFAULTS: ClusterLimits = {
  connectTimeoutMs: 5_000,
  answerTimeoutMs: 30_000,
  maxBytes: 64 * 1024 * 1024,
  attempts: 4,
  connections: 8,
};

/** What a cluster tells everybody. */
const OPEN_PATH = '/version';

const LONGEST_PAUSE_MS = 5_000;
const STALE_SOCKET = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Requests to one API server: identity, bounds, and one kind of error for all that can go wrong. */
export class ClusterTransport {
  private readonly origin: string;
  private readonly base: string;
  private readonly dispatcher: Dispatcher;
  private readonly headers: Record<string, string | string[]>;
  private readonly limits: ClusterLimits;

  constructor(
    private readonly access: ClusterAccess,
    private readonly outbound: Outbound,
    limits: Partial<ClusterLimits> = {},
    /** Called whenever the cluster has granted a request that it grants to known callers only. */
    private readonly onAnswer: () => void = () => undefined,
  ) {
    this.limits = { ...DEFAULTS, ...limits };
    const { origin, pathname } = new URL(access.server);
    this.origin = origin;
    this.base = pathname.replace(/\/+$/, '');
    this.headers = { 'user-agent': 'armature', ...identity(access.user) };
    const { ca, servername, insecure } = access.tls;
    const { cert, key } = access.user;
    this.dispatcher = outbound.dispatcher({
      policy: 'connection',
      tls: { ca, cert, key, servername, ...(insecure && { rejectUnauthorized: false }) },
      proxy: access.proxy,
      connectTimeoutMs: this.limits.connectTimeoutMs,
      headersTimeoutMs: this.limits.answerTimeoutMs,
      bodyTimeoutMs: this.limits.answerTimeoutMs,
      connections: this.limits.connections,
    });
  }

  /**
   * One request, repeated when the cluster says that it was not taken up (429, and 503 for reads), after the time that it names.
   * @throws ClusterError whatever went wrong
   * @throws InvalidRequest `OUTBOUND_REFUSED` when the guard does not let the address through
   */
  async request(request: ClusterRequest): Promise<ClusterAnswer> {
    for (let attempt = 1; ; attempt++) {
      const reads = (request.method ?? 'GET') === 'GET';
      const answer = await this.once(request).catch((error: unknown) => {
        // A kept socket that the other side has closed meanwhile shows so only when it is used.
        const stale = error instanceof ClusterError && STALE_SOCKET.has(error.reason);
        if (reads && stale && attempt === 1) return undefined;
        throw error;
      });
      if (!answer) continue;
      if (answer.status < 300) {
        if (request.path !== OPEN_PATH) this.onAnswer();
        return read(answer, request);
      }
      const error = ClusterError.answered(
        answer.status,
        json(answer.text),
        `${request.method ?? 'GET'} ${request.path}`,
      );
      const again = error.kind === 'throttled' || (error.kind === 'unavailable' && reads);
      if (!again || attempt >= this.limits.attempts) throw error;
      const seconds = Number(answer.headers['retry-after'] ?? NaN);
      const wait = Number.isFinite(seconds) ? seconds * 1_000 : 200 * 2 ** attempt;
      if (wait > LONGEST_PAUSE_MS) throw error;
      await pause(wait, undefined, { signal: request.signal });
    }
  }

  async close(): Promise<void> {
    await this.dispatcher.destroy();
  }

  private async once(request: ClusterRequest): Promise<RawAnswer> {
    request.signal?.throwIfAborted();
    // A proxy resolves the name of the cluster by itself, so the connector never sees it.
    if (this.access.proxy) await this.outbound.check(this.access.server, 'connection');
    const timeout = AbortSignal.timeout(request.timeoutMs ?? 2 * this.limits.answerTimeoutMs);
    try {
      const { statusCode, headers, body } = await this.dispatcher.request({
        origin: this.origin,
        path: `${this.base}${request.path}${queryText(request.query)}`,
        method: request.method ?? 'GET',
        headers: {
          ...this.headers,
          accept: request.accept ?? 'application/json',
          ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
        },
        body: request.body === undefined ? undefined : JSON.stringify(request.body),
        signal: request.signal ? AbortSignal.any([request.signal, timeout]) : timeout,
      });
      return { status: statusCode, headers, text: await this.text(body) };
    } catch (error) {
      if (error instanceof AppError || request.signal?.aborted) throw error;
      throw this.connectionError(error, timeout.aborted);
    }
  }

  private async text(body: Dispatcher.ResponseData['body']): Promise<string> {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > this.limits.maxBytes) {
        throw new ClusterError('tooLarge', `The cluster's answer is larger than ${this.limits.maxBytes} bytes`);
      }
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  }

  private connectionError(error: unknown, timedOut: boolean): ClusterError {
    const { code, message } = error as { code?: string; message?: string };
    const reason = timedOut ? 'Timeout' : (code ?? 'failed');
    const host = new URL(this.access.server).host;
    if (timedOut || /TIMEOUT|ETIMEDOUT/.test(reason)) {
      return new ClusterError('timeout', `The cluster at ${host} did not answer in time`, { reason, cause: error });
    }
    const certificate = /CERT|SELF_SIGNED|UNABLE_TO|SSL|TLS/.test(reason) ? ` (${message})` : '';
    return new ClusterError('unreachable', `The cluster at ${host} cannot be reached: ${reason}${certificate}`, {
      reason,
      cause: error,
    });
  }
}

interface RawAnswer {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  text: string;
}

function read({ headers, text }: RawAnswer, request: ClusterRequest): ClusterAnswer {
  const contentType = String(headers['content-type'] ?? '');
  const isJson = contentType.includes('json');
  const body = isJson ? json(text) : text;
  if (isJson && body === undefined) {
    throw new ClusterError('protocol', `The cluster's answer to ${request.path} is not valid JSON`);
  }
  return { body, contentType, warnings: warningTexts(headers.warning) };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Each header reads `299 - "text"`, with quotes and backslashes escaped (RFC 7234 section 5.5). */
function warningTexts(header: string | string[] | undefined): string[] {
  const joined = [header ?? []].flat().join(', ');
  const quoted = [...joined.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)].slice(0, MOST_WARNINGS);
  return quoted.map((match) => clusterText((match[1] ?? '').replace(/\\(.)/g, '$1'), LONGEST_WARNING));
}

function queryText(query: ClusterRequest['query'] = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') given.set(name, String(value));
  return given.size === 0 ? '' : `?${given.toString()}`;
}

function identity(user: ClusterUser): Record<string, string | string[]> {
  const headers: Record<string, string | string[]> = {};
  if (user.token) headers.authorization = `Bearer ${user.token}`;
  else if (user.username) {
    headers.authorization = `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}`;
  }
  if (user.impersonate) {
    headers['impersonate-user'] = user.impersonate.user;
    if (user.impersonate.uid) headers['impersonate-uid'] = user.impersonate.uid;
    if (user.impersonate.groups?.length) headers['impersonate-group'] = user.impersonate.groups;
    for (const [key, values] of Object.entries(user.impersonate.extra ?? {})) {
      headers[`impersonate-extra-${encodeURIComponent(key).toLowerCase()}`] = values;
    }
  }
  return headers;
}
