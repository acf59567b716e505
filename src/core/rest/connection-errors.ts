import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors/app-error.js';
import { payloadTooLarge, toProblem } from '../errors/problem.js';
import { hasBegunResponse } from '../patches/node/begun-response.js';
import { generateRequestId } from '../telemetry/request-context.js';

/** How long the client may take to read the response. */
const LINGER_MS = 1_000;

/** Answers what Node.js could not parse, or what took too long to arrive, with a problem document, and closes the connection. */
export function respondToConnectionErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (socket.writableEnded) return;
    // Bytes after the start of a response would be taken for a part of it.
    if (!socket.writable || hasBegunResponse(socket)) return void socket.destroy();
    const problem = toConnectionProblem(error.code ?? '');
    const requestId = generateRequestId();
    const body = JSON.stringify(toProblem(problem, requestId));
    const head = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
    // Closed at once, with bytes of the request unread, the connection would be reset and the response lost.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  });
}

function toConnectionProblem(code: string): AppError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new AppError(431, 'HEADERS_TOO_LARGE', 'Headers too large', 'the headers of the request are too large', {
        remedy: 'Send fewer or shorter headers, such as a token with fewer groups.',
      });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return payloadTooLarge('the extensions of a chunk are too large');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new AppError(408, 'REQUEST_TIMEOUT', 'Request timeout', 'the request did not arrive in time', {
        remedy: 'Send it again, over a faster connection.',
      });
    default:
      return new AppError(400, 'MALFORMED_REQUEST', 'Invalid request', 'the bytes are not an HTTP request', {
        remedy: 'Send a request as RFC 9112 describes it, without control characters in its first line and headers.',
      });
  }
}
