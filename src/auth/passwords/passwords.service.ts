import { Injectable } from '@nestjs/common';
import type { Actor } from '../../core/access/actor.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { EventBus } from '../../core/events/event-bus.js';
import type { User } from '../../organizations/users/user.entity.js';
import { UserConfirmed, UserPasswordChanged, UserUnlinked } from '../../organizations/users/user.events.js';
import { UsersStore } from '../../organizations/users/users.store.js';
import { AccountSignInsService } from './account-sign-ins.service.js';
import { PasswordResetsStore } from './password-resets.store.js';

/** Sets passwords, and applies the effects: sessions opened with the old one end, and reset tokens become invalid. */
@Injectable()
export class PasswordsService {
  constructor(
    private readonly users: UsersStore,
    private readonly resets: PasswordResetsStore,
    private readonly signIns: AccountSignInsService,
    private readonly unit: UnitOfWork,
    private readonly events: EventBus,
  ) {}

  /**
   * Sets the password of a user if it has not changed since it was read; all their sessions end except `keep`. It does not confirm
   * the account, because a user who chose the password for another user knows it too.
   * @returns false when it was changed concurrently
   */
  replace(actor: Actor, user: User, passwordHash: string, keep: string | null = null): Promise<boolean> {
    return this.runAsSystem(async () => {
      const current = await this.users.lock(user.id);
      if (!current || current.passwordHash !== user.passwordHash) return false;
      await this.change(actor, current, { passwordHash }, keep);
      return true;
    });
  }

  /**
   * As `replace`, for a password that the owner of the address has set, which confirms the account. A linked user of an issuer is
   * unlinked, because whoever knew the password before may have linked their own.
   */
  replaceByOwner(actor: Actor, user: User, passwordHash: string): Promise<boolean> {
    return this.runAsSystem(async () => {
      const hadPassword = user.passwordHash !== null;
      if (!(await this.replace(actor, user, passwordHash))) return false;
      const current = await this.users.lock(user.id);
      if (current?.unconfirmedBy) await this.confirm(actor, current, {});
      if (current && hadPassword) await this.unlinkIdentity(actor, current);
      return true;
    });
  }

  /** Transfers an unconfirmed account to the user whose address an issuer has verified, in a transaction that locks the account. */
  async linkIdentity(actor: Actor, user: User, identity: { issuer: string; subject: string }): Promise<void> {
    await this.change(actor, user, { passwordHash: null }, null);
    await this.confirm(actor, user, identity);
  }

  /**
   * From then on the tokens of the issuer no longer act as this account, nor do the sessions that were opened there: all of them end
   * except that of the caller. Runs in a transaction that locks the account.
   */
  async unlinkIdentity(actor: Actor, user: User): Promise<void> {
    const { issuer, subject } = user;
    if (issuer === null) return;
    await this.users.update(user, { issuer: null, subject: null });
    await this.signIns.endSessions(user.id, actor.sessionId);
    await this.signIns.rejectOpenTokens(user.id);
    await this.events.publish(new UserUnlinked(actor, user, { issuer, subject }));
  }

  /** Runs as the system, because no user may write sessions and passwords, not even their own. */
  private runAsSystem<T>(work: () => Promise<T>): Promise<T> {
    return this.unit.runAsSystem('a new password', () => this.unit.run(work));
  }

  private async change(actor: Actor, user: User, change: Partial<User>, keep: string | null): Promise<void> {
    await this.users.update(user, change);
    await this.resets.deleteByUser(user.id);
    await this.signIns.endSessions(user.id, keep);
    await this.events.publish(new UserPasswordChanged(actor, user));
  }

  /** Also revokes what was created with the account while another user could sign in to it. */
  private async confirm(actor: Actor, user: User, change: Partial<User>): Promise<void> {
    await this.users.update(user, { ...change, unconfirmedBy: null });
    await this.signIns.revokeTokens(user.id);
    await this.events.publish(new UserConfirmed(actor, user));
  }
}
