import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { hashPassword } from '../../core/crypto/passwords.js';
import { digestOf, newSecretToken } from '../../core/crypto/secret-token.js';
import { UnitOfWork } from '../../core/database/unit-of-work.js';
import { AppError } from '../../core/errors/app-error.js';
import { type Mail, Mailer } from '../../core/mail/mailer.js';
import { Jobs } from '../../jobs/jobs.js';
import { actorOf } from '../../organizations/users/accounts.js';
import type { User } from '../../organizations/users/user.entity.js';
import { asAddress, UsersStore } from '../../organizations/users/users.store.js';
import { ForgottenLimit } from '../attempt-limits.js';
import type { ForgottenPassword, PasswordReset } from './password.inputs.js';
import { PasswordResetsStore } from './password-resets.store.js';
import { Passwords } from './passwords.js';

const QUEUE = 'auth.forgotten-password';
const VALID_SECONDS = 3600;
const HOUR_MS = 3_600_000;

/** Users who forgot their password choose another with a letter to their address. */
@Injectable()
export class ForgottenPasswordsService {
  constructor(
    private readonly users: UsersStore,
    private readonly resets: PasswordResetsStore,
    private readonly passwords: Passwords,
    private readonly limit: ForgottenLimit,
    private readonly mailer: Mailer,
    private readonly unit: UnitOfWork,
    private readonly env: Env,
    private readonly jobs: Jobs,
  ) {
    jobs.handle<{ email: string }>(QUEUE, { concurrency: 2, handler: ({ payload }) => this.write(payload.email) });
    jobs.every('purge.password-resets', HOUR_MS, () => resets.purge());
  }

  /** Does the same whether or not there is such an account, so that neither answer nor time tells: a job looks later. */
  async forgot({ email }: ForgottenPassword, address: string): Promise<void> {
    await this.limit.begin(email, address);
    const job = { queue: QUEUE, payload: { email: asAddress(email) }, organizationId: null, mostAttempts: 5 };
    await this.jobs.enqueue(Actor.system('forgotten password'), job);
  }

  /** @throws AppError 410 when the letter was used, is unknown or has expired */
  async reset({ token, password }: PasswordReset): Promise<void> {
    const hash = digestOf(token);
    if (!(await this.resets.userOf(hash))) throw spent();
    const passwordHash = await hashPassword(password);
    await this.unit.run(async () => {
      const userId = await this.resets.userOf(hash);
      const user = userId ? await this.users.lock(userId) : null;
      if (!user || !(await this.resets.use(hash)) || !mayReset(user)) throw spent();
      await this.passwords.replace(actorOf(user), user, passwordHash);
    });
  }

  private async write(email: string): Promise<void> {
    const user = await this.users.findByEmail(email);
    if (!user || !mayReset(user) || !this.mailer.isConfigured) return;
    const token = newSecretToken();
    await this.resets.add(digestOf(token), user.id, VALID_SECONDS);
    await this.mailer.send(letter(user.email, this.env.baseUrl, token));
  }
}

/** Whoever signs in at an issuer has no password here, and gets none behind its back. */
const mayReset = (user: User): boolean => user.passwordHash !== null && user.deactivatedAt === null;

const spent = (): AppError =>
  new AppError(410, 'RESET_SPENT', 'Gone', 'the letter was used, is unknown or has expired', {
    remedy: 'Ask for another: POST /api/auth/password/forgot.',
  });

const letter = (to: string, baseUrl: string, token: string): Mail => ({
  to,
  subject: 'Choose a new password',
  text: `Somebody, we hope you, asked for a new password at ${baseUrl}.

Within an hour this sets one of at least 8 characters and ends every session:

  curl -X POST ${baseUrl}/api/auth/password/reset -H 'Content-Type: application/json' \\
    -d '{"token": "${token}", "password": "…"}'

If it was not you, do nothing: the password stays as it is.
`,
});
