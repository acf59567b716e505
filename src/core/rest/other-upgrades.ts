import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Reports whether a request upgrades to a WebSocket, the only supported upgrade. */
export const isWebSocketUpgrade = ({ headers }: IncomingMessage): boolean =>
  headers.upgrade?.trim().toLowerCase() === 'websocket';

/**
 * Serves a request for another protocol, such as h2c, without the upgrade: a server may ignore the field (RFC 9110,
 * section 7.8), and Java's HTTP client and `curl --http2` send it with each request. Node.js hands over the socket
 * of every upgrade, so the request is replayed on it as on a new connection.
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
