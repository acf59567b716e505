import { Injectable } from '@nestjs/common';
import jwt from 'jsonwebtoken';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { Env } from '../../core/config/env.js';
import type { Unauthenticated } from '../../core/errors/app-error.js';
import { invalidToken } from './verified-token.js';
import { SigningKeysService } from './signing-keys.service.js';

const ISSUER = 'armature';

/** What an access token says: whose it is and which session it belongs to. */
export interface AccessTokenClaims {
  sub: string;
  sid: string;
  exp: number;
}

/** Makes and checks the JWT access tokens of this server; passport-jwt is the check. */
@Injectable()
export class AccessTokensService {
  readonly lifetime: number;
  private readonly strategy: Strategy;

  constructor(
    private readonly keys: SigningKeysService,
    env: Env,
  ) {
    this.lifetime = env.ACCESS_TOKEN_TTL;
    this.strategy = new Strategy(
      {
        jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
        issuer: ISSUER,
        algorithms: [keys.current.algorithm, keys.current.algorithm === 'HS256' ? 'ES256' : 'HS256'],
        secretOrKeyProvider: (_request: unknown, token: string, done: (error: Error | null, key?: string) => void) => {
          const header = jwt.decode(token, { complete: true })?.header;
          const key = keys.find(header?.kid);
          if (key && header?.alg === key.algorithm) done(null, key.key as unknown as string);
          else done(new Error('the token was not signed with a key of this server'));
        },
      },
      (claims: AccessTokenClaims, done: (error: null, claims: AccessTokenClaims) => void) => done(null, claims),
    );
  }

  sign(userId: string, sessionId: string): string {
    return jwt.sign({ sid: sessionId }, this.keys.current.signer, {
      algorithm: this.keys.current.algorithm,
      keyid: this.keys.current.kid,
      issuer: ISSUER,
      subject: userId,
      expiresIn: this.lifetime,
    });
  }

  /** @throws Unauthenticated when the token is malformed, forged or expired */
  verify(token: string): Promise<AccessTokenClaims> {
    return new Promise((resolve, reject) => {
      const attempt = Object.assign(Object.create(this.strategy) as Strategy, {
        success: (claims: AccessTokenClaims) => resolve(claims),
        fail: (reason: unknown) => reject(verificationError(reason)),
        error: (reason: unknown) => reject(verificationError(reason)),
      });
      attempt.authenticate({ headers: { authorization: `Bearer ${token}` } } as never, {});
    });
  }
}

function verificationError(reason: unknown): Unauthenticated {
  const expired = reason instanceof Error && reason.name === 'TokenExpiredError';
  return invalidToken(expired ? 'the token has expired' : 'the token is not valid');
}
