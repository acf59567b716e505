import { Injectable } from '@nestjs/common';
import { hashPassword, verifyPassword } from '../../core/crypto/password-hashing.js';
import { hashSecretToken } from '../../core/crypto/secret-token.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AppError, InvalidRequest } from '../../core/errors/app-error.js';
import { actorForUser } from '../../organizations/users/accounts.service.js';
import type { User } from '../../organizations/users/user.entity.js';
import { UsersStore } from '../../organizations/users/users.store.js';
import type { PasswordReset } from './password.inputs.js';
import { canReset, PasswordResetsStore } from './password-resets.store.js';
import { PasswordsService } from './passwords.service.js';

/** Sets a new password with a token that was sent to the user by email. */
@Injectable()
export class PasswordResetsService {
  constructor(
    private readonly users: UsersStore,
    private readonly resets: PasswordResetsStore,
    private readonly passwords: PasswordsService,
    private readonly unit: UnitOfWork,
  ) {}

  /** @throws AppError 410 when the token was used, is unknown or has expired */
  async reset({ token, password }: PasswordReset): Promise<void> {
    await this.unit.runAsSystem('a new password', () => this.resetByToken(hashSecretToken(token), password));
  }

  /** @throws AppError 410 when the token was used, is unknown or has expired */
  async getUser(token: string): Promise<User> {
    const user = await this.unit.runAsSystem('a new password', () => this.findUser(hashSecretToken(token)));
    if (!user || !canReset(user)) throw resetLinkInvalid();
    return user;
  }

  private async resetByToken(hash: Buffer, password: string): Promise<void> {
    const owner = await this.findUser(hash);
    if (!owner) throw resetLinkInvalid();
    if (owner.unconfirmedBy && (await verifyPassword(owner.passwordHash, password)))
      throw InvalidRequest.forField(
        '/password',
        'must differ from the password that another user chose for the account',
      );
    const passwordHash = await hashPassword(password, owner.email);
    await this.unit.run(async () => {
      const userId = await this.resets.findUserId(hash);
      const user = userId ? await this.users.lock(userId) : null;
      if (!user || !(await this.resets.consume(hash)) || !canReset(user)) throw resetLinkInvalid();
      await this.passwords.replaceByOwner(actorForUser(user), user, passwordHash);
    });
  }

  private async findUser(hash: Buffer): Promise<User | null> {
    const userId = await this.resets.findUserId(hash);
    return userId ? this.users.find(userId) : null;
  }
}

const resetLinkInvalid = (): AppError =>
  new AppError(410, 'RESET_SPENT', 'Gone', 'the link was already used, is unknown or has expired', {
    remedy: 'Request a new one: POST /api/auth/password/forgot.',
  });
