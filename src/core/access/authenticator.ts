import type { IncomingMessage } from 'node:http';
import type { Actor } from './actor.js';

/**
 * Finds the Actor of the Authorization header of a request. One implementation (in `auth`) serves
 * REST, GraphQL and sockets; it is provided to the application under this class as its token.
 */
export abstract class Authenticator {
  /**
   * Answers at once where the token is known.
   * @param getNetwork returns the network of the caller, which may try a bounded number of invalid tokens
   * @throws Unauthenticated when the value is missing, malformed, forged, expired or revoked; AppError 429
   */
  abstract authenticate(request: IncomingMessage, getNetwork: () => string): Actor | Promise<Actor>;

  /** Calls back when tokens of this session, or (with `sessionId` null) all tokens of this user, end; returns how to stop. */
  abstract onRevoked(listener: (revoked: { userId: string; sessionId: string | null }) => void): () => void;
}
