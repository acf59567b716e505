import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringifyExact } from '../../core/json/large-integers.js';

/** A response of an API that only one program can call. */
export interface ApiResponse {
  status: number;
  body: object;
  /** The content type. Default: JSON. */
  type?: string;
}

/** Answers the GET requests of one run of a program, by path and query. It never throws for a request of the program. */
export type ApiHandler = (url: URL, accept: string) => Promise<ApiResponse> | ApiResponse;

/** Templates may send a generated certificate in the path of a request. */
const MAX_REQUEST_BYTES = 1024 * 1024;
/** The port inside a network of its own. */
const ISOLATED_PORT = 6443;

/**
 * An API server of Kubernetes for one run of a program: at a socket in its scratch folder where the program has a network of its
 * own, else on loopback, below a secret path.
 */
export class ProgramApi {
  /** Clients send credentials by TLS only, so that the path is the secret. */
  private readonly root = `/${randomBytes(24).toString('base64url')}`;
  private readonly server: Server;

  private constructor(private readonly handler: ApiHandler) {
    this.server = createServer({ maxHeaderSize: MAX_REQUEST_BYTES }, (request, response) => {
      // What a cluster has answered may have any form; a response that cannot be written ends the connection, not the server.
      this.respond(request, response).catch(() => response.destroy());
    });
  }

  /**
   * Listens while `use` runs.
   * @param socket the path of the socket; without it the server listens on a port of loopback
   */
  static async serve<T>(
    handler: ApiHandler,
    { socket, kubeconfig }: { socket: string | undefined; kubeconfig: string },
    use: () => Promise<T>,
  ): Promise<T> {
    const api = new ProgramApi(handler);
    try {
      await api.listen(socket);
      await writeFile(kubeconfig, JSON.stringify(api.describeAccess()), { mode: 0o600 });
      return await use();
    } finally {
      api.server.closeAllConnections();
      api.server.close();
    }
  }

  private listen(socket: string | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      this.server.once('error', reject);
      if (socket === undefined) this.server.listen(0, '127.0.0.1', resolve);
      else this.server.listen(socket, resolve);
    });
  }

  /** JSON is YAML, too. */
  private describeAccess(): object {
    const address = this.server.address() as AddressInfo | string;
    const port = typeof address === 'string' ? ISOLATED_PORT : address.port;
    const name = 'destination';
    return {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { server: `http://127.0.0.1:${port}${this.root}` } }],
      users: [{ name, user: {} }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    };
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status, body, type } = await this.handle(request).catch((): ApiResponse => ({ status: 500, body: {} }));
    response.writeHead(status, { 'Content-Type': type ?? 'application/json' }).end(stringifyExact(body));
  }

  private async handle({ method, url = '/', headers }: IncomingMessage): Promise<ApiResponse> {
    if (!url.startsWith(`${this.root}/`)) return { status: 401, body: {} };
    if (method !== 'GET') return { status: 405, body: {} };
    return this.handler(new URL(url.slice(this.root.length), 'http://127.0.0.1'), headers.accept ?? '');
  }
}

/** The socket of the API in a scratch folder. */
export const apiSocketIn = (scratch: string): string => join(scratch, 'api.sock');

/** Passes connections from a port of loopback on to a socket, for the time of a program, and ends as it does. */
const FORWARDER = `
const { connect, createServer } = require('node:net');
const { spawn } = require('node:child_process');
const [socket, program, ...args] = process.argv.slice(1);
const forward = (from) => {
  const to = connect(socket);
  from.pipe(to).pipe(from);
  from.on('error', () => to.destroy());
  to.on('error', () => from.destroy());
};
createServer(forward).listen(${ISOLATED_PORT}, '127.0.0.1', () => {
  // Its output is passed on, because a pipe that both had would not block the program when it is full.
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.pipe(process.stdout);
  child.stderr.pipe(process.stderr);
  // What is still to be written comes first: an exit would cut it off.
  const exitWith = (code) => process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
  child.on('error', () => exitWith(126)).on('close', (code) => exitWith(code ?? 255));
});
`;

/** The command that runs a program which reaches the API at a socket by the port of its kubeconfig. */
export const forwardedCommand = (scratch: string, program: string, args: readonly string[]): string[] => [
  '--max-old-space-size=64',
  '-e',
  FORWARDER,
  apiSocketIn(scratch),
  program,
  ...args,
];
