import { setTimeout as pause } from 'node:timers/promises';
import { type Dispatcher } from 'undici';
import { AppError } from '../../core/errors/app-error.js';
import { stringifyExact } from '../../core/json/large-integers.js';
import { describeConnectionFailure } from '../../core/outbound/connection-failure.js';
import { type Outbound } from '../../core/outbound/outbound.service.js';
import type { TaskRunner } from '../../core/workers/task.js';
import { type ClusterAccess } from './cluster-access.js';
import { ClusterError } from './cluster-error.js';
import { type ClusterRequest, type ClusterResponse, identityHeaders, toQueryString } from './cluster-request.js';
import { inWorker, parseResponse } from './cluster-response.js';
import { parseStatus, parseWarnings } from './response-texts.js';
import { splitLines } from './split-lines.js';
import { trimTextEnd } from '../../core/trim-text.js';
import { assertOutsideTransaction } from '../../core/database/open-transaction.js';

export interface ClusterLimits {
  connectTimeoutMs: number;
  /** The timeout from the request to the response headers, and between two chunks of the body. */
  answerTimeoutMs: number;
  /** The maximum size of a response in bytes. */
  maxBytes: number;
  /** The maximum number of attempts when the cluster responds with Retry-After. */
  attempts: number;
  /** The maximum number of sockets to the cluster. */
  connections: number;
}

/** Callbacks about requests to a cluster. */
export interface ClusterHooks {
  /** Called whenever the cluster has authorized a request that is not public. */
  onAnswer?: () => void;
  /** Called at the end of each request with `ok` or the kind of the ClusterError. */
  onRequest?: (outcome: string, seconds: number) => void;
}

const DEFAULT_LIMITS: ClusterLimits = {
  connectTimeoutMs: 5_000,
  answerTimeoutMs: 30_000,
  maxBytes: 16 * 1024 * 1024,
  attempts: 4,
  connections: 8,
};

/** The path that anonymous callers may read. */
const PUBLIC_PATH = '/version';

/** undici's code for the timeout between two chunks of a body. */
const BODY_TIMEOUT = 'UND_ERR_BODY_TIMEOUT';
const CREATED = 201;
const MAX_PAUSE_MS = 5_000;
const STALE_SOCKET = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Sends requests to one API server: authentication, limits, and conversion of all failures to ClusterError. */
export class ClusterTransport {
  private readonly origin: string;
  private readonly base: string;
  private readonly dispatcher: Dispatcher;
  private readonly headers: Record<string, string | string[]>;
  private readonly limits: ClusterLimits;

