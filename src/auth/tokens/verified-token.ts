import type { Actor } from '../../core/access/actor.js';
import { Unauthenticated } from '../../core/errors/app-error.js';

/** Whom a token stands for. */
export interface VerifiedToken {
  actor: Actor;
  /** When the token itself expires, in milliseconds of the epoch; null when it does not. */
  expiresAt: number | null;
  /** Called whenever the token is used. */
  onUse?: () => void;
}

/** 401 for a token that was given and does not hold (RFC 6750 section 3.1). */
export function invalidToken(detail: string): Unauthenticated {
  return new Unauthenticated(detail, { headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
}
