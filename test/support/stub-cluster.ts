import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { SELF_SIGNED } from './self-signed.js';

/** What a stub does with a list or a watch of its ConfigMaps; without a hook it answers as an API server does. */
export interface StubHooks {
  list?: (response: ServerResponse, url: URL) => void;
  watch?: (response: ServerResponse, resourceVersion: string) => void;
  /** The status that is the response to a request, if it fails. */
  fail?: (url: URL) => { code: number; message: string } | undefined;
  /** Whether a token is refused. */
  refuse?: (token: string) => boolean;
}

interface StubObject {
  metadata: { resourceVersion: string };
}

const NAMESPACE = 'stub';

/** Answers as an API server with a few kinds over TLS, and as no API server would where a test wants it to. */
export class StubCluster {
  uid = randomUUID();
  hooks: StubHooks = {};
  /** Requests since they were last counted. */
  lists = 0;
  /** The versions that watches went on from. */
  readonly watchedFrom: string[] = [];
  private version = 1_000;
  private readonly objects = new Map<string, StubObject>();
  /** The open watches, and whether they receive changes. */
  private readonly open = new Map<ServerResponse, boolean>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<StubCluster> {
    const server = createServer({ key: SELF_SIGNED.key, cert: SELF_SIGNED.cert });
    const stub = new StubCluster(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => stub.answer(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return stub;
  }

  get kubeconfig(): string {
    return this.kubeconfigOf(randomUUID());
  }

  kubeconfigOf(token: string, name = 'stub'): string {
    const { port } = this.server.address() as AddressInfo;
    const ca = Buffer.from(SELF_SIGNED.cert).toString('base64');
    return JSON.stringify({
      contexts: [{ name, context: { cluster: 'stub', user: name } }],
      'current-context': name,
      clusters: [{ name: 'stub', cluster: { server: `https://localhost:${port}`, 'certificate-authority-data': ca } }],
      users: [{ name, user: { token } }],
    });
  }

  /** How many watch its ConfigMaps now. */
  get followers(): number {
    return [...this.open.values()].filter((isLive) => isLive).length;
  }

  /** Creates or changes an object, and notifies the watches. */
  put(name: string, data: object = {}): void {
    const type = this.objects.has(name) ? 'MODIFIED' : 'ADDED';
    const object = this.make(name, data);
    this.objects.set(name, object);
    for (const [response, isLive] of this.open) if (isLive) response.write(`${JSON.stringify({ type, object })}\n`);
  }

  /** An object of the next version, kept nowhere. */
  make(name: string, data: object = {}): StubObject {
    const metadata = { name, namespace: NAMESPACE, uid: `${this.uid}-${name}`, resourceVersion: `${++this.version}` };
    return Object.assign({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, { data });
  }

  /** Another cluster answers at the address from now on. */
  replace(): void {
    this.uid = randomUUID();
    this.objects.clear();
    this.cut();
  }

  /** Ends all watches. */
  cut(): void {
    for (const response of this.open.keys()) response.destroy();
  }

  /** Begins another part of a test. */
  behave(hooks: StubHooks): void {
    this.hooks = hooks;
    this.lists = 0;
    this.watchedFrom.length = 0;
    this.cut();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    response.on('error', () => undefined);
    const url = new URL(request.url ?? '/', 'https://stub');
    const json = (body: object, status = 200): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (this.hooks.refuse?.(request.headers.authorization?.replace('Bearer ', '') ?? ''))
      return json({ kind: 'Status', message: 'Unauthorized', reason: 'Unauthorized', code: 401 }, 401);
    const failure = this.hooks.fail?.(url);
    if (failure) return json({ kind: 'Status', ...failure }, failure.code);
    if (url.pathname === '/version') return json({ major: '1', minor: '36', gitVersion: 'v1.36.0' });
    if (url.pathname === '/api') return json(discovery('', ['namespaces', 'Namespace'], ['configmaps', 'ConfigMap']));
    if (url.pathname === '/apis') return json({ kind: 'APIGroupDiscoveryList', items: [] });
    if (url.pathname === '/api/v1/namespaces/kube-system') return json(this.namespace('kube-system'));
    if (request.method === 'POST') return json({ status: { resourceRules: [], incomplete: false } }, 201);
    const isWatch = url.searchParams.get('watch') === 'true';
    if (url.pathname === '/api/v1/namespaces')
      return isWatch ? this.follow(response) : json(this.list([this.namespace('kube-system')]));
    if (url.pathname !== '/api/v1/configmaps')
      return json({ kind: 'Status', message: 'not found', reason: 'NotFound', code: 404 }, 404);
    if (!isWatch) {
      this.lists++;
      if (this.hooks.list) return this.hooks.list(response, url);
      const [from, limit] = ['continue', 'limit'].map((name) => Number(url.searchParams.get(name) ?? '0'));
      return json(this.page(from ?? 0, limit || Infinity));
    }
    const from = url.searchParams.get('resourceVersion') ?? '';
    this.watchedFrom.push(from);
    this.follow(response, this.hooks.watch ? undefined : from);
    this.hooks.watch?.(response, from);
  }

  /** @param from the version after which it receives changes; without one it receives nothing */
  private follow(response: ServerResponse, from?: string): void {
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    this.open.set(response, from !== undefined);
    response.on('close', () => this.open.delete(response));
    if (from === undefined) return;
    for (const object of this.objects.values())
      if (Number(object.metadata.resourceVersion) > Number(from))
        response.write(`${JSON.stringify({ type: 'MODIFIED', object })}\n`);
  }

  private namespace(name: string): object {
    return {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, uid: this.uid, resourceVersion: '1' },
      status: { phase: 'Active' },
    };
  }

  private page(from: number, limit: number): object {
    const all = [...this.objects.values()];
    const rest = from + limit < all.length ? { continue: String(from + limit) } : {};
    return this.list(all.slice(from, from + limit), rest);
  }

  private list(items: object[], more: object = {}): object {
    return { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: `${this.version}`, ...more }, items };
  }
}

const discovery = (group: string, ...kinds: [string, string][]): object => ({
  kind: 'APIGroupDiscoveryList',
  items: [
    {
      metadata: { name: group },
      versions: [
        {
          version: 'v1',
          resources: kinds.map(([resource, kind]) => ({
            resource,
            responseKind: { kind },
            scope: kind === 'Namespace' ? 'Cluster' : 'Namespaced',
            verbs: ['get', 'list', 'watch'],
          })),
        },
      ],
    },
  ],
});
