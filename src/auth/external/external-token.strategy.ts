import { Injectable, Logger } from '@nestjs/common';
import type { JwtHeader, JwtPayload } from 'jsonwebtoken';
import { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { Unauthenticated } from '../../core/errors/app-error.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { GroupTeamsService } from '../../organizations/teams/group-teams.service.js';
import type { User } from '../../organizations/users/user.entity.js';
import { JwtStrategy } from '../tokens/jwt.strategy.js';
import { EXTERNAL_REMEDY, invalidToken, type VerifiedToken } from '../tokens/verified-token.js';
import { ExternalAccountsService } from './external-accounts.service.js';
import { type ExternalClaims, parseClaims } from './external-claims.js';
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
    private readonly accounts: ExternalAccountsService,
    private readonly teams: GroupTeamsService,
    private readonly unit: UnitOfWork,
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
    const user = await this.resolveUser(claims);
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

  /** The user of these claims, created at the first sign-in and added to the teams of their groups. @throws Unauthenticated */
  private resolveUser(claims: ExternalClaims): Promise<User> {
    // No actor is known yet, so the system actor reads and publishes.
    return this.unit.runAsSystem('a user of the issuer', async () => {
      const known = await this.accounts.find(claims);
      if (known?.deactivatedAt) throw invalidToken('the account of this token is deactivated');
      const user = known ? await this.accounts.takeVerifiedAddress(known, claims) : await this.accounts.create(claims);
      if (user.deactivatedAt) throw invalidToken('the account of this token is deactivated');
      if (claims.groups) await this.teams.sync(user, claims.groups);
      return user;
    });
  }
}
