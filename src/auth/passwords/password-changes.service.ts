import { Injectable } from '@nestjs/common';
import { assertScope } from '../../core/authorization/permission-errors.js';
import type { Actor } from '../../core/access/actor.js';
import { hashPassword, verifyPassword } from '../../core/crypto/password-hashing.js';
import { Conflict, InvalidRequest } from '../../core/errors/app-error.js';
import { userPolicy } from '../../organizations/users/user.policy.js';
import { UsersStore } from '../../organizations/users/users.store.js';
import { SignInLimiter } from '../attempts/attempts.limiter.js';
import type { PasswordChange } from './password.inputs.js';
import { PasswordsService } from './passwords.service.js';

/** Changes passwords for users who know the current one. */
@Injectable()
export class PasswordChangesService {
  constructor(
    private readonly users: UsersStore,
    private readonly passwords: PasswordsService,
    private readonly limit: SignInLimiter,
  ) {}

  /** Changes the password. The calling session stays open; the other sessions of the user end. */
  async change(actor: Actor, { current_password: current, password }: PasswordChange, address: string): Promise<void> {
    assertScope(actor, userPolicy.changePassword);
    const user = actor.userId ? await this.users.find(actor.userId) : null;
    if (!user?.passwordHash)
      throw new Conflict('NO_PASSWORD', 'this account has no password', {
        remedy: 'Change it where you sign in: at the OpenID Connect issuer.',
      });
    const attempt = await this.limit.begin(user.email, address);
    if (!(await verifyPassword(user.passwordHash, current))) throw wrongPassword();
    await attempt.succeeded();
    if (!(await this.passwords.replace(actor, user, await hashPassword(password, user.email), actor.sessionId)))
      throw wrongPassword();
  }
}

const wrongPassword = (): InvalidRequest => InvalidRequest.forField('/current_password', 'is wrong');
