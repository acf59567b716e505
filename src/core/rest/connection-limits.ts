import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { respondToConnectionErrors } from './connection-errors.js';
import { ConnectionRequests } from './connection-requests.js';
import { ignoreUpgrade, isWebSocketUpgrade } from './other-upgrades.js';
import { toOriginForm } from './request-url.js';

/** The timeouts of the headers of a request, and of the whole request including a large upload. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 300_000;
/** How long a client may keep sending after an early response before its connection is closed. */
const LINGER_MS = 5_000;
/**
 * The keep-alive timeout: longer than that of proxies, which might otherwise send a request while the server closes
 * the connection.
 */
const KEEP_ALIVE_MS = 75_000;

/**
 * Limits each connection: the time for headers and request, the number of pipelined requests, and the sending of a
 * rejected body. `Expect: 100-continue` is answered when the body is read, not before.
 */
export function limitConnections(server: Server): void {
  // A repeated start reuses the server.
  if (server.listenerCount('checkContinue') > 0) return;
  // Node.js drops headers beyond a maximum number, which could hide a second Authorization header; their total
  // size is limited instead.
  server.maxHeadersCount = 0;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    response.setHeader('Connection', 'close');
    server.emit('request', request, response);
  });
  // The application refuses it, as it refuses all else.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  respondToConnectionErrors(server);
  queueRequests(server);
}

/** Queues the requests of each connection before they are handled. */
function queueRequests(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[];
  const connections = new Map<Socket, ConnectionRequests>();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    endLingeringBody(request, response);
    request.url = toOriginForm(request.url ?? '');
    for (const listener of listeners) listener.call(server, request, response);
  };
  const openConnection = (socket: Socket): ConnectionRequests => {
    const opened = new ConnectionRequests(handle);
    connections.set(socket, opened);
    socket.once('close', () => connections.delete(socket));
    return opened;
  };
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    (connections.get(socket) ?? openConnection(socket)).add(request, response);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (isWebSocketUpgrade(request)) return;
    // Responses of two parsers on one connection could not be distinguished.
    if (connections.get(socket)?.isBusy) socket.destroy();
    else ignoreUpgrade(server, request, socket, head);
  });
}

function endLingeringBody(request: IncomingMessage, response: ServerResponse): void {
  response.on('finish', () => {
    if (request.complete) return;
    const { socket } = request;
    const end = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    request.once('end', () => clearTimeout(end));
  });
}
