import { Injectable } from '@nestjs/common';
import { Actor } from '../../core/access/actor.js';
import { Env } from '../../core/config/env.js';
import { generateSecretToken, hashSecretToken } from '../../core/crypto/secret-token.js';
import { MAIL_ATTEMPTS, mailRetryDelayMs, URGENT_MAIL_ATTEMPTS } from '../../core/mail/mail-retries.js';
import { MAIL_PLACES, shareOf } from '../../core/mail/mail-places.js';
import { type Mail, Mailer } from '../../core/mail/mailer.js';
import { normalizeEmail } from '../../core/schema/one-line-text.js';
import { JobsService } from '../../jobs/jobs.service.js';
import type { User } from '../../organizations/users/user.entity.js';
import { UsersStore } from '../../organizations/users/users.store.js';
import { PasswordResetLimiter } from '../attempts/attempts.limiter.js';
import type { ForgottenPassword } from './password.inputs.js';
import { canReset, PasswordResetsStore } from './password-resets.store.js';

const QUEUE = 'auth.forgotten-password';
const VALID_SECONDS = 3600;
const CONFIRMATION_VALID_SECONDS = 7 * 86_400;
const HOUR_MS = 3_600_000;

interface ResetMailPayload {
  email: string;
  /** Set for an account that another user has just created, which its owner has to confirm. */
  confirms?: boolean;
}

/** Sends the emails with which users set a password that they forgot or never chose. */
@Injectable()
export class PasswordEmailsService {
  constructor(
    private readonly users: UsersStore,
    private readonly resets: PasswordResetsStore,
    private readonly limit: PasswordResetLimiter,
    private readonly mailer: Mailer,
    private readonly env: Env,
    private readonly jobs: JobsService,
  ) {
    jobs.registerHandler<ResetMailPayload>(QUEUE, {
      ...MAIL_PLACES,
      handle: ({ payload }) => this.sendMail(payload),
      retryDelayMs: mailRetryDelayMs,
    });
    jobs.schedule('purge.password-resets', HOUR_MS, () => resets.purge());
  }

  /** Responds the same whether or not the account exists, so that neither the response nor its duration reveals it; a job checks later. */
  async requestReset({ email }: ForgottenPassword, address: string): Promise<void> {
    await this.limit.begin(email, address);
    await this.enqueueMail({ email: normalizeEmail(email) });
  }

  /** Enqueues an email to the owner of an account whose password another user chose, in the transaction that created it. */
  async requestConfirmation(user: User): Promise<void> {
    if (user.unconfirmedBy && this.mailer.isConfigured) await this.enqueueMail({ email: user.email, confirms: true });
  }

  private async enqueueMail(payload: ResetMailPayload): Promise<void> {
    const mostAttempts = payload.confirms ? MAIL_ATTEMPTS : URGENT_MAIL_ATTEMPTS;
    const shareKey = shareOf(payload.email);
    const job = { queue: QUEUE, payload, organizationId: null, shareKey, mostAttempts };
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

const confirmationMail = (to: string, baseUrl: string, token: string): Mail => ({
  to,
  subject: 'Confirm your account',
  text: `An account was created for this address at ${baseUrl}, with a password that another user chose.

To confirm it, set a password of your own within seven days. This ends all sessions with the other password:

  ${baseUrl}/api/auth/invitations/${token}/confirm

If you did not expect this email, ignore it: the account stays limited to that organization.
`,
});

const resetMail = (to: string, baseUrl: string, token: string): Mail => ({
  to,
  subject: 'Choose a new password',
  text: `A new password was requested for this address at ${baseUrl}.

To set it, open this page within an hour. It ends all sessions, and the link to a user of an OpenID Connect issuer, if there is one:

  ${baseUrl}/api/auth/password/reset/${token}

If you did not request it, ignore this email: the password is not changed.
`,
});
