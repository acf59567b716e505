import { Injectable, Logger } from '@nestjs/common';
import type { JwtPayload } from 'jsonwebtoken';
import { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { GroupTeamsService } from '../../organizations/teams/group-teams.service.js';
import type { User } from '../../organizations/users/user.entity.js';
import { JwtStrategy } from '../tokens/jwt.strategy.js';
import { invalidToken, type VerifiedToken } from '../tokens/verified-token.js';
import { ExternalAccountsService } from './external-accounts.service.js';
import { type ExternalClaims, parseClaims } from './external-claims.js';
import { IssuerKeysService } from './issuer-keys.service.js';

const SKEW_SECONDS = 60;

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
    super((header) => keys.find(header), {
      issuer: env.OIDC_ISSUER,
      audience: env.OIDC_AUDIENCE,
      algorithms: ['RS256', 'PS256', 'ES256'],
      jsonWebTokenOptions: { clockTolerance: SKEW_SECONDS },
    });
  }

  override async validate(payload: JwtPayload): Promise<VerifiedToken> {
    const { exp, sub } = payload;
    if (exp === undefined || sub === undefined) throw invalidToken('the token is not valid');
    const claims = parseClaims(payload);
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
    });
    return { actor, expiresAt: (exp + SKEW_SECONDS) * 1000 };
  }

  /** The user of these claims, created at the first sign-in and added to the teams of their groups. @throws Unauthenticated */
  private resolveUser(claims: ExternalClaims): Promise<User> {
    // No actor is known yet, so the system actor reads and publishes.
    return this.unit.runAsSystem('a user of the issuer', async () => {
      const user = (await this.accounts.find(claims)) ?? (await this.accounts.create(claims));
      if (user.deactivatedAt) throw invalidToken('the account of this token is deactivated');
      if (claims.groups) await this.teams.sync(user, claims.groups);
      return user;
    });
  }
}
