import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { User } from '../../organizations/users/user.entity.js';
import { UserPasswordChanged } from '../../organizations/users/user.events.js';
import { UsersStore } from '../../organizations/users/users.store.js';
import { SessionsStore } from '../sessions/sessions.store.js';
import { Revocations } from '../tokens/revocations.js';
import { PasswordResetsStore } from './password-resets.store.js';

/** What a new password means, whichever way it came about: the sessions opened with the old one end, letters do not hold. */
@Injectable()
export class Passwords {
  constructor(
    private readonly users: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly resets: PasswordResetsStore,
    private readonly revocations: Revocations,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Sets the password of a user as far as it is still the one they were read with; all their sessions end but `keep`.
   * @returns false when it was changed meanwhile
   */
  replace(actor: Actor, user: User, passwordHash: string, keep: string | null = null): Promise<boolean> {
    return this.unit.run(async () => {
      const current = await this.users.lock(user.id);
      if (!current || current.passwordHash !== user.passwordHash) return false;
      await this.users.update(current, { passwordHash });
      await this.resets.forget(user.id);
      for (const sessionId of await this.sessions.endAll(user.id, keep))
        await this.revocations.revoke({ userId: user.id, sessionId });
      await this.events.publish(new UserPasswordChanged(actor, current));
      return true;
    });
  }
}
