import type { IncomingMessage } from 'node:http';
import type { Actor } from './actor.js';

/**
 * Authenticates requests by their Authorization header. One implementation, in `auth`, serves REST, GraphQL and
 * WebSockets; this class is its provider token.
 */
export abstract class Authenticator {
  /**
   * Returns synchronously when the token is cached.
   * @param getNetwork returns the network of the caller, for the rate limit of invalid tokens
   * @throws Unauthenticated when the value is missing, malformed, forged, expired or revoked
   * @throws AppError 429 when the network sent too many invalid tokens
   */
  abstract authenticate(request: IncomingMessage, getNetwork: () => string): Actor | Promise<Actor>;

  /**
   * Calls the listener when the tokens of a session, or (`sessionId` null) all tokens of a user, are revoked.
   * @returns a function that unsubscribes
   */
  abstract onRevoked(listener: (revoked: { userId: string; sessionId: string | null }) => void): () => void;
}
