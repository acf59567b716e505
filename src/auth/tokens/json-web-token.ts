import jwt from 'jsonwebtoken';
import type { SigningKeysService } from './signing-keys.service.js';

/** Who makes the tokens of this server. */
export const OWN_ISSUER = 'armature';

/** What an access token of this server says: whose it is and which session it belongs to. */
export interface AccessTokenClaims {
  sub: string;
  sid: string;
  exp: number;
}

/** Signs an access token of this server, which holds for so many seconds. */
export function signAccessToken(
  { current: { signer, algorithm, kid } }: SigningKeysService,
  { sub, sid }: Omit<AccessTokenClaims, 'exp'>,
  expiresIn: number,
): string {
  return jwt.sign({ sid }, signer, { algorithm, keyid: kid, issuer: OWN_ISSUER, subject: sub, expiresIn });
}

/** What a token says of itself, before anything of it is verified; null when it is no JSON Web Token. */
export function decodeUnverified(token: string): { header: jwt.JwtHeader; issuer: unknown } | null {
  const decoded = decode(token);
  if (!decoded) return null;
  return { header: decoded.header, issuer: typeof decoded.payload === 'object' ? decoded.payload.iss : undefined };
}

/** jsonwebtoken throws for claims that are no JSON. */
function decode(token: string): jwt.Jwt | null {
  try {
    return jwt.decode(token, { complete: true });
  } catch {
    return null;
  }
}
