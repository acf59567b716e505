import type { Actor } from '../../core/access/actor.js';
import { Unauthenticated } from '../../core/errors/app-error.js';

/** The bearer of a token. */
export interface VerifiedToken {
  actor: Actor;
  /** When the token itself expires, in milliseconds since the epoch; null when it does not. */
  expiresAt: number | null;
  /** Called on each use of the token. */
  onUse?: () => void;
}

/** 401 for a token that is invalid (RFC 6750 section 3.1). */
export function invalidToken(detail: string): Unauthenticated {
  return new Unauthenticated(detail, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
}
