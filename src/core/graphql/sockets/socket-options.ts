import type { GraphQLFormattedError } from 'graphql';
import type { Actor } from '../../access/actor.js';
import type { AppError } from '../../errors/app-error.js';
import { INLINE_MAX_BYTES } from '../../json/json-chunks.js';

/** Injection token of SocketOptions. */
export const SOCKET_OPTIONS = Symbol('graphql socket options');

export interface SocketOptions {
  /** Origins, such as `https://example.org`, whose pages may connect in addition to the server's own; `*` allows any. */
  allowedOrigins: readonly string[];
  /** The function that Apollo uses: `original` is the GraphQLError, whose `originalError` was thrown. */
  formatError: (error: GraphQLFormattedError, original: unknown) => GraphQLFormattedError;
  /** Called when a socket is rejected, or its token ends. */
  onRefused?: (error: AppError) => void;
  /** Called before the handshake, with the network of the caller; an error rejects the socket. */
  beforeHandshake?: (network: string) => Promise<void>;
  /** Called before each operation, for rate limits; an error rejects the operation. */
  beforeOperation?: (actor: Actor) => Promise<void>;
  /** The maximum number of sockets of one user. */
  perUser: number;
  /** The maximum number of concurrent operations on one socket. */
  operationsPerSocket: number;
  /** Token bucket of the messages, including pings, of one socket: its capacity and refill rate. The socket is closed above it. */
  messageBurst: number;
  messagesPerSecond: number;
  /** The maximum size of a client's message in bytes; messages are parsed on the main thread. */
  maxPayload: number;
  /** A client is closed when more unsent bytes than this, or any message for longer than `maxUnsentMs`, wait to be read. */
  maxUnsentBytes: number;
  maxUnsentMs: number;
  /** The timeout of connection_init. */
  initTimeoutMs: number;
  /** The ping interval; a client that has not answered by the next ping is closed. */
  pingMs: number;
  /** The interval in which tokens of open sockets are verified, which limits how long a socket outlives its token. */
  recheckMs: number;
  /** The timeout of the closing handshake. */
  closeMs: number;
}

/** Defaults that do not depend on the installation. */
export const SOCKET_DEFAULTS: Omit<SocketOptions, 'allowedOrigins' | 'formatError'> = {
  perUser: 20,
  operationsPerSocket: 25,
  messageBurst: 200,
  messagesPerSecond: 50,
  maxPayload: INLINE_MAX_BYTES,
  maxUnsentBytes: 4 << 20,
  maxUnsentMs: 10_000,
  initTimeoutMs: 10_000,
  pingMs: 12_000,
  recheckMs: 15_000,
  closeMs: 3_000,
};
