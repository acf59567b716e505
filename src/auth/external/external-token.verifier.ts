import { Injectable, Logger } from '@nestjs/common';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import jwt from 'jsonwebtoken';
import { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { AppError } from '../../core/errors/app-error.js';
import { invalidToken, type VerifiedToken } from '../tokens/verified-token.js';
import { parseClaims } from './external-claims.js';
import { ExternalUsersService } from './external-users.service.js';
import { IssuerKeysService } from './issuer-keys.service.js';

const ALGORITHMS = ['RS256', 'PS256', 'ES256'];
const SKEW_SECONDS = 60;

/** Checks the JWT access tokens of the external OpenID Connect issuer. */
@Injectable()
export class ExternalTokenVerifier {
  private readonly logger = new Logger(ExternalTokenVerifier.name);

  constructor(
    private readonly keys: IssuerKeysService,
    private readonly users: ExternalUsersService,
    private readonly env: Env,
  ) {}

  /** Whether a token says that it is of the issuer; what it says is not checked yet. */
  recognizes(token: string): boolean {
    if (!this.env.OIDC_ISSUER) return false;
    const claims = jwt.decode(token);
    return typeof claims === 'object' && claims?.iss === this.env.OIDC_ISSUER;
  }

  /** @throws Unauthenticated when it is forged, expired or for others, or its user is deactivated; RemoteFailure */
  async verify(token: string): Promise<VerifiedToken> {
    const payload = await this.verifySignature(token);
    const claims = parseClaims(payload);
    if ('fault' in claims) {
      this.logger.warn(`a token of ${this.env.OIDC_ISSUER} is refused for its claims: ${claims.fault}`);
      throw invalidToken('the token has claims that cannot be kept');
    }
    const user = await this.users.resolve(claims);
    const actor = Actor.user({
      id: user.id,
      email: user.email,
      installationAdmin: user.installationAdmin,
      defaultOrganizationId: user.defaultOrganizationId,
    });
    return { actor, expiresAt: ((payload.exp ?? 0) + SKEW_SECONDS) * 1000 };
  }

  private async verifySignature(token: string): Promise<JWTPayload> {
    try {
      const { payload } = await jwtVerify(token, this.keys.find, {
        algorithms: ALGORITHMS,
        issuer: this.env.OIDC_ISSUER,
        audience: this.env.OIDC_AUDIENCE,
        clockTolerance: SKEW_SECONDS,
        requiredClaims: ['sub', 'exp'],
      });
      return payload;
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw invalidToken(error instanceof errors.JWTExpired ? 'the token has expired' : 'the token is not valid');
    }
  }
}
