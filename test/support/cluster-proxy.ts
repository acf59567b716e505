import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request as callOverTls } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Cluster } from './cluster.js';

/** What becomes of one write before it reaches the cluster, or of its answer. */
export type WriteHook = (write: { number: number; method: string; path: string }) => 'pass' | 'refuse' | 'hang up';

/** Answers in place of the cluster what control planes without nodes cannot, such as logs; says whether it has. */
export type Substitute = (url: URL, response: ServerResponse) => boolean;

/** Stands between a server and its cluster and counts what is written: each object applied or deleted, dry runs apart. */
export class ClusterProxy {
  /** Of the writes since the last start. */
  writes = 0;
  /** Of all requests since the last start. */
  requests = 0;
  /** Whether the token is no longer accepted, for any call. */
  isExpired = false;
  /** How often each path was listed from its first page. */
  readonly lists = new Map<string, number>();
  /** How many watch each path now. */
  readonly watches = new Map<string, number>();
  before: WriteHook = () => 'pass';
  after: WriteHook = () => 'pass';
  substitute: Substitute = () => false;

  private constructor(
    private readonly server: Server,
    readonly kubeconfig: string,
  ) {}

  static async start(cluster: Cluster, name = 'proxy'): Promise<ClusterProxy> {
    const server = createServer();
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const kubeconfig = JSON.stringify({
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
      clusters: [{ name, cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name, user: { token: cluster.tokens.admin } }],
    });
    const proxy = new ClusterProxy(server, kubeconfig);
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      proxy.forward(cluster, request, response),
    );
    return proxy;
  }

  /** Counts from anew, with these hooks. */
  arm(hooks: { before?: WriteHook; after?: WriteHook } = {}): void {
    this.writes = 0;
    this.requests = 0;
    this.isExpired = false;
    this.before = hooks.before ?? (() => 'pass');
    this.after = hooks.after ?? (() => 'pass');
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  private forward(cluster: Cluster, request: IncomingMessage, response: ServerResponse): void {
    const { method = 'GET', url: path = '/', headers } = request;
    this.requests++;
    const isWrite = (method === 'PATCH' || method === 'DELETE') && !path.includes('dryRun=All');
    const write = { number: isWrite ? ++this.writes : 0, method, path };
    const fate = isWrite ? this.before(write) : 'pass';
    if (fate === 'hang up') return void request.socket.destroy();
    const refuse = (code: number, reason: string, message: string): void =>
      void response
        .writeHead(code, { 'content-type': 'application/json' })
        .end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code }));
    if (this.isExpired) return refuse(401, 'Unauthorized', 'Unauthorized');
    if (method === 'GET' && this.substitute(new URL(path, 'http://proxy'), response)) return;
    if (fate === 'refuse') return refuse(403, 'Forbidden', 'the cluster refuses this');
    const { hostname, port } = new URL(cluster.url);
    const address = { hostname, port, method, path, ca: cluster.ca };
    const onward = callOverTls({ ...address, headers: { ...headers, host: `${hostname}:${port}` } });
    onward.on('response', (answer) => {
      if (isWrite && this.after(write) === 'hang up') return void request.socket.destroy();
      if (method === 'GET' && answer.statusCode === 200) this.count(path, response);
      answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers));
    });
    onward.on('error', () => request.socket.destroy());
    request.pipe(onward);
  }

  private count(path: string, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(path, 'http://proxy');
    const add = (counts: Map<string, number>, by: number): void =>
      void counts.set(pathname, (counts.get(pathname) ?? 0) + by);
    if (searchParams.get('watch') === 'true') {
      add(this.watches, 1);
      response.once('close', () => add(this.watches, -1));
    } else if (searchParams.has('limit') && !searchParams.has('continue')) add(this.lists, 1);
  }
}
