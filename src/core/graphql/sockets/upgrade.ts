import type { Request } from 'express';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { LEGACY, MODERN } from './protocols.js';

/** The path of GraphQL, over HTTP and over sockets. */
export const GRAPHQL_PATH = '/api/system/graphql/query';

/** The response to a rejected upgrade. */
export interface UpgradeRefusal {
  status: number;
  detail: string;
  headers?: Record<string, string>;
}

/** The part of the Express application that parses requests by its settings. */
export interface ExpressApplication {
  request: object;
}

/** Returns the caller's address as Express computes it from `trust proxy`; upgrade requests do not pass through Express. */
export function findAddress(request: IncomingMessage, app: ExpressApplication): string | undefined {
  return (Object.setPrototypeOf(request, app.request) as Request).ip;
}

/** Validates an upgrade request; null when it is valid. */
export function findUpgradeRefusal(request: IncomingMessage, allowedOrigins: readonly string[]): UpgradeRefusal | null {
  const { origin, host, 'sec-websocket-protocol': offered = '' } = request.headers;
  if (request.url?.split('?', 1)[0] !== GRAPHQL_PATH)
    return { status: 404, detail: `WebSockets are available at ${GRAPHQL_PATH} only.` };
  if (origin !== undefined && !isAllowedOrigin(origin, host, allowedOrigins))
    return {
      status: 403,
      detail: `Pages of the origin ${origin} may not connect; the operator can add it to CORS_ORIGINS.`,
    };
  const protocols = offered.split(',').map((name) => name.trim());
  if (!protocols.includes(MODERN) && !protocols.includes(LEGACY))
    return { status: 400, detail: `Request the sub-protocol ${MODERN} or ${LEGACY} in Sec-WebSocket-Protocol.` };
  return null;
}

/** Responds over plain HTTP and closes the connection. */
export function refuseUpgrade(socket: Duplex, { status, detail, headers = {} }: UpgradeRefusal): void {
  const title = STATUS_CODES[status] ?? '';
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, error: detail });
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nConnection: close\r\nContent-Type: application/problem+json\r\n` +
      `${lines.join('')}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Only browsers send an Origin header, and pages cannot change it. */
function isAllowedOrigin(origin: string, host: string | undefined, allowed: readonly string[]): boolean {
  if (allowed.includes('*') || allowed.some((entry) => entry.replace(/\/$/, '') === origin)) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
