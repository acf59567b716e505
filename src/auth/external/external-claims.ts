import { isEmail } from 'class-validator';
import type { JWTPayload } from 'jose';

const MOST_GROUPS = 1_000;
const LONGEST = 255;

/** What an issuer says of a user, as far as it is used here. */
export interface ExternalClaims {
  subject: string;
  /** Null unless the issuer has verified it. */
  email: string | null;
  firstName: string;
  lastName: string;
  /** Null when the token says nothing of groups, which is not the same as being in none. */
  groups: string[] | null;
}

/** Reads the claims of OpenID Connect (Core section 5.1), and `groups` as issuers commonly write it. */
export function claimsOf(payload: JWTPayload): ExternalClaims {
  const { sub, email, email_verified: verified, given_name: given, family_name: family, name, groups } = payload;
  const isVerified = (verified === true || verified === 'true') && typeof email === 'string' && isEmail(email);
  return {
    subject: sub ?? '',
    email: isVerified ? email : null,
    firstName: text(given) || text(name),
    lastName: text(family),
    groups: Array.isArray(groups) ? groups.filter(isName).slice(0, MOST_GROUPS) : null,
  };
}

const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, LONGEST) : '');

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= LONGEST;
