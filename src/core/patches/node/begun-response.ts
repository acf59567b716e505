import type { Socket } from 'node:net';

/** A socket with the response that Node.js is sending on it. */
type ServerSocket = Socket & { _httpMessage?: { headersSent: boolean } | null };

/**
 * Reports whether a response has begun on the socket of a `clientError`. Reads `_httpMessage` of Node.js 20 to 24, as
 * the documentation of the event does in its example; nothing public tells it.
 */
export const hasBegunResponse = (socket: Socket): boolean =>
  (socket as ServerSocket)._httpMessage?.headersSent === true;
