import type { GraphQLFormattedError } from 'graphql';
import type { Actor } from '../../access/actor.js';
import type { AppError } from '../../errors/app-error.js';
import { INLINE_MAX_BYTES } from '../../json/json-chunks.js';
import { DEFAULT_QUERY_LIMITS, type QueryLimits } from '../limits/query-limits.js';

/** Injection token of SocketOptions. */
export const SOCKET_OPTIONS = Symbol('graphql socket options');

export interface SocketOptions {
  /** Origins such as `https://example.org` that browsers may connect from, beside the host that they connect to; `*` is any. */
  allowedOrigins: readonly string[];
  /** The same function that Apollo has: `original` is the GraphQLError, whose `originalError` was thrown. */
  formatError: (error: GraphQLFormattedError, original: unknown) => GraphQLFormattedError;
  /** Hears that a socket was not let in, or that its token ended. */
  onRefused?: (error: AppError) => void;
  limits: QueryLimits;
  /** Called before a socket is opened, which it is not when this throws; nothing is known of the caller but the network. */
  beforeHandshake?: (network: string) => Promise<void>;
  /** Called before each operation, which is not run when this throws: so that a rate limit holds here too. */
  beforeOperation?: (actor: Actor) => Promise<void>;
  /** Sockets of one user at a time. */
  perUser: number;
  /** Operations that run on one socket at a time. */
  operationsPerSocket: number;
  /** Messages, pings included, that one socket may send at once, and how many more each second; it is closed beyond. */
  messageBurst: number;
  messagesPerSecond: number;
  /** Bytes of the largest message from a client; messages are parsed on the main thread. */
  maxPayload: number;
  /** A client is dropped that lets more bytes than this wait, or any message longer than `maxUnsentMs`. */
  maxUnsentBytes: number;
  maxUnsentMs: number;
  /** How long a client may take to send connection_init. */
  initTimeoutMs: number;
  /** How often a client is pinged; one that has not answered by the next ping is dropped. */
  pingMs: number;
  /** How often the token of an open socket is authenticated again, so that no socket outlives its token by more. */
  recheckMs: number;
  /** How long a client may take to answer that its socket is closed. */
  closeMs: number;
}

/** What does not depend on the installation. */
export const SOCKET_DEFAULTS: Omit<SocketOptions, 'allowedOrigins' | 'formatError'> = {
  limits: DEFAULT_QUERY_LIMITS,
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
