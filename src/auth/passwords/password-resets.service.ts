import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { hashPassword, verifyPassword } from '../../core/crypto/password-hashing.js';
import { hashSecretToken, generateSecretToken } from '../../core/crypto/secret-token.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AppError, InvalidRequest } from '../../core/errors/app-error.js';
import { type Mail, Mailer } from '../../core/mail/mailer.js';
import { JobsService } from '../../jobs/jobs.service.js';
import { actorForUser } from '../../organizations/users/accounts.service.js';
import type { User } from '../../organizations/users/user.entity.js';
import { normalizeEmail, UsersStore } from '../../organizations/users/users.store.js';
import { PasswordResetLimiter } from '../attempts/attempts.limiter.js';
import type { ForgottenPassword, PasswordReset } from './password.inputs.js';
import { PasswordResetsStore } from './password-resets.store.js';
import { PasswordsService } from './passwords.service.js';

const QUEUE = 'auth.forgotten-password';
const VALID_SECONDS = 3600;
const CONFIRMATION_VALID_SECONDS = 7 * 86_400;
const HOUR_MS = 3_600_000;

interface ResetMailPayload {
  email: string;
  /** The account was just made by somebody else, and its owner is to confirm it. */
  confirms?: boolean;
}

/** Users who forgot their password, or never chose it themselves, choose one with a letter to their address. */
@Injectable()
export class PasswordResetsService {
  constructor(
    private readonly users: UsersStore,
    private readonly resets: PasswordResetsStore,
    private readonly passwords: PasswordsService,
    private readonly limit: PasswordResetLimiter,
    private readonly mailer: Mailer,
    private readonly unit: UnitOfWork,
    private readonly env: Env,
    private readonly jobs: JobsService,
  ) {
    jobs.registerHandler<ResetMailPayload>(QUEUE, { concurrency: 2, handle: ({ payload }) => this.sendMail(payload) });
    jobs.schedule('purge.password-resets', HOUR_MS, () => resets.purge());
  }

  /** Does the same whether or not there is such an account, so that neither answer nor time tells: a job looks later. */
  async requestReset({ email }: ForgottenPassword, address: string): Promise<void> {
    await this.limit.begin(email, address);
    await this.enqueueMail({ email: normalizeEmail(email) });
  }

  /** Writes to the owner of an account whose password somebody else chose; part of the unit of work that made it. */
  async requestConfirmation(user: User): Promise<void> {
    if (user.unconfirmedBy && this.mailer.isConfigured) await this.enqueueMail({ email: user.email, confirms: true });
  }

  /** @throws AppError 410 when the letter was used, is unknown or has expired */
  async reset({ token, password }: PasswordReset): Promise<void> {
    await this.unit.runAsSystem('a new password', () => this.resetByToken(hashSecretToken(token), password));
  }

  private async resetByToken(hash: Buffer, password: string): Promise<void> {
    const owner = await this.findUser(hash);
    if (!owner) throw resetLinkInvalid();
    if (owner.unconfirmedBy && (await verifyPassword(owner.passwordHash, password)))
      throw InvalidRequest.forField('/password', 'must be another one than somebody else chose for the account');
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

  private async enqueueMail(payload: ResetMailPayload): Promise<void> {
    const job = { queue: QUEUE, payload, organizationId: null, mostAttempts: 5 };
    await this.jobs.enqueue(Actor.system('forgotten password'), job);
  }

  private async sendMail({ email, confirms = false }: ResetMailPayload): Promise<void> {
    const user = await this.users.findByEmail(email);
    if (!user || !canReset(user) || !this.mailer.isConfigured || (confirms && !user.unconfirmedBy)) return;
    const token = generateSecretToken();
    await this.resets.add(hashSecretToken(token), user.id, confirms ? CONFIRMATION_VALID_SECONDS : VALID_SECONDS);
    await this.mailer.send((confirms ? confirmationMail : resetMail)(user.email, this.env.baseUrl, token));
  }
}

/** Whoever signs in at an issuer has no password here, and gets none behind its back. */
const canReset = (user: User): boolean => user.passwordHash !== null && user.deactivatedAt === null;

const resetLinkInvalid = (): AppError =>
  new AppError(410, 'RESET_SPENT', 'Gone', 'the letter was used, is unknown or has expired', {
    remedy: 'Ask for another: POST /api/auth/password/forgot.',
  });

const confirmationMail = (to: string, baseUrl: string, token: string): Mail => ({
  to,
  subject: 'Confirm your account',
  text: `An account was made for this address at ${baseUrl}, with a password that somebody else chose.

Within seven days this confirms it with a password of your own, of at least 8 characters, and ends what was signed in with the other:

  curl -X POST ${baseUrl}/api/auth/invitations/${token}/confirm -H 'Content-Type: application/json' \\
    -d '{"password": "…"}'

If you do not know of it, do nothing: the account counts for no other organization.
`,
});

const resetMail = (to: string, baseUrl: string, token: string): Mail => ({
  to,
  subject: 'Choose a new password',
  text: `Somebody, we hope you, asked for a new password at ${baseUrl}.

Within an hour this sets one of at least 8 characters and ends every session:

  curl -X POST ${baseUrl}/api/auth/password/reset -H 'Content-Type: application/json' \\
    -d '{"token": "${token}", "password": "…"}'

If it was not you, do nothing: the password stays as it is.
`,
});