  constructor(
    private readonly access: ClusterAccess,
    private readonly outbound: Outbound,
    private readonly tasks: TaskRunner,
    limits: Partial<ClusterLimits> = {},
    private readonly hooks: ClusterHooks = {},
  ) {
    this.limits = { ...DEFAULT_LIMITS, ...limits };
    const { origin, pathname } = new URL(access.server);
    this.origin = origin;
    this.base = trimTextEnd(pathname, /\//);
    this.headers = { 'user-agent': 'armature', 'accept-encoding': 'identity', ...identityHeaders(access.user) };
    const { ca, servername, insecure } = access.tls;
    const { cert, key } = access.user;
    this.dispatcher = outbound.createDispatcher({
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
   * Sends a request, and again after the requested time when the cluster did not process it (429). What may be sent twice is also
   * sent again after a broken connection, 502 or 503.
   * @throws ClusterError
   * @throws InvalidRequest `OUTBOUND_REFUSED` when the address is not allowed
   */
  async request(request: ClusterRequest): Promise<ClusterResponse> {
    const { status, headers, bytes } = await this.measure(request);
    const contentType = String(headers['content-type'] ?? '');
    const body = contentType.includes('json')
      ? await parseResponse(bytes, request.metadataOnly ?? false, this.tasks)
      : Buffer.from(bytes.buffer).toString('utf8');
    return {
      body,
      contentType,
      warnings: parseWarnings(headers.warning, this.access.user),
      isCreated: status === CREATED,
    };
  }

  /** Like `request`, but returns the unparsed response. */
  async requestBytes(request: ClusterRequest): Promise<Bytes> {
    return (await this.measure(request)).bytes;
  }

  private async measure(request: ClusterRequest): Promise<RawResponse> {
    const started = performance.now();
    const report = (outcome: string): void => this.hooks.onRequest?.(outcome, (performance.now() - started) / 1000);
    try {
      const response = await this.sendWithRetries(request);
      report('ok');
      return response;
    } catch (error) {
      if (error instanceof ClusterError) report(error.kind);
      throw error;
    }
  }

  private async sendWithRetries(request: ClusterRequest): Promise<RawResponse> {
    const isRepeatable = request.repeatable ?? (request.method ?? 'GET') === 'GET';
    for (let attempt = 1, mayHaveRun = false; ; attempt++) {
      const { error, retryAfter, response } = await this.attempt(request);
      if (response) return response;
      error.mayHaveRun ||= mayHaveRun;
      const isLost = STALE_SOCKET.has(error.reason) || error.kind === 'unavailable';
      const again = error.kind === 'throttled' || (isLost && isRepeatable);
      if (!again || attempt >= this.limits.attempts) throw error;
      mayHaveRun ||= isLost;
      // A socket that the server has closed while idle fails only on use, so the first time is not waited for.
      const isStale = error.answered === undefined && attempt === 1;
      const wait = isStale ? 0 : (retryAfter ?? 200 * 2 ** attempt);
      if (wait > MAX_PAUSE_MS) throw error;
      await pause(wait, undefined, { signal: request.signal });
    }
  }

  private async attempt(request: ClusterRequest): Promise<Attempt> {
    let answer: RawResponse;
    try {
      answer = await this.sendOnce(request);
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error;
      return { error };
    }
    if (answer.status < 300) {
      if (request.path !== PUBLIC_PATH) this.hooks.onAnswer?.();
      return { response: answer };
    }
    const status = parseStatus(answer.bytes, this.access.user);
    const error = ClusterError.fromResponse(answer.status, status, `${request.method ?? 'GET'} ${request.path}`);
    const seconds = Number(answer.headers['retry-after'] ?? NaN);
    return { error, retryAfter: Number.isFinite(seconds) ? seconds * 1_000 : undefined };
  }

  /**
   * Streams the lines of an unbounded response, such as a watch, with backpressure. Ends when the server ends it,
   * or on the idle or total timeout.
   * @throws ClusterError as `request`, and `tooLarge` for a line of more than `maxBytes`
   */
  async *streamLines(request: ClusterRequest & { maxBytes: number }): AsyncGenerator<Bytes> {
    yield* await this.openLines(request);
  }

  /**
   * Like `streamLines`, once the response has begun.
   * @param cuts whether a line of more than `maxBytes` comes in pieces
   */
  async openLines(request: ClusterRequest & { maxBytes: number }, cuts = false): Promise<AsyncGenerator<Bytes>> {
    const timeout = this.startTimeout(request);
    const { statusCode, headers, body } = await this.open(request, timeout);
    const close = (): void => void body.on('error', () => undefined).destroy();
    try {
      if (statusCode >= 300) {
        const bytes = await this.readBody(body, request.maxBytes);
        throw ClusterError.fromResponse(statusCode, parseStatus(bytes, this.access.user), `GET ${request.path}`);
      }
      assertIdentity(headers);
    } catch (error) {
      close();
      if (error instanceof AppError || request.signal?.aborted) throw error;
      throw this.connectionError(error, timeout.aborted);
    }
    const fail = (error: unknown): void => {
      if (error instanceof AppError || request.signal?.aborted) throw error;
      if (!timeout.aborted && (error as { code?: string }).code !== BODY_TIMEOUT)
        throw this.connectionError(error, false);
    };
    return (async function* () {
      try {
        yield* splitLines(body as AsyncIterable<Buffer>, request.maxBytes, cuts);
      } catch (error) {
        fail(error);
      } finally {
        close();
      }
    })();
  }

  /** Parses a line of a stream; large ones in a worker. @throws ClusterError `protocol`, or as `inWorker` */
  parse(line: Bytes): Promise<unknown> {
    return inWorker(() => parseResponse(line, false, this.tasks));
  }

  async close(): Promise<void> {
    await this.dispatcher.destroy();
  }

  private startTimeout({ timeoutMs = 2 * this.limits.answerTimeoutMs }: ClusterRequest): AbortSignal {
    return AbortSignal.timeout(timeoutMs);
  }

  private async open(request: ClusterRequest, timeout: AbortSignal): Promise<Dispatcher.ResponseData> {
    assertOutsideTransaction('a request to a cluster');
    request.signal?.throwIfAborted();
    // A proxy resolves the name of the cluster, so the connector cannot check its address.
    if (this.access.proxy) await this.outbound.assertAllowed(this.access.server, 'connection');
    try {
      return await this.dispatcher.request({
        origin: this.origin,
        path: `${this.base}${request.path}${toQueryString(request.query)}`,
        method: request.method ?? 'GET',
        headers: {
          ...this.headers,
          accept: request.accept ?? 'application/json',
          ...(request.body !== undefined && { 'content-type': request.contentType ?? 'application/json' }),
        },
        body: request.body === undefined ? undefined : stringifyExact(request.body),
        // undici closes the connection after a DELETE that has a body, as a server may not expect one; API servers do.
        reset: false,
        signal: request.signal ? AbortSignal.any([request.signal, timeout]) : timeout,
        bodyTimeout: request.idleTimeoutMs,
      });
    } catch (error) {
      if (error instanceof AppError || request.signal?.aborted) throw error;
      throw this.connectionError(error, timeout.aborted);
    }
  }

  private async sendOnce(request: ClusterRequest): Promise<RawResponse> {
    const timeout = this.startTimeout(request);
    const { statusCode, headers, body } = await this.open(request, timeout);
    try {
      assertIdentity(headers, body);
      return {
        status: statusCode,
        headers,
        bytes: await this.readBody(body, request.maxBytes ?? this.limits.maxBytes),
      };
    } catch (error) {
      if (error instanceof AppError || request.signal?.aborted) throw error;
      throw this.connectionError(error, timeout.aborted);
    }
  }

  private async readBody(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Bytes> {
    const most = Math.min(maxBytes, this.limits.maxBytes);
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of body as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size > most) throw new ClusterError('tooLarge', `The cluster's response is larger than ${most} bytes`);
      pieces.push(piece);
    }
    const whole = new Uint8Array(size);
    let at = 0;
    for (const piece of pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    return whole;
  }

  private connectionError(error: unknown, timedOut: boolean): ClusterError {
    const { code, message } = error as { code?: string; message?: string };
    // Errors of a parser contain its input, which may echo the request and its credential.
    if (error instanceof Error) delete (error as { data?: unknown }).data;
    const reason = timedOut ? 'Timeout' : (code ?? 'failed');
    const host = new URL(this.access.server).host;
    if (timedOut || /TIMEOUT|ETIMEDOUT/.test(reason)) {
      return new ClusterError('timeout', `The cluster at ${host} did not answer in time`, { reason, cause: error });
    }
    const certificate = /CERT|SELF_SIGNED|UNABLE_TO|SSL|TLS/.test(reason) ? `: ${message}` : '';
    const why = `${describeConnectionFailure(error)}${certificate}`;
    return new ClusterError('unreachable', `The cluster at ${host} cannot be reached: ${why}`, {
      reason,
      cause: error,
    });
  }
}

function assertIdentity(headers: Dispatcher.ResponseData['headers'], body?: Dispatcher.ResponseData['body']): void {
  if ((headers['content-encoding'] ?? 'identity') === 'identity') return;
  body?.on('error', () => undefined).destroy();
  throw new ClusterError('protocol', 'The response of the cluster has an encoding that was not requested');
}

type Bytes = Uint8Array<ArrayBuffer>;

interface RawResponse {
  status: number;
  headers: Dispatcher.ResponseData['headers'];
  bytes: Bytes;
}

/** The outcome of sending a request once: the response of success, else the error and the time in ms to wait before the next. */
type Attempt =
  | { response: RawResponse; error?: undefined; retryAfter?: undefined }
  | { error: ClusterError; retryAfter?: number; response?: undefined };
