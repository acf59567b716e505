import type { Actor } from './actor.js';

/**
 * Turns the value of an Authorization header into the Actor it stands for. One implementation (in `auth`) serves
 * REST, GraphQL and sockets; it is provided to the application under this class as its token.
 */
export abstract class Authenticator {
  /** @throws Unauthenticated when the value is missing, malformed, forged, expired or revoked. */
  abstract authenticate(authorization: string | undefined): Promise<Actor>;

  /** Calls back when tokens of this session, or (with `sessionId` null) all tokens of this user, end; returns how to stop. */
  abstract onRevoked(listener: (revoked: { userId: string; sessionId: string | null }) => void): () => void;
}
