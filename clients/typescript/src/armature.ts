import { type CallSettings } from './call-options.js';
import type { Lists, Operations } from './generated/operations.js';
import { TABLE } from './generated/table.js';
import type { DeploymentView, EventView, OperationView, SignIn } from './generated/types.gen.js';
import type { ApiResponse } from './response.js';
import { type EventsOptions, followEvents } from './event-stream.js';
import { Session } from './session.js';
import { GRAPHQL_PATH, subscribe, type WebSocketClass } from './subscription.js';
import { Transport } from './transport.js';
import { waitForEnd, type WaitOptions } from './waiting.js';

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
  /** Opens sockets for subscriptions; default: that of the platform, which Node.js has from version 22 on. */
  webSocket?: WebSocketClass;
}

export interface RequestOptions extends CallSettings {
  query?: object;
  /** Sent as JSON; with a `Blob` or `File` as a form. */
  body?: unknown;
}

/** Few calls, and pages of moderate size also where records have contents. */
const PAGE_SIZE = 100;

type AnyOptions = RequestOptions & { path?: Record<string, string | number> };

const WithOperations = class {} as new () => Operations;

/** A client of one server, with a method for each operation of its API. */
export class Armature extends WithOperations {
  #transport: Transport;
  readonly #webSocket: WebSocketClass | undefined;

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
    this.#webSocket = options.webSocket;
  }

  /** Signs in. The client replaces its token when it is refused, and repeats the call. */
  static async signIn({ email, password, ...options }: Omit<ArmatureOptions, 'token'> & SignIn): Promise<Armature> {
    const armature = new Armature({ ...options, token: '' });
    const credentials = await Session.open(armature.#transport, { email, password });
    armature.#transport = new Transport({ ...armature.#transport.options, credentials });
    return armature;
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

  /** The records of a list one after another, read page by page. */
  async *paginate<Name extends keyof Lists>(
    operation: Name,
    options?: Lists[Name]['options'],
  ): AsyncGenerator<Lists[Name]['item'], void, undefined> {
    const [method, template, collection] = TABLE[operation];
    const { path = {}, query, ...rest }: AnyOptions = options ?? {};
    let { cursor = '' } = (query ?? {}) as { cursor?: string | null };
    do {
      const { data }: ApiResponse<Record<string, unknown>> = await this.request(method, fillPath(template, path), {
        ...rest,
        query: { pagesize: PAGE_SIZE, ...query, cursor },
      });
      yield* data[collection] as Lists[Name]['item'][];
      cursor = data.next_cursor as string | null;
    } while (cursor);
  }

  /** The events of an organization as they happen: each once, also after breaks. */
  events(options: EventsOptions = {}): AsyncGenerator<EventView, void, undefined> {
    return followEvents(this.#transport, options);
  }

  /** Runs a query or mutation. @throws ArmatureError for the first error in the response */
  async graphql<Data = Record<string, unknown>>(
    document: string,
    variables: Record<string, unknown> = {},
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<Data> {
    const body = { query: document, variables };
    const kind = { isGraphql: true, isMutation: /\bmutation\b/.test(document) };
    return (
      (await this.#transport.send({ ...kind, method: 'POST', path: GRAPHQL_PATH, body, signal })).data as { data: Data }
    ).data;
  }

  /** The results of a subscription, also after breaks; events go on after the last one where the variable `after` is declared. */
  subscribe<Data = Record<string, unknown>>(
    document: string,
    variables: Record<string, unknown> = {},
    { signal }: { signal?: AbortSignal } = {},
  ): AsyncGenerator<Data, void, undefined> {
    const socketClass = this.#webSocket ?? (globalThis as { WebSocket?: WebSocketClass }).WebSocket;
    if (!socketClass)
      throw new TypeError('This platform has no WebSocket: give one as webSocket, such as that of the package ws.');
    return subscribe<Data>(this.#transport, socketClass, { document, variables, signal });
  }

  /** Waits until work has ended. @throws ArmatureError when it failed, was cancelled or was rolled back */
  waitFor(work: { operation: string }, options?: WaitOptions<OperationView>): Promise<OperationView>;
  waitFor(work: { deployment: string }, options?: WaitOptions<DeploymentView>): Promise<DeploymentView>;
  waitFor(
    work: { operation: string } | { deployment: string },
    options: WaitOptions<OperationView> & WaitOptions<DeploymentView> = {},
  ): Promise<OperationView | DeploymentView> {
    return 'operation' in work
      ? waitForEnd<OperationView>((signal) => this.getOperation({ path: { id: work.operation }, signal }), options)
      : waitForEnd<DeploymentView>((signal) => this.getDeployment({ path: { id: work.deployment }, signal }), options);
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
