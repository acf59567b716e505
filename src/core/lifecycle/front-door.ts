import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { AppError } from '../errors/app-error.js';
import { problemOf } from '../errors/problem.js';
import { newRequestId } from '../telemetry/request-context.js';

/** The server cannot listen where it is to. */
export class CannotListen extends Error {}

const REMEDIES: Record<string, string> = {
  EADDRINUSE: 'Another program listens there: end it, or set PORT to another port.',
  EACCES: 'Ports below 1024 need a privilege: set PORT to another port.',
  EADDRNOTAVAIL: 'This machine does not have the address: correct HOST.',
  ENOTFOUND: 'The name is not known: correct HOST.',
};

/**
 * Listens before the application is made, so that its port is known to be free before anything is written, and until the
 * application serves answers that it is starting. At the end it takes no more calls and waits for those that are underway.
 */
export class FrontDoor {
  readonly server: Server = http.createServer();
  private readonly underway = new Set<ServerResponse>();
  private serve: RequestListener = starting;
  private isClosing = false;
  private closed?: Promise<unknown>;

  constructor() {
    this.server.on('request', (request, response) => this.receive(request, response));
  }

  /** @throws CannotListen */
  async listen(port: number, host: string): Promise<void> {
    this.server.listen(port, host);
    try {
      await once(this.server, 'listening');
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException;
      throw new CannotListen(
        `The server cannot listen on ${host}:${port} (${code || message}). ${REMEDIES[code] ?? 'Set HOST and PORT.'}`,
      );
    }
  }

  /** Lets the application answer from now on. */
  open(serve: RequestListener): void {
    this.serve = serve;
  }

  /** Answers that are being made. */
  get callsUnderway(): number {
    return this.underway.size;
  }

  /** Lets no connection stay open after its answer, so that callers come back to another process. */
  keepNoConnections(): void {
    this.isClosing = true;
    for (const response of this.underway) response.shouldKeepAlive = false;
    this.server.keepAliveTimeout = 1;
  }

  /** Takes no more connections; what is still underway after so long is cut off. */
  close(longestMs: number): void {
    if (this.closed) return;
    this.keepNoConnections();
    this.closed = new Promise((resolve) => this.server.close(resolve));
    setTimeout(() => this.server.closeAllConnections(), longestMs).unref();
  }

  /** Resolves when the last call has been answered, and at once as long as nobody has closed it. */
  async whenClosed(): Promise<void> {
    await this.closed;
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    if (this.isClosing) response.shouldKeepAlive = false;
    this.underway.add(response);
    response.once('close', () => this.underway.delete(response));
    this.serve(request, response);
  }
}

/** Lets Nest serve behind a door that listens already. */
export class DoorAdapter extends ExpressAdapter {
  constructor(private readonly door: FrontDoor) {
    super();
  }

  override initHttpServer(): void {
    this.setHttpServer(this.door.server);
  }

  override close(): Promise<void> {
    return this.door.whenClosed();
  }
}

/** Liveness holds; all else is told to come back. */
function starting({ url = '' }: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  if (url === '/healthz/live') return answer(response, 200, 'application/json', { status: 'ok' });
  if (url === '/healthz/ready') return answer(response, 503, 'application/json', { status: 'starting', checks: {} });
  const error = new AppError(503, 'STARTING', 'Starting', 'The server is starting.', {
    remedy: 'Try again in a few seconds.',
  });
  response.setHeader('Retry-After', '5');
  answer(response, 503, 'application/problem+json', problemOf(error, newRequestId()));
}

function answer(response: ServerResponse, status: number, type: string, body: object): void {
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(JSON.stringify(body));
}
