import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import { AppError } from '../errors/app-error.js';
import { toProblem } from '../errors/problem.js';
import { HttpMessages } from '../patches/express/http-messages.js';
import { generateRequestId } from '../telemetry/request-context.js';

/** The server cannot listen on HOST and PORT. */
export class ListenError extends Error {}

/** Without a listener, open connections are closed this long after shutdown starts. */
const CUT_OFF_MS = 3_000;

const REMEDIES: Record<string, string> = {
  EADDRINUSE: 'Another program listens there: end it, or set PORT to another port.',
  EACCES: 'Ports below 1024 need a privilege: set PORT to another port.',
  EADDRNOTAVAIL: 'This machine does not have the address: correct HOST.',
  ENOTFOUND: 'The name is not known: correct HOST.',
};

/**
 * Listens before the application is created, so that a port in use is detected before anything is written. Until the
 * application serves, it responds that the server is starting. On shutdown it rejects new connections and waits for
 * running requests.
 */
export class HttpListener {
  readonly messages = new HttpMessages();
  readonly server: Server = http.createServer(this.messages);
  private readonly activeResponses = new Set<ServerResponse>();
  /** Open connections without a request so far, which Node.js does not count as idle. */
  private readonly unused = new Set<Socket>();
  private handler: RequestListener = respondStarting;
  private isClosing = false;
  private closed?: Promise<unknown>;

  constructor() {
    this.server.on('request', (request, response) => this.handleRequest(request, response));
    this.server.on('upgrade', (_request, socket) => this.unused.delete(socket as Socket));
    this.server.on('connection', (socket) => {
      this.unused.add(socket);
      socket.once('close', () => this.unused.delete(socket));
    });
  }

  /** @throws ListenError */
  async listen(port: number, host: string): Promise<void> {
    this.server.listen(port, host);
    try {
      await once(this.server, 'listening');
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      throw new ListenError(
        `The server cannot listen on ${host}:${port} (${code || message}). ${REMEDIES[code] ?? 'Set HOST and PORT.'}`,
      );
    }
  }

  /** Passes requests to the application from now on. */
  serveWith(serve: RequestListener): void {
    this.handler = serve;
  }

  /** Holds requests until `ready` settles: on success the application serves them, otherwise they get 503 with Retry-After. */
  holdUntil(ready: Promise<unknown>, serve: RequestListener): void {
    this.handler = (request, response) =>
      void ready.then(
        () => serve(request, response),
        () => respondStarting(request, response),
      );
  }

  /** The number of requests in progress. */
  get activeRequests(): number {
    return this.activeResponses.size;
  }

  /** Closes every connection after its response, so that clients reconnect to another process. */
  disableKeepAlive(): void {
    this.isClosing = true;
    for (const response of this.activeResponses) response.shouldKeepAlive = false;
    this.server.keepAliveTimeout = 1;
  }

  /** Rejects new connections, and closes those that are still in use after `longestMs`. */
  close(longestMs: number): void {
    if (this.closed) return;
    this.disableKeepAlive();
    this.closed = new Promise((resolve) => this.server.close(resolve));
    for (const socket of this.unused) socket.destroy();
    setTimeout(() => this.server.closeAllConnections(), longestMs).unref();
  }

  /** Resolves when the last request has been served; immediately unless `close` was called. */
  async whenClosed(): Promise<void> {
    await this.closed;
  }

  private handleRequest(request: IncomingMessage, response: ServerResponse): void {
    if (this.isClosing) response.shouldKeepAlive = false;
    this.unused.delete(request.socket);
    this.activeResponses.add(response);
    response.on('close', () => this.activeResponses.delete(response));
    this.handler(request, response);
  }
}

/** Lets Nest serve on the listener that is already open; without a listener it opens its own. */
export class HttpListenerAdapter extends ExpressAdapter {
  constructor(private readonly listener?: HttpListener) {
    super();
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    const { messages, server } = this.listener ?? createServer(app);
    messages.shareWith(app);
    this.setHttpServer(server);
  }

  override async close(): Promise<void> {
    if (this.listener) return this.listener.whenClosed();
    const server = this.getHttpServer() as Server;
    const cut = setTimeout(() => server.closeAllConnections(), CUT_OFF_MS);
    await super.close();
    clearTimeout(cut);
  }
}

function createServer(app: Express): { messages: HttpMessages; server: Server } {
  const messages = new HttpMessages();
  return { messages, server: http.createServer(messages, app) };
}

/** Responds to liveness with 200 and to all other requests with 503 and Retry-After. */
function respondStarting({ url = '' }: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  if (url === '/healthz/live') return respond(response, 200, 'application/json', { status: 'ok' });
  if (url === '/healthz/ready') return respond(response, 503, 'application/json', { status: 'starting', checks: {} });
  const error = new AppError(503, 'STARTING', 'Starting', 'The server is starting.', {
    remedy: 'Try again in a few seconds.',
  });
  response.setHeader('Retry-After', '5');
  respond(response, 503, 'application/problem+json', toProblem(error, generateRequestId()));
}

function respond(response: ServerResponse, status: number, type: string, body: object): void {
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(JSON.stringify(body));
}
