/**
 * Why a socket was closed, beside 1000, 1001 (the server shuts down), 1009 (a message over the largest size) and those
 * of graphql-ws itself: 4408 (no connection_init in time), 4409 (an id in use), 4429 (a second connection_init).
 */
export const CloseCode = {
  /** The server failed in a way that it cannot report for a single operation. */
  Failed: 4500,
  /** The message is not JSON, or not a message of the sub-protocol. */
  BadMessage: 4400,
  /** No token in the payload of connection_init, or an operation before it. */
  Unauthenticated: 4401,
  /** A token that does not hold, or no longer: forged, expired, revoked. */
  Forbidden: 4403,
  /** The client did not read what was sent to it. */
  TooSlow: 4413,
  /** The user has as many sockets as one user may, the network has tried too many tokens, or the socket sends too many messages. */
  TooMany: 4429,
} as const;
