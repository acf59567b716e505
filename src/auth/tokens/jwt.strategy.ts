import type { KeyObject } from 'node:crypto';
import { PassportStrategy } from '@nestjs/passport';
import type { JwtHeader } from 'jsonwebtoken';
import passport from 'passport';
import { ExtractJwt, Strategy, type StrategyOptionsWithoutRequest } from 'passport-jwt';
import { decodeUnverified } from './json-web-token.js';
import type { VerifiedToken } from './verified-token.js';

/** Finds the key that a header names; undefined when none matches its algorithm. */
export type FindKey = (header: JwtHeader) => KeyObject | undefined | Promise<KeyObject | undefined>;

type JwtOptions = Pick<StrategyOptionsWithoutRequest, 'issuer' | 'audience' | 'algorithms' | 'jsonWebTokenOptions'>;

/** Verifies the JSON Web Tokens of one issuer with passport-jwt; `validate` finds the bearer of their claims. */
export abstract class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(findKey: FindKey, options: JwtOptions) {
    super({
      ...options,
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKeyProvider: (_request: unknown, token: string, done: (error: unknown, key?: string) => void) => {
        // The types of passport-jwt do not include key objects; jsonwebtoken accepts them, and they are many times faster than strings.
        selectKey(findKey, token).then((key) => done(null, key as KeyObject & string), done);
      },
    });
  }

  /** @throws Unauthenticated when the claims identify no user, or a user that no longer exists */
  abstract override validate(claims: object): Promise<VerifiedToken>;

  /** A registry of its own, because that of the module `passport` is shared by all applications of a process. */
  protected getPassportInstance(): InstanceType<typeof passport.Passport> {
    return new passport.Passport();
  }
}

async function selectKey(findKey: FindKey, token: string): Promise<KeyObject> {
  const header = decodeUnverified(token)?.header;
  // RFC 7515, section 4.1.11: tokens with critical extensions are refused, because none is supported.
  const key = header && header.crit === undefined ? await findKey(header) : undefined;
  if (!key) throw new Error('no key of the issuer verifies the token');
  return key;
}
