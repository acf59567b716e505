import jwt from 'jsonwebtoken';
import type { SigningKeysService } from './signing-keys.service.js';

/** The issuer of the tokens of this server. */
export const OWN_ISSUER = 'armature';

/** The claims of an access token of this server: its user and session. */
export interface AccessTokenClaims {
  sub: string;
  sid: string;
  exp: number;
}

/** Signs an access token of this server that is valid for the given number of seconds. */
export function signAccessToken(
  { current: { signer, algorithm, kid } }: SigningKeysService,
  { sub, sid }: Omit<AccessTokenClaims, 'exp'>,
  expiresIn: number,
): string {
  return jwt.sign({ sid }, signer, { algorithm, keyid: kid, issuer: OWN_ISSUER, subject: sub, expiresIn });
}

/** The claims of a token before its verification; null when it is not a JSON Web Token. */
export function decodeUnverified(
  token: string,
): { header: jwt.JwtHeader; issuer: unknown; claims: jwt.JwtPayload } | null {
  const decoded = decode(token);
  if (!decoded) return null;
  const claims = typeof decoded.payload === 'object' ? decoded.payload : {};
  return { header: decoded.header, issuer: claims.iss, claims };
}

/** jsonwebtoken throws for claims that are not JSON. */
function decode(token: string): jwt.Jwt | null {
  try {
    return jwt.decode(token, { complete: true });
  } catch {
    return null;
  }
}
