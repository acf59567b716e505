import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AcceptancesService } from '../../organizations/invitations/acceptances.service.js';
import { AccountsService } from '../../organizations/users/accounts.service.js';
import { hasPlaceholder, NO_MAIL_DOMAIN, type User } from '../../organizations/users/user.entity.js';
import { UsersStore } from '../../organizations/users/users.store.js';
import { PasswordsService } from '../passwords/passwords.service.js';
import type { ExternalClaims } from './external-claims.js';

/**
 * The accounts of users that the issuer authenticates. An account is identified only by its issuer and subject: a confirmed account
 * cannot be taken over through its address.
 */
@Injectable()
export class ExternalAccountsService {
  constructor(
    private readonly users: UsersStore,
    private readonly accounts: AccountsService,
    private readonly acceptances: AcceptancesService,
    private readonly passwords: PasswordsService,
    private readonly unit: UnitOfWork,
    private readonly env: Env,
  ) {}

  find({ subject }: ExternalClaims): Promise<User | null> {
    return this.users.findBySubject(this.issuer, subject);
  }

  /** Gives an account without an address the one that the issuer has verified meanwhile, and what it was invited to, if it is free. */
  async takeVerifiedAddress(user: User, { email }: ExternalClaims): Promise<User> {
    if (!email || !hasPlaceholder(user) || email.toLowerCase().endsWith(NO_MAIL_DOMAIN)) return user;
    if (await this.users.findByEmail(email)) return user;
    return this.unit.run(async () => {
      const locked = (await this.users.lock(user.id)) ?? user;
      if (hasPlaceholder(locked) && (await this.accounts.takeAddress(locked, email)))
        await this.acceptances.acceptAll(locked);
      return locked;
    });
  }

  /**
   * Creates the account unless it exists. It gets the address if the issuer has verified it and no confirmed account has it;
   * pending invitations for the address are then accepted too. An account that another user created for the address is transferred
   * to its owner, without its password, sessions and tokens.
   */
  create(claims: ExternalClaims): Promise<User> {
    return this.unit.run(async () => {
      const { subject, email, firstName, lastName } = claims;
      await this.users.lockName(`${this.issuer} ${subject}`);
      const known = await this.find(claims);
      if (known) return known;
      const identity = { issuer: this.issuer, subject };
      const account = { firstName, lastName, passwordHash: null, unconfirmedBy: null, ...identity };
      const own = email && !email.toLowerCase().endsWith(NO_MAIL_DOMAIN) ? email : null;
      const holder = own ? await this.accounts.reserve(own) : null;
      if (!own || (holder && !isClaimable(holder)))
        return this.accounts.create({ ...account, email: this.placeholderEmail(subject) });
      const user = holder ?? (await this.accounts.create({ ...account, email: own }));
      if (holder) await this.passwords.linkIdentity(Actor.system('verified address'), holder, identity);
      await this.acceptances.acceptAll(user);
      return user;
    });
  }

  private placeholderEmail(subject: string): string {
    const name = createHash('sha256').update(`${this.issuer} ${subject}`).digest('hex').slice(0, 16);
    return `${name}@external${NO_MAIL_DOMAIN}`;
  }

  private get issuer(): string {
    return this.env.OIDC_ISSUER ?? '';
  }
}

const isClaimable = ({ unconfirmedBy, deactivatedAt }: User): boolean =>
  unconfirmedBy !== null && deactivatedAt === null;
