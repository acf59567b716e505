import { ArmatureError } from './armature-error.js';
import type { CallSettings } from './call-options.js';
import { VERSION } from './generated/table.js';
import { toRequestBody } from './request-body.js';
import { type ApiResponse, hide, readResponse } from './response.js';

export interface Call extends CallSettings {
  method: string;
  /** Below the address of the server; it may have a query. */
  path: string;
  query?: object;
  body?: unknown;
  /** Errors come with the status 200. */
  isGraphql?: boolean;
  /** A mutation of GraphQL: the server would do it again when it gets it again, whatever the key. */
  isMutation?: boolean;
}

/** Who calls: a token for each request, and another where one was refused. */
export interface Credentials {
  token(): string | undefined | Promise<string | undefined>;
  renew?(refused: string): Promise<void>;
}

export interface TransportOptions {
  baseUrl: string;
  credentials: Credentials;
  maxRetries: number;
  /** Milliseconds for one try, until its response is read; 0: no limit. */
  timeout: number;
  fetch: typeof fetch;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);
/** From the server or from a proxy, these ask for another try. */
const BUSY_STATUSES = new Set([429, 503]);
/** From the server they tell of a remote system, from a proxy that it has no server behind it. */
const GATEWAY_STATUSES = new Set([502, 504]);
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;
/** A longer Retry-After is left to the caller, who finds it in the headers of the error. */
const LONGEST_WAIT_MS = 300_000;

/** Sends calls to one server, again where that can help. */
export class Transport {
  constructor(readonly options: TransportOptions) {}

  /** @throws ArmatureError for an error of the API, or when no try had a response */
  async send(call: Call): Promise<ApiResponse> {
    const { path, query, body, ...rest } = call;
    const prepared = { ...rest, ...toRequestBody(body), url: this.address(path, query), key: newKey() };
    let wasRenewed = false;
    let runningSince = 0;
    for (let retries = 0; ;) {
      call.signal?.throwIfAborted();
      const token = await this.findToken();
      const outcome = await this.attempt(prepared, token);
      if (!(outcome instanceof ArmatureError)) return outcome;
      if (isUnauthenticated(outcome) && token && !wasRenewed && this.options.credentials.renew) {
        wasRenewed = true;
        await this.options.credentials.renew(token);
        continue;
      }
      const delay = delayBefore(retries, outcome);
      // An earlier try of this call still runs, though its response was lost.
      const isRunning = retries > 0 && outcome.code === 'IDEMPOTENCY_RUNNING';
      if (isRunning) runningSince ||= Date.now();
      const mayWait = isRunning
        ? Date.now() - runningSince < LONGEST_WAIT_MS
        : isTemporary(outcome, call) && retries < this.options.maxRetries;
      if (!mayWait || delay > LONGEST_WAIT_MS) throw outcome;
      if (!isRunning) retries += 1;
      await sleep(delay, call.signal);
    }
  }

  /** The address of a path of the API: nothing is sent anywhere else. */
  address(path: string, query: object = {}): URL {
    if (!path.startsWith('/')) throw new TypeError('A path of the API begins with "/".');
    const url = new URL(this.options.baseUrl + path);
    for (const [name, value] of Object.entries(query))
      for (const each of [value].flat() as unknown[])
        if (each !== undefined) url.searchParams.append(name, typeof each === 'string' ? each : JSON.stringify(each));
    return url;
  }

  async findToken(): Promise<string | undefined> {
    const token = (await this.options.credentials.token())?.trim();
    // The error of a header that cannot be sent would have the token in it.
    if (token && !/^[\x21-\x7e]+$/.test(token)) throw new TypeError('The token has characters that no token has.');
    return token || undefined;
  }

  /** One try, until its response is read; a stream is left to be read. */
  private async attempt(call: PreparedCall, token: string | undefined): Promise<ApiResponse | ArmatureError> {
    const { method, url, body, signal, isGraphql } = call;
    const { timeout, fetch } = this.options;
    const headers = toHeaders(call, token);
    const secret = headers.get('authorization')?.replace(/^Bearer /i, '');
    const limit = new AbortController();
    const timer = timeout > 0 ? setTimeout(() => limit.abort(), timeout) : undefined;
    try {
      const response = await fetch(url.href, {
        method,
        headers: Object.fromEntries(headers),
        body,
        // Another address would get what was sent, by another method than was called.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, limit.signal]) : limit.signal,
      });
      return await readResponse(response, { method, url, secret, isGraphql });
    } catch (error) {
      signal?.throwIfAborted();
      if (limit.signal.aborted)
        return new ArmatureError(`${url.origin} did not respond within ${timeout} ms.`, { code: 'TIMEOUT' });
      const cause = withoutSecret(error, secret);
      return new ArmatureError(`${url.origin} cannot be reached: ${reasonOf(cause)}`, { code: 'UNREACHABLE', cause });
    } finally {
      clearTimeout(timer);
    }
  }
}

interface PreparedCall extends Omit<Call, 'path' | 'query' | 'body'> {
  url: URL;
  body?: RequestInit['body'];
  contentType?: string;
  /** The same in all tries, by which the server does a write once. */
  key: string;
}

function toHeaders({ method, headers = {}, contentType, key }: PreparedCall, token: string | undefined): Headers {
  const all = new Headers({ Accept: 'application/json, */*;q=0.5' });
  // Browsers have a name of their own.
  const node = globalThis.process?.versions?.node;
  if (node) all.set('User-Agent', `armature-client/${VERSION} node/${node}`);
  if (contentType) all.set('Content-Type', contentType);
  if (!SAFE_METHODS.has(method)) all.set('Idempotency-Key', key);
  if (token) all.set('Authorization', `Bearer ${token}`);
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) all.set(name, value);
  return all;
}

export function isUnauthenticated({ status, code }: ArmatureError): boolean {
  return status === 401 || code === 'UNAUTHENTICATED';
}

function isTemporary({ status, problem }: ArmatureError, { isMutation }: Call): boolean {
  if (BUSY_STATUSES.has(status)) return true;
  return !isMutation && (status === 0 || (GATEWAY_STATUSES.has(status) && !problem));
}

/** Milliseconds: what the server asks for, else longer each time, and never the same for many clients. */
export function delayBefore(retries: number, { headers }: { headers: Headers }): number {
  const asked = headers.get('retry-after');
  if (asked) {
    const wait = /^\d+$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
    if (!Number.isNaN(wait)) return Math.max(wait, 0);
  }
  return Math.min(FIRST_DELAY_MS * 2 ** retries, LONGEST_DELAY_MS) * (0.5 + Math.random() / 2);
}

/** Random, also in a page without TLS, where browsers have no `randomUUID`. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** An error of the platform, or of a `fetch` that was given: its messages alone, for it may hold the request. */
function withoutSecret(error: unknown, secret: string | undefined): Error {
  if (!(error instanceof Error)) return new Error(hide(String(error), secret));
  const { name, message, cause, code } = error as Error & { code?: unknown };
  const copy = new Error(
    hide(message, secret),
    cause === undefined ? undefined : { cause: withoutSecret(cause, secret) },
  );
  copy.name = name;
  return typeof code === 'string' ? Object.assign(copy, { code }) : copy;
}

/** The innermost message: `fetch failed` says nothing. */
function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? reasonOf(cause) || message : message;
}

export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
