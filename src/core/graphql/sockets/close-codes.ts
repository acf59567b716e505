/**
 * Codes with which the server closes a socket. Also used: 1000, 1001 (shutdown), 1009 (message too large), and those
 * of graphql-ws: 4408 (no connection_init in time), 4409 (operation id in use), 4429 (second connection_init).
 */
export const CloseCode = {
  /** The server failed, and the error belongs to no single operation. */
  Failed: 4500,
  /** The message is not JSON, or not a message of the sub-protocol. */
  BadMessage: 4400,
  /** The payload of connection_init has no token, or an operation arrived before it. */
  Unauthenticated: 4401,
  /** The token is forged, expired or revoked. */
  Forbidden: 4403,
  /** The client does not read messages fast enough. */
  TooSlow: 4413,
  /** The user has too many sockets, the network sent too many invalid tokens, or the socket sends too many messages. */
  TooMany: 4429,
} as const;
