import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { Mailer } from '../../core/mail/mailer.js';
import { normalizeEmail } from '../../core/schema/one-line-text.js';
import { User } from './user.entity.js';
import { UserCreated, UserUpdated } from './user.events.js';
import { UsersStore } from './users.store.js';

/** The fields of a new account. */
export interface NewAccount {
  email: string;
  firstName?: string;
  lastName?: string;
  passwordHash: string | null;
  issuer?: string;
  subject?: string;
  /** Another user who may know the password; null when only the owner of the address knows it. */
  unconfirmedBy: string | null;
}

/** Creates accounts of people, at most one for each address. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly users: UsersStore,
    private readonly mailer: Mailer,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** The account of this address, if any. Blocks the concurrent creation of one until the end of the transaction. */
  async reserve(email: string): Promise<User | null> {
    await this.users.lockName(normalizeEmail(email));
    return this.unit.runAsSystem('the account of an address', () => this.users.findByEmail(email));
  }

  /** An account by its id, whoever asks. */
  findById(id: string): Promise<User | null> {
    return this.unit.runAsSystem('an account', () => this.users.find(id));
  }

  /** Gives an account an address that its issuer has verified, when no other account has it. @returns whether it has it now */
  async takeAddress(user: User, email: string): Promise<boolean> {
    if (await this.reserve(email)) return false;
    await this.users.update(user, { email: normalizeEmail(email) });
    await this.events.publish(new UserUpdated(actorForUser(user), user));
    return true;
  }

  /** How the owner of the address confirms an account whose password another user chose; null when only the owner knows it. */
  confirmationHint({ email, unconfirmedBy }: User): string | null {
    if (!unconfirmedBy) return null;
    return this.mailer.isConfigured
      ? `An email was sent to ${email}: the owner of the address confirms the account by choosing a password with it.`
      : `This server sends no mail, so the operator confirms the account by setting a password for its owner: npm run admin:reset -- ${email}`;
  }

  /** Creates an account; the caller has reserved the address. Without an actor, the new user is recorded as the creator. */
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

/** The actor of a user before a token is available. */
export const actorForUser = ({ id, email }: User): Actor => Actor.user({ id, email, installationAdmin: false });
