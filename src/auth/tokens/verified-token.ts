import type { Actor } from '../../core/access/actor.js';
import { Unauthenticated } from '../../core/errors/app-error.js';

/** The bearer of a token. */
export interface VerifiedToken {
  actor: Actor;
  /** Called on each use of the token. */
  onUse?: () => void;
}

/** What the bearer of a refused token of the issuer can do. */
export const EXTERNAL_REMEDY =
  'Get an access token for this API from the issuer, and send it as "Authorization: Bearer <token>".';

/**
 * 401 for a token that is invalid (RFC 6750 section 3.1).
 * @param reason what the detail leaves out, without values of the token and without quotation marks
 */
export function invalidToken(detail: string, { reason, remedy }: { reason?: string; remedy?: string } = {}) {
  const challenge = `Bearer error="invalid_token"${reason === undefined ? '' : `, error_description="${reason}"`}`;
  return new Unauthenticated(detail, { headers: { 'WWW-Authenticate': challenge }, ...(remedy && { remedy }) });
}
