import { type CallSettings } from './call-options.js';
import type { Operations } from './generated/operations.js';
import { TABLE } from './generated/table.js';
import type { ApiResponse } from './response.js';
import { Transport } from './transport.js';

export interface ArmatureOptions {
  /** The address of the server; in Node.js the default is `ARMATURE_SERVER`, in a page its own. */
  baseUrl?: string;
  /** A token, or a function that is asked for one before each request; in Node.js the default is `ARMATURE_TOKEN`. */
  token?: string | (() => string | undefined | Promise<string | undefined>);
  /** How often a call is tried again; default: 3. */
  maxRetries?: number;
  /** Milliseconds for one try, until its response is read; 0: no limit; default: 300,000. */
  timeout?: number;
  /** Sends requests; default: that of the platform. */
  fetch?: typeof fetch;
}

export interface RequestOptions extends CallSettings {
  query?: object;
  /** Sent as JSON; with a `Blob` or `File` as a form. */
  body?: unknown;
}

type AnyOptions = RequestOptions & { path?: Record<string, string | number> };

const WithOperations = class {} as new () => Operations;

/** A client of one server, with a method for each operation of its API. */
export class Armature extends WithOperations {
  readonly #transport: Transport;

  constructor(options: ArmatureOptions = {}) {
    super();
    const { maxRetries = 3, timeout = 300_000, fetch = (...call) => globalThis.fetch(...call) } = options;
    const token = options.token ?? environment('ARMATURE_TOKEN');
    this.#transport = new Transport({
      baseUrl: toBaseUrl(
        options.baseUrl ??
          environment('ARMATURE_SERVER') ??
          (globalThis as { location?: { origin: string } }).location?.origin,
      ),
      credentials: { token: () => (typeof token === 'function' ? token() : token) },
      maxRetries,
      timeout,
      fetch,
    });
  }

  static {
    for (const [id, [method, path]] of Object.entries(TABLE))
      Object.defineProperty(this.prototype, id, {
        async value(this: Armature, { path: values = {}, ...options }: AnyOptions = {}) {
          return (await this.request(method, fillPath(path, values), options)).data;
        },
      });
  }

  /** Calls any path of the API. */
  request<Data = unknown>(method: string, path: string, options: RequestOptions = {}): Promise<ApiResponse<Data>> {
    return this.#transport.send({ ...options, method: method.toUpperCase(), path }) as Promise<ApiResponse<Data>>;
  }
}

function fillPath(template: string, values: Record<string, string | number>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '');
    // Such a segment would be taken as another path.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`path.${name} is needed.`);
    return encodeURIComponent(value);
  });
}

/** The message has nothing of the address, which may have a password in it. */
function toBaseUrl(address: string | undefined): string {
  const url = address ? parseUrl(address) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new TypeError(
      'baseUrl is the address of the server, such as https://armature.example.org: http or https, without user, query and fragment.',
    );
  return url.href.endsWith('/') ? url.href.slice(0, -1) : url.href;
}

function environment(name: string): string | undefined {
  return globalThis.process?.env?.[name] || undefined;
}

function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
