import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The protocol of sockets: the one upgrade that is served. */
export const isWebSocketUpgrade = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.trim().toLowerCase() === 'websocket';

/**
 * Serves a request that asks for another protocol, such as h2c, as if it had not: a server may ignore the field (RFC 9110, section 7.8),
 * and Java's client and `curl --http2` ask in each request. Node.js takes every upgrade for one that is answered, so that
 * the connection begins anew with the same request.
 */
export function ignoreUpgrade(server: Server, request: IncomingMessage, socket: Socket, head: Buffer): void {
  const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${request.rawHeaders[at + 1]}`);
  }
  socket.removeAllListeners('timeout');
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}
