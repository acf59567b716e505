import { Injectable, Logger } from '@nestjs/common';
import type { JwtHeader, JwtPayload } from 'jsonwebtoken';
import { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { Unauthenticated } from '../../core/errors/app-error.js';
import { JwtStrategy } from '../tokens/jwt.strategy.js';
import { EXTERNAL_REMEDY, invalidToken, type VerifiedToken } from '../tokens/verified-token.js';
import { ExternalUsersService } from './external-users.service.js';
import { parseClaims } from './external-claims.js';
import { IssuerKeysService } from './issuer-keys.service.js';

const SKEW_SECONDS = 60;

/** Whether a header is of an access token (RFC 9068), or does not say of what it is; others are of logout and the like. */
const isAccessToken = ({ typ }: JwtHeader): boolean => typ === undefined || /^(application\/)?(at\+)?jwt$/i.test(typ);

/** The JWT access tokens of the external OpenID Connect issuer. */
@Injectable()
export class ExternalTokenStrategy extends JwtStrategy {
  private readonly logger = new Logger(ExternalTokenStrategy.name);

  constructor(
    keys: IssuerKeysService,
    private readonly users: ExternalUsersService,
    private readonly env: Env,
  ) {
    super((header) => (isAccessToken(header) ? keys.find(header) : undefined), {
      issuer: env.OIDC_ISSUER,
      audience: env.OIDC_AUDIENCE,
      algorithms: ['RS256', 'PS256', 'ES256'],
      jsonWebTokenOptions: { clockTolerance: SKEW_SECONDS },
    });
  }

  override async validate(payload: JwtPayload): Promise<VerifiedToken> {
    const { exp, sub, iat = 0 } = payload;
    const missing = exp === undefined ? 'exp' : 'sub';
    if (exp === undefined || sub === undefined) throw this.refuse(`the token has no claim ${missing}`);
    if (iat > Date.now() / 1000 + SKEW_SECONDS) throw this.refuse('the token is from the future (claim iat)');
    const claims = parseClaims(payload, this.env.OIDC_TRUST_EMAIL);
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
      expiresAt: (exp + SKEW_SECONDS) * 1000,
    });
    return { actor };
  }

  private refuse(reason: string): Unauthenticated {
    this.logger.warn(`a token of ${this.env.OIDC_ISSUER} is refused: ${reason}`);
    return invalidToken('the token is not valid', { reason, remedy: EXTERNAL_REMEDY });
  }
}
