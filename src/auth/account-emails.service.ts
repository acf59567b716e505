import { Injectable } from '@nestjs/common';
import { Actor } from '../core/access/actor.js';
import { Env } from '../core/config/env.js';
import { MAIL_PLACES, shareOf } from '../core/mail/mail-places.js';
import { MAIL_ATTEMPTS, mailRetryDelayMs } from '../core/mail/mail-retries.js';
import { type Mail, Mailer } from '../core/mail/mailer.js';
import { JobsService } from '../jobs/jobs.service.js';
import { hasPlaceholder } from '../organizations/users/user.entity.js';
import { UserLinked, UserPasswordChanged, type UserUnlinked } from '../organizations/users/user.events.js';

const QUEUE = 'auth.account-changed';

interface AccountMailPayload {
  email: string;
  change: 'linked' | 'unlinked' | 'password';
  issuer: string;
}

/** Changes of an account that a thief could make, and that its owner is told of by email. */
export type AccountChange = UserLinked | UserUnlinked | UserPasswordChanged;

/** Enqueues the email in the transaction of the change; has no effect without a mail server, and for an account without a password. */
export async function enqueueAccountMail(
  env: Env,
  jobs: Pick<JobsService, 'enqueue'>,
  event: AccountChange,
): Promise<void> {
  const { user } = event;
  if (!env.SMTP_URL || user.passwordHash === null || hasPlaceholder(user)) return;
  const payload: AccountMailPayload = {
    email: user.email,
    change: event instanceof UserPasswordChanged ? 'password' : event instanceof UserLinked ? 'linked' : 'unlinked',
    issuer: String(event.metadata.issuer),
  };
  const places = { organizationId: null, shareKey: shareOf(user.email), mostAttempts: MAIL_ATTEMPTS };
  await jobs.enqueue(Actor.system('a change of an account'), { queue: QUEUE, payload, ...places });
}

/** Sends the emails about changes of accounts. */
@Injectable()
export class AccountEmailsService {
  constructor(
    private readonly mailer: Mailer,
    private readonly env: Env,
    private readonly jobs: JobsService,
  ) {
    jobs.registerHandler<AccountMailPayload>(QUEUE, {
      ...MAIL_PLACES,
      handle: ({ payload }) => this.mailer.send(MAILS[payload.change](payload, this.env.baseUrl)),
      retryDelayMs: mailRetryDelayMs,
    });
  }

  enqueue(event: AccountChange): Promise<void> {
    return enqueueAccountMail(this.env, this.jobs, event);
  }
}

const linkedMail = ({ email, issuer }: AccountMailPayload, baseUrl: string): Mail => ({
  to: email,
  subject: 'A user of the OpenID Connect issuer was linked to your account',
  text: `A user of ${issuer} was linked to your account at ${baseUrl}, and now signs in to it. Your profile shows which one.

If it was not you, another person knows your password. Request a new one, which ends the link:

  POST ${baseUrl}/api/auth/password/forgot {"email": "${email}"}

Then delete the personal tokens that you do not know.
`,
});

const unlinkedMail = ({ email, issuer }: AccountMailPayload, baseUrl: string): Mail => ({
  to: email,
  subject: 'A user of the OpenID Connect issuer was unlinked from your account',
  text: `The user of ${issuer} that was linked to your account at ${baseUrl} no longer signs in to it. The password still does.

A new password that was requested by email ends the link as well. If it was neither, another person can sign in to your account: request a new password.

  POST ${baseUrl}/api/auth/password/forgot {"email": "${email}"}
`,
});

const passwordMail = ({ email }: AccountMailPayload, baseUrl: string): Mail => ({
  to: email,
  subject: 'The password of your account was changed',
  text: `The password of your account at ${baseUrl} was changed, which ended its other sessions.

If it was neither you nor the operator of the server, another person can sign in to your account: request a new password.

  POST ${baseUrl}/api/auth/password/forgot {"email": "${email}"}
`,
});

const MAILS = { linked: linkedMail, unlinked: unlinkedMail, password: passwordMail };
