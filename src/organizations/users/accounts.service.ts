import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { Mailer } from '../../core/mail/mailer.js';
import { User } from './user.entity.js';
import { UserCreated } from './user.events.js';
import { normalizeEmail, UsersStore } from './users.store.js';

/** What an account is made of. */
export interface NewAccount {
  email: string;
  firstName?: string;
  lastName?: string;
  passwordHash: string | null;
  issuer?: string;
  subject?: string;
  /** Who else may know the password; null when it is known that only the owner of the address does. */
  unconfirmedBy: string | null;
}

/** Makes accounts of people, one for an address. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly users: UsersStore,
    private readonly mailer: Mailer,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** The account of this address; nobody else makes one for it until the end of the unit of work. */
  async reserve(email: string): Promise<User | null> {
    await this.users.lockName(normalizeEmail(email));
    return this.unit.runAsSystem('the account of an address', () => this.users.findByEmail(email));
  }

  /** How the owner of the address makes an account theirs whose password somebody else chose; null when it is. */
  confirmationHint({ email, unconfirmedBy }: User): string | null {
    if (!unconfirmedBy) return null;
    return this.mailer.isConfigured
      ? `A letter went to ${email}: the owner of the address confirms the account by choosing a password with it.`
      : `There is no mail here, so the operator confirms the account by making a password for its owner: npm run admin:reset -- ${email}`;
  }

  /** The address must have been reserved and be free. Without an actor the new user is said to have made it. */
  create(account: NewAccount, actor?: Actor): Promise<User> {
    return this.unit.run(async () => {
      const { email, firstName = '', lastName = '', issuer = null, subject = null, ...rest } = account;
      const fields = { email: normalizeEmail(email), firstName, lastName, issuer, subject, ...rest };
      const user = await this.unit.runAsSystem('making an account', () =>
        this.users.insert(Object.assign(new User(), fields)),
      );
      await this.events.publish(new UserCreated(actor ?? actorForUser(user), user));
      return user;
    });
  }
}

/** A user acting in their own name where no token stands for them yet. */
export const actorForUser = ({ id, email }: User): Actor => Actor.user({ id, email, installationAdmin: false });
