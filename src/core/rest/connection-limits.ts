import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/** Milliseconds in which the headers of a request must arrive, and the whole request, a large upload included. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 300_000;
/** Requests on one connection, after which the client is told to open another; those sent ahead all arrive in one turn of the event loop. */
const MAX_REQUESTS_PER_CONNECTION = 200;
/** How long a client that was answered early may go on sending before its connection is closed. */
const LINGER_MS = 2_000;

/**
 * Bounds what one connection may hold: the time for headers and request, and the sending of a body that was refused.
 * A client that asks with `Expect: 100-continue` is told to send its body by whoever reads it, not before.
 */
export function limitConnections(server: Server): void {
  // A start that is repeated keeps its server.
  if (server.listenerCount('checkContinue') > 0) return;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
    server.emit('request', request, response);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    response.once('finish', () => {
      if (request.complete) return;
      const { socket } = request;
      const end = setTimeout(() => socket.destroy(), LINGER_MS).unref();
      request.once('end', () => clearTimeout(end));
    });
  });
}
