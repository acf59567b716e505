import type { IncomingMessage } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import passport from 'passport';
import { Env } from '../core/config/env.js';
import { AppError } from '../core/errors/app-error.js';
import { ExternalTokenStrategy } from './external/external-token.strategy.js';
import { PersonalTokenVerifier } from './personal-tokens/personal-token.verifier.js';
import { decodeUnverified } from './tokens/json-web-token.js';
import { SessionTokenStrategy } from './sessions/session-token.strategy.js';
import { EXTERNAL_REMEDY, invalidToken, type VerifiedToken } from './tokens/verified-token.js';

/** The middleware that Passport creates from a strategy; with a callback it needs no response. */
type PassportMiddleware = (request: IncomingMessage, response: undefined, next: (error?: unknown) => void) => void;

/** Verifies tokens: JSON Web Tokens by Passport strategies, and opaque personal tokens by a verifier. */
@Injectable()
export class TokenStrategies {
  private readonly logger = new Logger(TokenStrategies.name);
  private readonly passport = new passport.Passport();

  constructor(
    private readonly personal: PersonalTokenVerifier,
    session: SessionTokenStrategy,
    external: ExternalTokenStrategy,
    private readonly env: Env,
  ) {
    this.passport.use('session', session).use('external', external);
  }

  /** @throws Unauthenticated; RemoteFailure when the issuer of the token cannot be reached for its keys */
  verify(request: IncomingMessage, token: string): Promise<VerifiedToken> {
    if (this.personal.recognizes(token)) return this.personal.verify(token);
    const isExternal = this.env.OIDC_ISSUER && decodeUnverified(token)?.issuer === this.env.OIDC_ISSUER;
    return this.runStrategy(isExternal ? 'external' : 'session', request);
  }

  /** A token that the issuer has signed is refused for a claim, which the operator and the caller may have to change. */
  private toExternalError(reason: unknown): AppError {
    if (reason instanceof AppError) return reason;
    const said = reason instanceof Error ? reason.message : '';
    const fault = CLAIM_FAULTS.find(([pattern]) => pattern.test(said))?.[1];
    if (fault) this.logger.warn(`a token of ${this.env.OIDC_ISSUER} is refused: ${fault}`);
    const detail = reason instanceof Error && reason.name === 'TokenExpiredError' ? EXPIRED : INVALID;
    return invalidToken(detail, {
      reason: fault ?? 'no key of the issuer verifies the token',
      remedy: EXTERNAL_REMEDY,
    });
  }

  private runStrategy(name: string, request: IncomingMessage): Promise<VerifiedToken> {
    return new Promise((resolve, reject) => {
      const finish = (error: Error | null, verified: VerifiedToken | false | null, reason?: unknown): void => {
        if (error) reject(error);
        else if (verified) resolve(verified);
        else reject(name === 'external' ? this.toExternalError(reason) : toError(reason));
      };
      const run = this.passport.authenticate(name, { session: false }, finish) as PassportMiddleware;
      run(request, undefined, reject);
    });
  }
}

const EXPIRED = 'the token has expired';
const INVALID = 'the token is not valid';

/** What `jsonwebtoken` says of the claims of a token whose signature holds, and how it is reported. */
const CLAIM_FAULTS: readonly (readonly [said: RegExp, detail: string])[] = [
  [/^jwt audience invalid/, 'the claim aud of the token does not name this API'],
  [/^jwt issuer invalid/, 'the claim iss of the token is not the issuer'],
  [/^jwt expired/, 'the token has expired (claim exp)'],
  [/^jwt not active/, 'the token is not valid yet (claim nbf)'],
  [/^(invalid|missing) (exp|nbf|iat)/, 'a time in the claims of the token is not a number'],
];

/** Converts the reasons of passport-jwt to errors of this server. */
function toError(reason: unknown): AppError {
  if (reason instanceof AppError) return reason;
  const expired = reason instanceof Error && reason.name === 'TokenExpiredError';
  return invalidToken(expired ? EXPIRED : INVALID);
}
