import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { GroupTeamsService } from '../../organizations/teams/group-teams.service.js';
import type { User } from '../../organizations/users/user.entity.js';
import { invalidToken } from '../tokens/verified-token.js';
import { ExternalAccountsService } from './external-accounts.service.js';
import type { ExternalClaims } from './external-claims.js';

/** The users whom the issuer identifies, by its access tokens and at sign-in. */
@Injectable()
export class ExternalUsersService {
  constructor(
    private readonly accounts: ExternalAccountsService,
    private readonly teams: GroupTeamsService,
    private readonly unit: UnitOfWork,
  ) {}

  /** The user of these claims, created at the first sign-in and added to the teams of their groups. @throws Unauthenticated */
  resolve(claims: ExternalClaims): Promise<User> {
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
