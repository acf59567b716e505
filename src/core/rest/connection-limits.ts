import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ConnectionRequests } from './connection-requests.js';
import { ignoreUpgrade, isWebSocketUpgrade } from './other-upgrades.js';
import { toOriginForm } from './request-url.js';

/** Milliseconds in which the headers of a request must arrive, and the whole request, a large upload included. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 300_000;
/** How long a client that was answered early may go on sending before its connection is closed. */
const LINGER_MS = 5_000;
/** How long a connection stays open without a request: longer than proxies keep theirs, which send a request on one that is just being closed else. */
const KEEP_ALIVE_MS = 75_000;

/**
 * Bounds what one connection may hold: the time for headers and request, requests that wait, and the sending of a body that was refused.
 * A client that asks with `Expect: 100-continue` is asked to send its body when the body is read, not before.
 */
export function limitConnections(server: Server): void {
  // A start that is repeated keeps its server.
  if (server.listenerCount('checkContinue') > 0) return;
  // Node.js drops headers beyond a number of them, which would hide a second Authorization; their size together is bounded.
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
  queueRequests(server);
}

/** Puts a queue for each connection before what serves requests. */
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
    // Clients could not distinguish the answers of two parsers on one connection.
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
