import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import { User } from './user.entity.js';
import { UserCreated } from './user.events.js';
import { asAddress, UsersStore } from './users.store.js';

/** What an account is made of. */
export interface NewAccount {
  email: string;
  firstName?: string;
  lastName?: string;
  passwordHash: string | null;
  issuer?: string;
  subject?: string;
}

/** Makes accounts of people, one for an address. */
@Injectable()
export class Accounts {
  constructor(
    private readonly users: UsersStore,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /** The account of this address; nobody else makes one for it until the end of the unit of work. */
  async reserve(email: string): Promise<User | null> {
    await this.users.reserve(asAddress(email));
    return this.users.findByEmail(email);
  }

  /** The address must have been reserved and be free. Without an actor the new user is said to have made it. */
  make(account: NewAccount, actor?: Actor): Promise<User> {
    return this.unit.run(async () => {
      const { email, firstName = '', lastName = '', passwordHash, issuer = null, subject = null } = account;
      const fields = { email: asAddress(email), firstName, lastName, passwordHash, issuer, subject };
      const user = await this.users.insert(Object.assign(new User(), fields));
      await this.events.publish(new UserCreated(actor ?? actorOf(user), user));
      return user;
    });
  }
}

/** A user acting in their own name where no token stands for them yet. */
export const actorOf = ({ id, email }: User): Actor => Actor.user({ id, email, installationAdmin: false });
