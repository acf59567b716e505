import { z } from 'zod';
import { findTextFault } from '../../core/json/storable-json.js';
import { isEmailAddress } from '../../core/schema/one-line-text.js';

const MAX_GROUPS = 1_000;
const MAX_CHARACTERS = 255;

/** The claims of an issuer that this server uses. */
export interface ExternalClaims {
  subject: string;
  /** Null unless the issuer has verified the address. */
  email: string | null;
  firstName: string;
  lastName: string;
  /** Null when the token has no groups claim, which differs from an empty list. */
  groups: string[] | null;
}

const claimText = z
  .string('must be a string')
  .max(MAX_CHARACTERS, `must have at most ${MAX_CHARACTERS} characters`)
  .superRefine((value, context) => {
    const fault = findTextFault(value);
    if (fault) context.addIssue(fault);
  });
const optionalClaimText = claimText.nullish();

/** The claims of OpenID Connect (Core section 5.1), and `groups` as issuers commonly write it. */
const claimsSchema = z.object({
  sub: claimText.min(1, 'must not be empty'),
  email: optionalClaimText,
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])], 'must be true or false').nullish(),
  given_name: optionalClaimText,
  family_name: optionalClaimText,
  name: optionalClaimText,
  groups: z
    .array(z.unknown(), 'must be a list of names')
    .max(MAX_GROUPS, `must be at most ${MAX_GROUPS} names`)
    .pipe(z.array(claimText))
    .nullish(),
});

/**
 * @param trustsEmail the operator trusts every address of the issuer, whether it says that it has verified it or not
 * @returns the claims, or the first fault (for the log) of claims that cannot be stored
 */
export function parseClaims(payload: object, trustsEmail = false): ExternalClaims | { fault: string } {
  const read = claimsSchema.safeParse(payload);
  if (!read.success) {
    const { path = [], message = 'is not valid' } = read.error.issues[0] ?? {};
    return { fault: `${path.map(String).join('.')} ${message}` };
  }
  const { sub, email, email_verified: verified, given_name: given, family_name: family, name, groups } = read.data;
  const isVerified =
    (trustsEmail || verified === true || verified === 'true') && typeof email === 'string' && isEmailAddress(email);
  return {
    subject: sub,
    email: isVerified ? email : null,
    firstName: given || name || '',
    lastName: family ?? '',
    groups: groups?.filter((group) => group.length > 0) ?? null,
  };
}
